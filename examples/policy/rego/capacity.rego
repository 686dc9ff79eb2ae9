# Judges replica storage, estimates from ranges, and the coverage of VMs by tiers.
package vsla.verdict

import data.vsla.calculators
import data.vsla.settings

# --- space at the target: data.vsla_replica_storage

# `fits` must agree with the reasons and, if the inputs are known, with the free space.
sound(s) if {
	s.type == "vsla_replica_storage"
	texts(s.values.reasons)
	is_number(s.values.target_gib)
	agrees(s.values.fits, count({reason | some reason in s.values.reasons} & {"target_too_small"}))
	compares(s)
}

# Without the free space, `fits` is null.
sound(s) if {
	s.type == "vsla_replica_storage"
	texts(s.values.reasons)
	is_number(s.values.target_gib)
	s.values.fits == null
	given(s.values, "target_free_gib", null) == null
}

compares(s) if s.inputs == false

compares(s) if {
	is_number(s.values.target_free_gib)
	s.values.fits == true
	s.values.target_gib <= s.values.target_free_gib
}

compares(s) if {
	is_number(s.values.target_free_gib)
	s.values.fits == false
	s.values.target_gib > s.values.target_free_gib
}

problems contains problem("storage_exceeded", s.address, explained("does not fit on the target datastore", s)) if {
	some s in subjects
	s.type == "vsla_replica_storage"
	s.values.fits == false
}

problems contains problem("not_measured", s.address, "has no target_free_gib to compare the required space with") if {
	some s in subjects
	s.type == "vsla_replica_storage"
	s.values.fits == null
	sound(s)
}

# --- space at the targets of data.vsla_sla_plan

problems contains problem("low_headroom", s.address, says) if {
	some s in subjects
	s.type == "vsla_sla_plan"
	some name, target in s.values.targets
	not leaves(target)
	figures := [left(target), name, settings.min_headroom_percent]
	says := sprintf("leaves %v%% of the free space of target %s; the settings require %v%%", figures)
}

left(target) := floor((100 * target.free_after_gib) / target.free_gib) if {
	is_number(target.free_after_gib)
	target.free_gib > 0
	is_number(target.free_gib)
}

else := 0

leaves(target) if {
	is_number(target.free_gib)
	is_number(target.free_after_gib)
	100 * target.free_after_gib >= settings.min_headroom_percent * target.free_gib
}

# Two kinds of targets are not judged here: those whose free space is not given, and full ones, whose promises miss.
leaves(target) if target.free_gib == null

leaves(target) if {
	is_number(target.free_after_gib)
	target.free_after_gib < 0
}

# --- probability of meeting an RPO: data.vsla_replication_confidence

# A cycle that takes at most half the RPO also meets the RPO, so a violation-free cycle cannot be the likelier one.
sound(s) if {
	s.type == "vsla_replication_confidence"
	s.values.verdict in object.keys(calculators.calculators[s.type].verdicts)
	percentage(s.values.probability_meets_rpo_percent)
	percentage(s.values.probability_violation_free_percent)
	s.values.probability_violation_free_percent <= s.values.probability_meets_rpo_percent
}

percentage(value) if {
	is_number(value)
	value >= 0
	value <= 100
}

# --- VMs that no tier covers: data.vsla_sla_compliance, where the settings have max_uncovered

uncovered(s) := count(s.values.uncovered) + count(s.values.uncovered_unknown) if {
	is_array(s.values.uncovered)
	is_array(s.values.uncovered_unknown)
}

problems contains problem("uncovered", s.address, says) if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	uncovered(s) > settings.max_uncovered
	figures := [count(s.values.uncovered), count(s.values.uncovered_unknown), settings.max_uncovered]
	says := sprintf("has %d VMs without a tier and a replication, and %d that might have neither; the settings allow %v", figures)
}

problems contains problem("unknown", s.address, "does not show which VMs are not covered by a tier") if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	is_number(settings.max_uncovered)
	not counted(s)
}

counted(s) if is_number(uncovered(s))
