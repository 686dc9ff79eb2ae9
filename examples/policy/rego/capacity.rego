# The judgement of replicas at the target and of estimates from ranges: data.vsla_replica_storage and
# data.vsla_replication_confidence.
package vsla.verdict

import data.vsla.settings

# --- space at the target: data.vsla_replica_storage

# Whether the replicas fit agrees with the reason for it and, where the inputs are known, with the free space.
sound(s) if {
	s.type == "vsla_replica_storage"
	texts(s.values.reasons)
	is_number(s.values.target_gib)
	agrees(s.values.fits, count({reason | some reason in s.values.reasons} & {"target_too_small"}))
	compares(s)
}

# Nothing to compare with: the free space is not given.
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

problems contains problem("storage_exceeded", s.address, explained("does not fit the target datastore", s)) if {
	some s in subjects
	s.type == "vsla_replica_storage"
	s.values.fits == false
}

problems contains problem("not_measured", s.address, "has no target_free_gib to compare its space with") if {
	some s in subjects
	s.type == "vsla_replica_storage"
	s.values.fits == null
	sound(s)
}

problems contains problem("low_headroom", s.address, says) if {
	some s in subjects
	s.type == "vsla_replica_storage"
	s.inputs
	s.values.fits == true
	sound(s)
	left := (100 * (s.values.target_free_gib - s.values.target_gib)) / s.values.target_free_gib
	left < settings.min_headroom_percent
	figures := [floor(left), settings.min_headroom_percent]
	says := explained(sprintf("leaves %v %% of the free space; the settings ask for %v %%", figures), s)
}

# --- how sure an RPO is: data.vsla_replication_confidence

# A cycle that takes at most half the RPO takes at most the RPO.
sound(s) if {
	s.type == "vsla_replication_confidence"
	percentage(s.values.probability_meets_rpo_percent)
	percentage(s.values.probability_violation_free_percent)
	s.values.probability_violation_free_percent <= s.values.probability_meets_rpo_percent
}

percentage(value) if {
	is_number(value)
	value >= 0
	value <= 100
}

problems contains problem("low_confidence", s.address, unlikely("meets its RPO", meets, s)) if {
	some s in subjects
	s.type == "vsla_replication_confidence"
	sound(s)
	meets := s.values.probability_meets_rpo_percent
	meets < settings.min_confidence_percent
}

# As in an estimate: it meets the RPO, and is at risk because the scheduling rule of vSphere Replication may not hold.
problems contains problem("at_risk", s.address, unlikely("is free of violations", free, s)) if {
	some s in subjects
	s.type == "vsla_replication_confidence"
	sound(s)
	s.values.probability_meets_rpo_percent >= settings.min_confidence_percent
	free := s.values.probability_violation_free_percent
	free < settings.min_confidence_percent
}

unlikely(what, percent, s) := explained(
	sprintf("%s with a probability of %v %%; the settings ask for %v %%", [
		what,
		percent,
		settings.min_confidence_percent,
	]),
	s,
)

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
	says := sprintf("has %d VMs without a tier and a replication, and %d that may be; the settings allow %v", figures)
}

problems contains problem("unknown", s.address, "does not show which VMs no tier covers") if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	is_number(settings.max_uncovered)
	not counted(s)
}

counted(s) if is_number(uncovered(s))
