# What the settings require of the inputs and numbers of a result: bounds (min_NAME, max_NAME), values (equal) and the
# data source that a value comes from (from). A number that is missing is never within its bound.
package vsla.bounds

import data.vsla.arguments
import data.vsla.calculators
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
	"index": plan.value(record, "index"),
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
	"index": resource.index,
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
	"index": null,
	"values": verdict.output(item.address),
	"inputs": false,
} if {
	some item in settings.expected
	settings.is_output(item.address)
}

# A part is a result as a whole, or an element of a map in it, with one specification of the settings.
parts contains {"case": case, "spec": case.spec, "values": case.values, "prefix": "", "where": "", "key": case.index} if {
	some case in cases
}

parts contains {
	"case": case,
	"spec": spec,
	"values": element_values(element),
	"prefix": concat("", [field, "."]),
	"where": sprintf("%s[%q].", [field, name]),
	"key": name,
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

# The value that counts: what is set, or the default.
effective(part, field) := found if {
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

# --- where values come from

problems contains verdict.problem("input_source", part.case.address, message) if {
	some part in parts
	some field, source in part.spec.from
	not comes_from(part, field, source)
	message := sprintf("has %s = %v; it has to be %s, by a direct reference", [
		name(part, field),
		plan.value(part.values, field),
		source,
	])
}

# The configuration refers to the source, and the value is the one that the source has in this plan: an expression such
# as min(1, data.x.y.vm_count) refers to the source as well.
comes_from(part, field, source) if {
	origin := split_source(source)
	some reference in plan.references(part.case.address, top(part, field))
	refers(reference, plan.local_address(plan.block_address(origin.address)))
	values := {plan.value(plan.value(record, "values"), origin.attribute) |
		some record in plan.sources
		plan.means(origin.address, record.address)
		same_instance(part.case, origin.address, record)
	}
	count(values) == 1
	some value in values
	value != null
	value == part.values[field]
}

# The VMs of a tier: each VM of the source is there by its name, and is as large.
comes_from(part, "virtual_machines", source) if {
	part.case.type == "vsla_sla_plan"
	origin := split_source(source)
	some reference in plan.references(part.case.address, top(part, "virtual_machines"))
	refers(reference, plan.local_address(plan.block_address(origin.address)))
	found := [record |
		some record in plan.sources
		plan.means(origin.address, record.address)
		same_instance({"index": part.key, "address": part.case.address}, origin.address, record)
	]
	count(found) == 1
	vms := found[0].values[origin.attribute]
	count(vms) == count(part.values.virtual_machines)
	every vm in vms {
		part.values.virtual_machines[vm.name].size_gib >= vm.used_gib
	}
}

# The plan has the references of a whole argument, not those of its elements.
top(part, field) := field if part.prefix == ""

else := trim_suffix(part.prefix, ".")

split_source(source) := {
	"address": concat(".", array.slice(steps, 0, count(steps) - 1)),
	"attribute": steps[count(steps) - 1],
} if {
	steps := split(source, ".")
	count(steps) > 3
}

refers(reference, block) if reference == block

refers(reference, block) if startswith(reference, concat("", [block, "."]))

refers(reference, block) if startswith(reference, concat("", [block, "["]))

# Where the settings name no instance, it is the one with the key of the result, in the same instance of its module.
same_instance(_, address, record) if address == record.address

same_instance(case, _, record) if {
	plan.value(record, "index") in {null, case.index}
	plan.module_of(record.address) == plan.module_of(case.address)
}

# --- objects that a result has to count

problems contains verdict.problem("not_counted", c.address, says) if {
	some c in coverings
	associations := covered(c)
	shown(associations)
	objects := {id | some association in associations; some id in tagging.objects(association)}
	not enough(c.size, count(objects))
	figures := [c.where, c.size, count(objects), c.covers]
	says := sprintf("%scounts %v VMs, and %d objects get the tag of %s", figures)
}

enough(size, objects) if {
	is_number(size)
	size >= objects
}

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

# A result, or a tier of one, with the association whose objects it has to count.
coverings contains {
	"address": part.case.address,
	"covers": part.spec.covers,
	"index": part.key,
	"size": size(part.values),
	"where": part.where,
} if {
	some part in parts
	not each_tier(part)
	part.spec.covers
}

coverings contains {
	"address": part.case.address,
	"covers": part.spec.covers,
	"index": tier,
	"size": size(values),
	"where": sprintf("tiers[%q] ", [tier]),
} if {
	some part in parts
	each_tier(part)
	part.spec.covers
	some tier, values in part.values.tiers
}

each_tier(part) if {
	part.prefix == ""
	part.case.type == "vsla_sla_plan"
}

size(values) := values.vm_count if is_number(values.vm_count)

else := count(values.virtual_machines) if is_object(values.virtual_machines)

else := null

# The associations after the plan that give the tag; without a key in the settings, the one with the key of the result.
# One whose tag cannot be traced may give it, too.
covered(c) := {other |
	some index in {null, c.index}
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
	element_name := trim_suffix(sprintf("%s[%q].%s", [map, key, field]), ".")
	message := sprintf("has %s = %v, %s", [element_name, values[field], uncovered_by(field, rule.better)])
}

# A result that the settings do not name: any input may flatter it.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some record in plan.known
	decides(record)
	count(specs_of(record.address)) == 0
	message := "decides, and the settings do not name it: its inputs can flatter it"
}

decides(record) if record.type in plan.judged

decides(record) if {
	calculators.calculators[record.type]
	some address in origins
	plan.means(address, record.address)
}

# A filter decides what a data source counts.
unbounded contains verdict.problem("unbounded", record.address, message) if {
	some address in origins
	some record in plan.sources
	plan.means(address, record.address)
	some filter in arguments.sources[record.type]
	value := record.values[filter]
	value != null
	specs := specs_of(record.address)
	not bounded(specs, record.type, filter, "either")
	message := sprintf("has %s = %v, which the settings do not fix: name it in equal", [filter, value])
}

# The data sources that `from` names.
origins contains split_source(source).address if {
	some part in parts
	some source in part.spec.from
}

unbounded contains verdict.problem("unbounded", case.address, message) if {
	some case in cases
	not case.inputs
	count([bound | some spec in specs_of(case.address); some bound in bounds(spec)]) == 0
	message := "shows no inputs of the function: bound its numbers, such as min_total_gib, or use the data source"
}

# The bounds that would cover an input.
uncovered_by(field, better) := sprintf(
	"which no bound of the settings covers: its address in expected needs %sequal or from",
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

fixed(spec, field, _) if field in object.keys(object.get(spec, "from", {}))

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
