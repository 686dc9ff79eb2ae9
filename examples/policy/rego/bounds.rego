# Checks the inputs and numbers of results against the settings: bounds (min_NAME, max_NAME), exact values (equal), and
# the objects that a tier must count (covers). A missing number never satisfies a bound.
package vsla.bounds

import data.vsla.arguments
import data.vsla.inputs
import data.vsla.plan
import data.vsla.settings
import data.vsla.tagging
import data.vsla.verdict

# Known results that have an entry in `expected`.
cases contains {
	"spec": item,
	"address": record.address,
	"type": record.type,
	"values": plan.value(record, "values"),
	"inputs": true,
} if {
	some record in plan.known
	some item in specs_of(record.address)
}

# Resources after the plan. They have no inputs that could make a verdict look better.
cases contains {
	"spec": item,
	"address": resource.address,
	"type": resource.type,
	"values": resource.values,
	"inputs": true,
} if {
	some resource in plan.managed
	some item in specs_of(resource.address)
}

cases contains {
	"spec": item,
	"address": item.address,
	"type": item.type,
	"values": verdict.output(item.address),
	"inputs": false,
} if {
	some item in settings.expected
	settings.is_output(item.address)
}

# A part is a whole result or one element of a map in it, together with its bounds.
parts contains {"case": case, "spec": case.spec, "values": case.values, "prefix": "", "where": ""} if {
	some case in cases
}

parts contains {
	"case": case,
	"spec": spec,
	"values": element_values(element),
	"prefix": concat("", [field, "."]),
	"where": sprintf("%s[%q].", [field, name]),
} if {
	some case in cases
	some field, specs in case.spec
	settings.is_element_map(field, specs)
	some key, spec in specs
	some name, element in case.values[field]
	key in {"*", name}
}

# A map element that is a plain number gets the empty field name.
element_values(element) := element if is_object(element)

else := {"": element}

# --- bounds

problems contains verdict.problem(code(bound), part.case.address, says(part, bound)) if {
	some part in parts
	some bound in bounds(part.spec)
	not within(measure(part, bound.field), bound.op, bound.limit)
}

# min_vm_count: 15 becomes {op: min, field: vm_count, limit: 15}. In a map of numbers, min: 15 applies to the number
# itself.
bounds(spec) := {{"op": substring(key, 0, 3), "field": substring(key, 4, -1), "limit": limit} |
	some key, limit in spec
	settings.is_bound(key)
}

code(bound) := "weaker_than_tier" if {
	bound.op == "max"
	bound.field == "rpo_minutes"
}

else := "input_out_of_bounds"

says(part, bound) := sprintf("has %s = %v; %s", [name(part, bound.field), effective(part, bound.field), must(bound)])

name(part, field) := trim_suffix(concat("", [part.where, field]), ".")

must(bound) := sprintf("the settings allow at least %v", [bound.limit]) if bound.op == "min"

must(bound) := sprintf("the settings allow at most %v", [bound.limit]) if bound.op == "max"

# The value to compare with a bound. For a map, this is the number of elements.
measure(part, field) := count(part.values[field]) if {
	inputs.is_map(part.case.type, concat("", [part.prefix, field]))
	is_object(part.values[field])
}

else := effective(part, field)

# The effective value: the configured value or the default. In tiers, a bound also applies to the values of individual
# VMs.
effective(part, field) := array.concat(numbers, [part.values[field] | part.values[field] != null]) if {
	part.prefix == "tiers."
	numbers := own(part.values, field)
	count(numbers) > 0
}

else := found if {
	found := part.values[field]
	found != null
}

else := "worst" if inputs.whole_day(part.case.type, field, part.values)

else := inputs.absent(part.case.type, concat("", [part.prefix, field]))

within("worst", _, _) := true

within(value, "min", limit) if {
	is_number(value)
	value >= limit
}

within(value, "max", limit) if {
	is_number(value)
	value <= limit
}

# Every number in a list must be within the bound.
within(value, op, limit) if {
	is_array(value)
	count(value) > 0
	every item in value {
		is_number(item)
		within_number(item, op, limit)
	}
}

# The same applies to the numbers of a range.
within(value, op, limit) if {
	is_object(value)
	count(value) > 0
	every _, item in value {
		is_number(item)
		within_number(item, op, limit)
	}
}

within_number(value, "min", limit) if value >= limit

within_number(value, "max", limit) if value <= limit

# --- elements that the settings name

problems contains verdict.problem(absence(field), case.address, sprintf("has no %s[%q]", [field, key])) if {
	some case in cases
	some field, specs in case.spec
	settings.is_element_map(field, specs)
	some key, _ in specs
	not has_element(case, field, key)
}

# A tier is a promise, so its absence has its own code.
absence("tiers") := "missing"

absence(field) := "input_out_of_bounds" if field != "tiers"

has_element(case, field, "*") if count(case.values[field]) > 0

has_element(case, field, key) if key in object.keys(case.values[field])

# --- values

problems contains verdict.problem("input_out_of_bounds", part.case.address, message) if {
	some part in parts
	some field, want in part.spec.equal
	found := effective(part, field)
	found != want
	message := sprintf("has %s = %v; the settings allow only %v", [name(part, field), found, want])
}

# --- objects that a tier must count

# Objects are compared by name and size if the plan contains the inventory, and by number otherwise.
problems contains verdict.problem("not_counted", c.address, says) if {
	some c in coverings
	shown(covered(c))
	missed := [id | some id in objects(c); known_vms[id]; not counted(c.values, id)]
	count(missed) > 0
	named := concat(", ", array.slice(sort(missed), 0, longest_list))
	figures := [c.tier, count(missed), c.covers, named]
	says := sprintf("tiers[%q] omits or understates %d object(s) tagged by %s: %s", figures)
}

longest_list := 5

problems contains verdict.problem("not_counted", c.address, says) if {
	some c in coverings
	shown(covered(c))
	not enough(size(c.values), count(objects(c)))
	figures := [c.tier, size(c.values), count(objects(c)), c.covers]
	says := sprintf("tiers[%q] counts %v VMs, but %d objects get the tag of %s", figures)
}

objects(c) := {id | some association in covered(c); some id in tagging.objects(association)}

enough(vms, number) if {
	is_number(vms)
	vms >= number
}

# A complete rule, so that OPA looks up keys without a search.
known_vms := inventory

inventory[id] contains {"name": vm.name, "gib": vm.used_gib} if {
	some record in plan.known
	record.type == "vsla_virtual_machines"
	some id, vm in record.values.virtual_machines
}

# A tier lists a VM by name, ID, or both. A tier that has only a number of VMs is compared by number.
counted(tier, id) if {
	some vm in known_vms[id]
	some key in [vm.name, id, sprintf("%s (%s)", [vm.name, id])]
	own := tier.virtual_machines[key].size_gib
	is_number(own)
	own >= vm.gib
	is_number(vm.gib)
}

counted(tier, _) if not is_object(object.get(tier, "virtual_machines", null))

problems contains verdict.problem("unknown", c.address, says) if {
	some c in coverings
	not shown(covered(c))
	says := sprintf("does not show during plan which objects get the tag of %s", [c.covers])
}

shown(associations) if {
	count(associations) > 0
	every association in associations {
		tagging.shown(association)
	}
}

# Tiers with the association whose objects they must count. `covers` can be set for the whole plan, for one tier, or for
# all tiers ("*").
coverings contains {"address": case.address, "covers": spec.covers, "tier": tier, "values": values} if {
	some case in cases
	case.type == "vsla_sla_plan"
	some tier, values in case.values.tiers
	some spec in [case.spec, object.get(case.spec, ["tiers", tier], {}), object.get(case.spec, ["tiers", "*"], {})]
	spec.covers
}

size(values) := values.vm_count if is_number(values.vm_count)

else := count(values.virtual_machines) if is_object(values.virtual_machines)

else := null

# The associations that assign the tag after the plan. If `covers` has no key, the instance with the tier's key counts.
# An association whose tag cannot be traced might assign it, too.
covered(c) := {other |
	some index in {null, c.tier}
	some change in tagging.by_name[{"name": c.covers, "index": index}]
	change.type == "vsla_tag_association"
	some other in tagging.sharing[change.address]
}

# --- tags that no result counts

problems contains verdict.problem("not_counted", change.address, says) if {
	settings.bounds_required
	some change in tagging.changes
	change.change.before == null
	count(specs_of(change.address)) == 0
	not change.address in reached
	says := "is new, but no result in the settings covers it, so the objects that it tags are not counted"
}

reached contains other.address if {
	some c in coverings
	some other in covered(c)
}

# --- unbounded inputs that could flatter a verdict (see inputs.rego)

unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	case.inputs
	some field, rule in inputs.flatters[case.type]
	not contains(field, ".")
	stated(case.values, field, rule) != inputs.absent(case.type, field)
	not bounded(specs_of(case.address), case.type, field, rule.better)
	message := sprintf("has %s = %v, %s", [field, case.values[field], uncovered_by(field, rule.better)])
}

unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	case.inputs
	some path, rule in inputs.flatters[case.type]
	[map, field] := split(path, ".")
	some key, element in case.values[map]
	values := element_values(element)
	stated(values, field, rule) != inputs.absent(case.type, path)
	specs := {spec | some item in specs_of(case.address); some named, spec in item[map]; named in {"*", key}}
	not bounded(specs, case.type, field, rule.better)
	not sized(case.address, path, key)
	element_name := trim_suffix(sprintf("%s[%q].%s", [map, key, field]), ".")
	message := sprintf("has %s = %v, %s", [element_name, values[field], uncovered_by(field, rule.better)])
}

# Whether the inventory contains every VM that the tier must count.
sized(address, "tiers.virtual_machines", tier) if {
	some c in coverings
	c.address == address
	c.tier == tier
	shown(covered(c))
	every id in objects(c) {
		known_vms[id]
	}
}

# VMs can have their own daily change and seeded percentage.
unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	case.type == "vsla_sla_plan"
	some tier, values in case.values.tiers
	some field, better in {"daily_change_percent": "low", "seeded_percent": "high"}
	count(own(values, field)) > 0
	specs := {spec | some item in specs_of(case.address); some named, spec in item.tiers; named in {"*", tier}}
	not bounded(specs, case.type, field, better)
	message := sprintf("has VMs in tiers[%q] with their own %s, %s", [tier, field, uncovered_by(field, better)])
}

own(values, field) := [vm[field] | some vm in values.virtual_machines; vm[field] != null]

# Results that the settings do not name: any of their inputs could flatter the verdict.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some record in plan.known
	record.type in plan.judged
	count(specs_of(record.address)) == 0
	message := "affects the decision, but the settings do not name it, so its inputs could hide a worse verdict"
}

# A filter determines what a data source counts, so its value must be fixed.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some record in plan.sources
	not inputs.flatters[record.type]
	some filter in arguments.sources[record.type]
	value := record.values[filter]
	value != null
	specs := specs_of(record.address)
	count(specs) > 0
	not bounded(specs, record.type, filter, "either")
	message := sprintf("has %s = %v, which the settings do not fix: set it in equal", [filter, value])
}

unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	not case.inputs
	count([bound | some spec in specs_of(case.address); some bound in bounds(spec)]) == 0
	message := "does not show the function's inputs: bound its numbers, such as min_total_gib, or use the data source"
}

# Names the bounds that would cover an input.
uncovered_by(field, better) := sprintf(
	"which no bound in the settings covers: its address in expected needs %sequal",
	[concat("", [sprintf("%s, or ", [concat(" and ", keys)]) |
		keys := [bound_key(op, field) | some op in covering[better]]
		count(keys) > 0
	])],
)

covering := {"fixed": [], "low": ["min"], "high": ["max"], "either": ["min", "max"]}

# Bounds for a block and bounds for one of its instances both apply.
specs_of(address) := {item | some name in plan.names_of(address); some item in settings.expected_by[name]}

# The configured value of an input that could flatter a verdict. Undefined if the input is not set, because the
# calculator then uses its default.
stated(values, field, rule) := value if {
	rule.better != "no"
	value := values[field]
	value != null
}

bounded(specs, _, field, better) if {
	some spec in specs
	fixed(spec, field, better)
}

# A map is bounded if the settings name its required elements. The inputs of its elements are checked separately.
bounded(specs, type, field, better) if {
	better in {"low", "either"}
	inputs.is_map(type, field)
	some spec in specs
	count(object.keys(object.get(spec, field, {})) - {"*"}) > 0
}

# A range is bounded if each of its numbers has its own bound.
bounded(specs, type, field, better) if {
	inputs.is_range(type, field)
	op := {"low": "min", "high": "max"}[better]
	every end in ["low", "likely", "high"] {
		some spec in specs
		some key in [end, "*"]
		is_number(spec[field][key][op])
	}
}

fixed(spec, field, _) if field in object.keys(object.get(spec, "equal", {}))

fixed(spec, field, "low") if bound_key("min", field) in object.keys(spec)

fixed(spec, field, "high") if bound_key("max", field) in object.keys(spec)

fixed(spec, field, "either") if {
	bound_key("min", field) in object.keys(spec)
	bound_key("max", field) in object.keys(spec)
}

bound_key(op, "") := op

bound_key(op, field) := concat("_", [op, field]) if field != ""

problems contains p if {
	settings.bounds_required
	some p in unbounded
}
