# What the settings require of the inputs and numbers of a result: bounds (min_NAME, max_NAME), values (equal), and the
# objects that a tier counts (covers). A number that is missing is never within its bound.
package vsla.bounds

import data.vsla.arguments
import data.vsla.inputs
import data.vsla.plan
import data.vsla.settings
import data.vsla.tagging
import data.vsla.verdict

# Each known result that an expectation names.
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

# A resource as it is after the plan; its inputs flatter nothing.
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

# A part is a result as a whole, or an element of a map in it, with one specification of the settings.
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

# A number in a map has the empty name.
element_values(element) := element if is_object(element)

else := {"": element}

# --- bounds

problems contains verdict.problem(code(bound), part.case.address, says(part, bound)) if {
	some part in parts
	some bound in bounds(part.spec)
	not within(measure(part, bound.field), bound.op, bound.limit)
}

# min_vm_count: 15 is {op: min, field: vm_count, limit: 15}; in a map of numbers, min: 15 bounds the number itself.
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

# What a bound is compared with: of a map, its number of elements.
measure(part, field) := count(part.values[field]) if {
	inputs.is_map(part.case.type, concat("", [part.prefix, field]))
	is_object(part.values[field])
}

else := effective(part, field)

# The value that counts: what is set, or the default. A bound of a tier holds for the numbers of its VMs as well.
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

# The bound holds for each number of a list.
within(value, op, limit) if {
	is_array(value)
	count(value) > 0
	every item in value {
		is_number(item)
		within_number(item, op, limit)
	}
}

# And for each number of a range.
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

# A tier is a promise.
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
	message := sprintf("has %s = %v; the settings allow %v only", [name(part, field), found, want])
}

# --- objects that a tier has to count

# By name and size where the plan has the inventory, else by number.
problems contains verdict.problem("not_counted", c.address, says) if {
	some c in coverings
	shown(covered(c))
	missed := [id | some id in objects(c); known_vms[id]; not counted(c.values, id)]
	count(missed) > 0
	named := concat(", ", array.slice(sort(missed), 0, longest_list))
	figures := [c.tier, count(missed), c.covers, named]
	says := sprintf("tiers[%q] leaves out or makes smaller %d objects that get the tag of %s: %s", figures)
}

longest_list := 5

problems contains verdict.problem("not_counted", c.address, says) if {
	some c in coverings
	shown(covered(c))
	not enough(size(c.values), count(objects(c)))
	figures := [c.tier, size(c.values), count(objects(c)), c.covers]
	says := sprintf("tiers[%q] counts %v VMs, and %d objects get the tag of %s", figures)
}

objects(c) := {id | some association in covered(c); some id in tagging.objects(association)}

enough(vms, number) if {
	is_number(vms)
	vms >= number
}

# A whole document, in which a look-up takes no search.
known_vms := inventory

inventory[id] contains {"name": vm.name, "gib": vm.used_gib} if {
	some record in plan.known
	record.type == "vsla_virtual_machines"
	some id, vm in record.values.virtual_machines
}

# A VM is in its tier by its name, its id or both. One that is only counted is as large as any.
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

# A tier with the association whose objects it has to count, named for the tier or for all of them.
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

# The associations after the plan that give the tag; without a key in the settings, the one with the key of the tier.
# One whose tag cannot be traced may give it, too.
covered(c) := {other |
	some index in {null, c.tier}
	some change in tagging.by_name[{"name": c.covers, "index": index}]
	change.type == "vsla_tag_association"
	some other in tagging.sharing[change.address]
}

# --- tags that nothing counts

problems contains verdict.problem("not_counted", change.address, says) if {
	settings.bounds_required
	some change in tagging.changes
	change.change.before == null
	count(specs_of(change.address)) == 0
	not change.address in reached
	says := "is new, and no result of the settings covers it: its objects get a promise that nothing counts"
}

reached contains other.address if {
	some c in coverings
	some other in covered(c)
}

# --- inputs that flatter and that nothing bounds

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

# The VMs of a tier are those of the inventory.
sized(address, "tiers.virtual_machines", tier) if {
	some c in coverings
	c.address == address
	c.tier == tier
	shown(covered(c))
	every id in objects(c) {
		known_vms[id]
	}
}

# A VM can have a change and seeds of its own, beside those of its tier.
unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	case.type == "vsla_sla_plan"
	some tier, values in case.values.tiers
	some field, better in {"daily_change_percent": "low", "seeded_percent": "high"}
	count(own(values, field)) > 0
	specs := {spec | some item in specs_of(case.address); some named, spec in item.tiers; named in {"*", tier}}
	not bounded(specs, case.type, field, better)
	message := sprintf("has VMs in tiers[%q] with a %s, %s", [tier, field, uncovered_by(field, better)])
}

own(values, field) := [vm[field] | some vm in values.virtual_machines; vm[field] != null]

# A result that the settings do not name: any input may flatter it.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some record in plan.known
	record.type in plan.judged
	count(specs_of(record.address)) == 0
	message := "decides, and the settings do not name it: its inputs can flatter it"
}

# A filter decides what a data source counts.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some record in plan.sources
	not inputs.flatters[record.type]
	some filter in arguments.sources[record.type]
	value := record.values[filter]
	value != null
	specs := specs_of(record.address)
	count(specs) > 0
	not bounded(specs, record.type, filter, "either")
	message := sprintf("has %s = %v, which the settings do not fix: name it in equal", [filter, value])
}

unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	not case.inputs
	count([bound | some spec in specs_of(case.address); some bound in bounds(spec)]) == 0
	message := "shows no inputs of the function: bound its numbers, such as min_total_gib, or use the data source"
}

# The bounds that would cover an input.
uncovered_by(field, better) := sprintf(
	"which no bound of the settings covers: its address in expected needs %sequal",
	[concat("", [sprintf("%s, ", [concat(" and ", keys)]) |
		keys := [bound_key(op, field) | some op in covering[better]]
		count(keys) > 0
	])],
)

covering := {"fixed": [], "low": ["min"], "high": ["max"], "either": ["min", "max"]}

# Bounds for all instances of a block and bounds for one of them add up.
specs_of(address) := {item | some name in plan.names_of(address); some item in settings.expected_by[name]}

# The value of an input that can flatter. One that is not set is the calculator's default, and one that is set to the
# default says the same.
stated(values, field, rule) := value if {
	rule.better != "no"
	value := values[field]
	value != null
}

bounded(specs, _, field, better) if {
	some spec in specs
	fixed(spec, field, better)
}

# The elements that must be there are named; each of the others needs bounds of its own.
bounded(specs, type, field, better) if {
	better in {"low", "either"}
	inputs.is_map(type, field)
	some spec in specs
	count(object.keys(object.get(spec, field, {})) - {"*"}) > 0
}

# Each number of a range has a bound of its own.
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
