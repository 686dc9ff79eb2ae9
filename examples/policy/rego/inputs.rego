# Which values of an input flatter the verdict. `better` is the direction that flatters: low, high, either, or no. Inputs
# of nested objects are named "groups.vm_count", numbers in a map "counts.". Those of the calculators are generated;
# "worst" means that leaving the input out is the most cautious choice.
package vsla.inputs

import data.vsla.calculators

flatters[type] := {name: {"better": direction(type, name, better)} | some name, better in calculator.better} if {
	some type, calculator in calculators.calculators
}

# Neither the number nor one size of the VMs of a tier says how large each is.
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

# Maps have inputs, or numbers, of their own.
is_map(type, field) if maps[type][field]

# A whole document, in which a look-up takes no search.
maps := outer_names

outer_names[type] contains outer if {
	some type, fields in flatters
	some name, _ in fields
	contains(name, ".")
	steps := split(name, ".")
	some depth in numbers.range(1, count(steps) - 1)
	outer := concat(".", array.slice(steps, 0, depth))
}

# A number or { low, likely, high }.
is_range(type, field) if calculators.calculators[type].ranges[field]

# Without a peak factor and a change curve the whole day's change falls into one cycle, the most cautious choice.
whole_day(type, "peak_factor", values) if {
	type in {"vsla_replication_estimate", "vsla_replication_confidence"}
	object.get(values, "change_curve", null) == null
}

# What counts where an input is not set, or null: the default, of a map the number of its elements.
absent(type, field) := "worst" if calculators.calculators[type].worst[field]

else := found if found := flatters[type][field].absent

else := 0 if is_map(type, field)

else := found if found := calculators.calculators[type].inputs[field]

else := null
