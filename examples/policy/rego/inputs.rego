# Inputs that could flatter a verdict, that is, make it look better than it is. `better` is the direction that flatters:
# low, high, either, or no. With fixed, only an exact value bounds the input. Inputs of nested objects are named
# "groups.vm_count", numbers in a map "counts.". The entries for calculators are generated; "worst" means that omitting
# the input is the most cautious choice.
package vsla.inputs

import data.vsla.calculators

flatters[type] := {name: {"better": direction(type, name, better)} | some name, better in calculator.better} if {
	some type, calculator in calculators.calculators
}

# Neither the number of VMs in a tier nor a common size shows how large each VM is.
direction("vsla_sla_plan", "tiers.virtual_machines", _) := "fixed"

direction(type, name, better) := better if [type, name] != ["vsla_sla_plan", "tiers.virtual_machines"]

flatters.vsla_replication_history := {
	"vm_ids": {"better": "either"},
	"tag_id": {"better": "either"},
	"lookback_hours": {"better": "either", "absent": 720},
	"rpo_minutes": {"better": "high"},
	"read_minutes_max": {"better": "no"},
	"vm_details": {"better": "no"},
}

flatters.vsla_sla_compliance := {
	"pairing_id": {"better": "either"},
	"protection_clusters": {"better": "either"},
	"folder": {"better": "either"},
	"cluster": {"better": "either"},
	"tiers": {"better": "low"},
	"tiers.tag_id": {"better": "either"},
	"tiers.rpo_minutes": {"better": "high"},
	"tiers.compliance_percent": {"better": "low"},
	"lookback_hours": {"better": "either"},
	"read_minutes_max": {"better": "no"},
}

# Maps whose elements are numbers or have inputs themselves.
is_map(type, field) if maps[type][field]

# A complete rule, so that OPA looks up keys without a search.
maps := outer_names

outer_names[type] contains outer if {
	some type, fields in flatters
	some name, _ in fields
	contains(name, ".")
	steps := split(name, ".")
	some depth in numbers.range(1, count(steps) - 1)
	outer := concat(".", array.slice(steps, 0, depth))
}

# Inputs that are either a number or { low, likely, high }.
is_range(type, field) if calculators.calculators[type].ranges[field]

# Without a peak factor and a change curve, the whole day's change falls into one cycle, which is the most cautious
# choice.
whole_day(type, "peak_factor", values) if {
	type in {"vsla_replication_estimate", "vsla_replication_confidence"}
	object.get(values, "change_curve", null) == null
}

# The effective value of an input that is not set or null: its default, or 0 elements for a map.
absent(type, field) := "worst" if calculators.calculators[type].worst[field]

else := found if found := flatters[type][field].absent

else := 0 if is_map(type, field)

else := found if found := calculators.calculators[type].inputs[field]

else := null
