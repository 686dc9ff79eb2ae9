# Judges each result. Rules require good values and deny everything else: in Rego, a comparison with a missing key is
# undefined, and undefined must not pass.
package vsla.verdict

import data.vsla.calculators
import data.vsla.plan
import data.vsla.settings

# The throughput that vSphere requires for each concurrent vMotion, in Mbit/s.
vmotion_floor_mbps := 250

# The results to judge: data sources, and outputs that contain a function result according to the settings.
subjects contains {
	"address": plan.value(record, "address"),
	"type": record.type,
	"values": plan.value(record, "values"),
	"inputs": true,
} if {
	some record in plan.known
	judged(record)
}

judged(record) if record.type in plan.judged

judged(record) if {
	record.type in plan.judged_on_request
	some item in settings.expected
	plan.means(item.address, record.address)
}

subjects contains {"address": item.address, "type": item.type, "values": value, "inputs": false} if {
	some item in settings.expected
	settings.is_output(item.address)
	value := output(item.address)
}

output(address) := input.planned_values.outputs[trim_prefix(address, "output.")].value

problem(code, address, says) := {"code": code, "address": address, "msg": sprintf("%s %s", [address, says])}

# --- replication calculators with a single verdict

promise_types := {"vsla_replication_confidence", "vsla_replication_estimate", "vsla_replication_schedule"}

problems contains problem("rpo_missed", s.address, explained("misses its RPO", s)) if {
	some s in subjects
	s.type in promise_types
	s.values.verdict == "misses"
}

problems contains problem("at_risk", s.address, explained("is at risk", s)) if {
	some s in subjects
	s.values.verdict == "at_risk"
	sound(s)
}

problems contains problem("unknown", s.address, unreliable) if {
	some s in subjects
	not sound(s)
}

unreliable := "has no reliable verdict: a value is missing, or values contradict each other"

sound(s) if {
	s.type == "vsla_replication_estimate"
	[s.values.verdict, s.values.meets_rpo, s.values.violation_free] in {
		["meets", true, true],
		["at_risk", true, false],
		["misses", false, false],
	}
}

# A schedule cannot meet its RPO while a VM is late.
sound(s) if {
	s.type == "vsla_replication_schedule"
	s.values.verdict == "meets"
	s.values.late_vm_count == 0
	is_number(s.values.within_rpo_percent)
}

sound(s) if {
	s.type == "vsla_replication_schedule"
	s.values.verdict in {"at_risk", "misses"}
	is_number(s.values.late_vm_count)
	is_number(s.values.within_rpo_percent)
}

explained(says, s) := sprintf("%s: %s", [says, s.values.summary]) if is_string(s.values.summary)

else := says

# --- vMotion: data.vsla_vmotion_estimate, data.vsla_migration_plan, data.vsla_link_throughput

sound(s) if {
	s.type == "vsla_vmotion_estimate"
	s.values.verdict in object.keys(calculators.calculators[s.type].verdicts)
	agrees(s.values.verdict == "meets", count(s.values.reasons))
	is_array(s.values.reasons)
	rates(s)
}

# A function result does not contain its inputs.
rates(s) if s.inputs == false

rates(s) if is_number(per_migration_mbps(s))

problems contains problem("unsupported", s.address, explained("is a vMotion that vSphere does not support", s)) if {
	some s in subjects
	s.type in {"vsla_vmotion_estimate", "vsla_migration_plan"}
	s.values.verdict == "unsupported"
}

problems contains problem("migration_missed", s.address, explained("misses its deadline or exceeds a downtime limit", s)) if {
	some s in subjects
	s.type == "vsla_migration_plan"
	s.values.verdict == "misses"
}

problems contains problem("no_promise", s.address, explained(nothing_promised, s)) if {
	some s in subjects
	s.type == "vsla_migration_plan"
	s.values.verdict == "no_promise"
}

nothing_promised := "has no promise to check: set deadline_hours, max_windows or max_downtime_minutes"

problems contains problem("below_vmotion_floor", s.address, explained(below, s)) if {
	some s in subjects
	"below_250_mbps_per_migration" in s.values.reasons
}

problems contains problem("below_vmotion_floor", s.address, explained(below, s)) if {
	some s in subjects
	per_migration_mbps(s) < vmotion_floor_mbps
}

below := sprintf("has less than %d Mbit/s for each concurrent migration", [vmotion_floor_mbps])

per_migration_mbps(s) := s.values.throughput_mbps / concurrent if {
	s.type == "vsla_vmotion_estimate"
	is_number(s.values.throughput_mbps)
	concurrent := given(s.values, "concurrent_migrations", 1)
	is_number(concurrent)
	concurrent >= 1
}

# The throughput of one migration at the busiest moment of the plan.
per_migration_mbps(s) := min([s.values.throughput_mbps / busiest(s.values), cap]) if {
	s.type == "vsla_migration_plan"
	is_number(s.values.throughput_mbps)
	cap := given(s.values, "per_migration_mbps", s.values.throughput_mbps)
	is_number(cap)
}

sound(s) if {
	s.type == "vsla_migration_plan"
	s.values.verdict in object.keys(calculators.calculators[s.type].verdicts)
	is_number(per_migration_mbps(s))
}

# A link with hourly throughput has no single rate. The plan's reasons show whether a vMotion had too little throughput.
sound(s) if {
	s.type == "vsla_migration_plan"
	s.values.verdict in object.keys(calculators.calculators[s.type].verdicts)
	is_array(s.values.hourly_throughput_mbps)
	is_array(s.values.reasons)
}

busiest(values) := values.max_concurrent if is_number(values.max_concurrent)

else := max([running |
	some wave in values.waves
	running := sum([count(other.virtual_machines) |
		some other in values.waves
		other.start_seconds <= wave.start_seconds
		other.start_seconds + other.duration_seconds > wave.start_seconds + 0.000001
	])
	running > 0
])

# In a plan, an optional argument that is not set is null.
given(values, key, otherwise) := values[key] if {
	key in object.keys(values)
	values[key] != null
}

else := otherwise

problems contains problem("below_vmotion_floor", record.address, below) if {
	some link in settings.vmotion_links
	some record in plan.known
	plan.means(link.address, record.address)
	record.values.throughput_mbps / link.concurrent_migrations < vmotion_floor_mbps
}

problems contains problem("unknown", link.address, "carries vMotions, but its throughput is not known during plan") if {
	some link in settings.vmotion_links
	not link_known(link)
}

link_known(link) if {
	throughputs := [record.values.throughput_mbps |
		some record in plan.known
		record.type == "vsla_link_throughput"
		plan.means(link.address, record.address)
	]
	count(throughputs) > 0
	count(throughputs) == count([r | some r in plan.known; plan.means(link.address, r.address)])
	every mbps in throughputs {
		is_number(mbps)
	}
	count([change |
		some change in input.resource_changes
		change.mode == "data"
		plan.means(link.address, change.address)
		not plan.nested_in_check(change)
	]) == 0
}

# --- limits: data.vsla_configuration_limits

sound(s) if {
	s.type == "vsla_configuration_limits"
	is_boolean(s.values.within_limits)
	is_array(s.values.exceeded)
	agrees(s.values.within_limits, count(s.values.exceeded))
	compared(s)
}

# `good` is true exactly if nothing was found.
agrees(good, found) if {
	good == true
	found == 0
}

agrees(good, found) if {
	good == false
	found > 0
}

compared(s) if s.inputs == false

compared(s) if {
	count(s.values.counts) > 0
	every number in s.values.counts {
		is_number(number)
	}
}

problems contains problem("limit_exceeded", s.address, says) if {
	some s in subjects
	s.type == "vsla_configuration_limits"
	some name in s.values.exceeded
	says := sprintf("exceeds %s: %s", [name, explained("see its source", s)])
}

# --- judged only if the settings expect them: data.vsla_latency_impact, data.vsla_replication_calibration

sound(s) if {
	s.type == "vsla_latency_impact"
	is_boolean(s.values.move_together)
	is_array(s.values.reasons)
	agrees(s.values.move_together == false, count(s.values.reasons))
}

problems contains problem("latency_loss", s.address, explained("loses more throughput than is tolerated", s)) if {
	some s in subjects
	s.type == "vsla_latency_impact"
	s.values.move_together == true
}

# Reasons that make a plan optimistic. Other reasons only explain what could not be compared.
optimistic_reasons := {"throughput_below_assumed", "daily_change_above_assumed", "sync_longer_than_estimated"}

sound(s) if {
	s.type == "vsla_replication_calibration"
	is_boolean(s.values.optimistic)
	texts(s.values.reasons)
	found := {reason | some reason in s.values.reasons} & optimistic_reasons
	agrees(s.values.optimistic == false, count(found))
}

texts(reasons) if {
	is_array(reasons)
	every reason in reasons {
		is_string(reason)
	}
}

# If nothing could be compared, the reasons explain why.
sound(s) if {
	s.type == "vsla_replication_calibration"
	s.values.optimistic == null
	texts(s.values.reasons)
	count({reason | some reason in s.values.reasons} & optimistic_reasons) == 0
}

problems contains problem("plan_optimistic", s.address, explained("is more optimistic than the measurements", s)) if {
	some s in subjects
	s.type == "vsla_replication_calibration"
	s.values.optimistic == true
}

problems contains problem("not_measured", s.address, explained("has no measurement to compare with", s)) if {
	some s in subjects
	s.type == "vsla_replication_calibration"
	s.values.optimistic == null
	sound(s)
}

# --- tiers: data.vsla_sla_compliance

compliance_lists := {
	"unprotected": "unprotected",
	"weaker_than_promised": "weaker_than_tier",
	"in_violation": "rpo_missed",
	"several_tiers": "several_tiers",
}

problems contains problem(code, s.address, sprintf("has VMs in %s: %v", [list, s.values[list]])) if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	some list, code in compliance_lists
	count(s.values[list]) > 0
}

sound(s) if {
	s.type == "vsla_sla_compliance"
	is_boolean(s.values.compliant)
	count(s.values.virtual_machines) > 0
	every list, _ in compliance_lists {
		is_array(s.values[list])
	}
	periods_sound(s)
	broken := sum([count(s.values[list]) | some list, _ in compliance_lists])
	agrees(s.values.compliant, broken + count(bad_periods(s)))
}

# --- replications: resource vsla_replication

problems contains problem("unknown", r.address, "has no RPO that is known during plan") if {
	some r in plan.replications
	not is_number(plan.value(r.values, "rpo_minutes"))
}

problems contains problem("no_promise", r.address, says) if {
	some r in plan.replications
	count(promised_minutes(r)) == 0
	says := "has no tier: neither data.vsla_sla_compliance nor `promises` defines the RPO that it must meet"
}

problems contains problem("weaker_than_tier", r.address, says) if {
	some r in plan.replications
	r.values.rpo_minutes > min(promised_minutes(r))
	figures := [r.values.rpo_minutes, min(promised_minutes(r))]
	says := sprintf("has an RPO of %v minutes, but its tier promises %v minutes", figures)
}

problems contains problem("weaker_than_tier", r.address, "is or might be paused: no RPO is guaranteed while it is paused") if {
	some r in plan.replications
	not runs(r)
}

runs(r) if {
	given(r.values, "paused", false) == false
	not r.unknown.paused == true
}

problems contains problem("disk_excluded", r.address, says) if {
	some r in plan.replications
	some key, disk in r.values.disks
	not replicated(r, key, disk)
	says := sprintf("does not or might not replicate disk %s: the target has no copy of its data", [key])
}

replicated(r, key, disk) if {
	given(disk, "enabled", true) == true
	not r.unknown.disks[key].enabled == true
}

problems contains problem("unknown", r.address, "does not show during plan which disks it replicates") if {
	some r in plan.replications
	r.unknown.disks == true
}

# --- actions

# Actions that do not affect any RPO. All other actions of the provider are denied.
harmless_actions := {
	"vsla_protection_group_resume",
	"vsla_protection_group_snapshot",
	"vsla_replication_reconnect",
	"vsla_replication_resume",
	"vsla_replication_sync",
}

problems contains problem("weaker_than_tier", plan.value(invocation, "address"), says) if {
	some invocation in plan.invocations
	not invocation.type in harmless_actions
	says := sprintf("runs %s during apply: no RPO is guaranteed while replication is paused", [invocation.type])
}

# The RPOs promised by the settings and by tags. The lowest counts.
promised_minutes(r) := settings.promised(r.address) | {rpo |
	[kind, moid, _] := split(r.values.vm_id, ":")
	kind == "VirtualMachine"
	some rpo in promised_to[{"pairing_id": r.values.pairing_id, "vm": moid}]
}

# RPOs promised by tags, by pairing and VM, from every vsla_sla_compliance that the settings expect.
promised_to := promises_to

promises_to[{"pairing_id": record.values.pairing_id, "vm": moid}] contains vm.promised_rpo_minutes if {
	some record in plan.known
	record.type == "vsla_sla_compliance"
	some item in settings.expected
	plan.means(item.address, record.address)
	some moid, vm in record.values.virtual_machines
	is_number(vm.promised_rpo_minutes)
}
