# Test cases on plans that Terraform or OpenTofu has just created: `deny` lists the cases whose result differs from the
# expected one. data.real has the plans, data.cases the files of testdata, and data.planned plans with their own gates
# and codes.
package vsla_cases

import data.vsla

deny contains sprintf("%s: denied %v, want %v", [name, got, row.codes]) if {
	some name, row in rows
	got := codes(row.plan, row.gate)
	got != row.codes
}

codes(plan, gate) := {d.code | some d in vsla.deny with input as plan with data.gate as gate}

rows[concat(" ", ["planned:", row.name])] := {"plan": row.plan, "gate": row.gate, "codes": words(row.codes)} if {
	some row in data.planned
}

deny contains sprintf("planned: %s: denied at %v, want %v", [row.name, found, row.addresses]) if {
	some row in data.planned
	found := {d.address | some d in vsla.deny with input as row.plan with data.gate as row.gate}
	found != {address | some address in row.addresses}
}

words(text) := {word | some word in split(text, " "); word != ""}

# --- testdata/plans.yaml: variations of the plan of testdata/everything

rows[row.name] := {"plan": changed(row), "gate": gate_of(row), "codes": words(object.get(row, "codes", ""))} if {
	some row in data.cases.plans
}

deny contains "two rows of plans.yaml have the same name" if {
	count({row.name | some row in data.cases.plans}) != count(data.cases.plans)
}

records_path := "/prior_state/values/root_module/resources"

blocks_path := "/configuration/root_module/resources"

# The plan with a new replication, the compliance of its site, and a history.
base := json.patch(data.real.everything, [{"op": "add", "path": sprintf("%s/-", [path]), "value": item} |
	some path, items in {
		records_path: data.cases.replicated.results,
		"/planned_values/root_module/resources": data.cases.replicated.planned,
		"/resource_changes": data.cases.replicated.changes,
		blocks_path: data.cases.replicated.blocks,
	}
	some item in items
])

gate := data.cases.settings.everything.gate

changed(row) := object.union(
	json.patch(base, [
		replace(records_path, merged(base.prior_state.values.root_module.resources, row, "results", "values")),
		replace("/resource_changes", merged(base.resource_changes, row, "changes", "change")),
		replace(blocks_path, merged(base.configuration.root_module.resources, row, "blocks", "")),
	]),
	object.get(row, "plan", {}),
)

replace(path, value) := {"op": "replace", "path": path, "value": value}

# The items of a list that the row keeps, with its changes by address, followed by the items that it adds.
merged(items, row, list, key) := array.concat(
	[object.union(item, under(key, changes[item.address])) | some item in all; changes[item.address]],
	[item | some item in all; not changes[item.address]],
) if {
	changes := object.get(row, list, {})
	known := {item.address | some item in items}
	added := [instance(address) | some address, _ in changes; not address in known]
	all := [item | some item in array.concat(items, added); stays(row, item.address)]
}

under("", value) := object.union({"provider_config_key": "vsla"}, value)

under(key, value) := {key: value} if key != ""

stays(row, _) if count(object.get(row, "only", [])) == 0

stays(row, address) if address in row.only

stays(_, address) if not contains(address, "vsla_")

# The plan's JSON for an address, without values.
instance(address) := object.union(
	{
		"address": address,
		"mode": mode(address),
		"type": split(regex.replace(address, `^(module\.[^.]+\.)*(data\.)?`, ""), ".")[0],
		"provider_name": "registry.terraform.io/vsla/vsla",
	},
	{"index": key | some key in array.slice(split(address, `"`), 1, 2)},
)

mode(address) := "data" if startswith(address, "data.")

else := "managed"

# If the row's `expected` replaces the compliance, the settings promise the RPO of the replication.
gate_of(row) := {key: value |
	some key, value in object.union(object.union(gate, promises(row)), object.get(row, "gate", {}))
	value != null
}

promises(row) := {"promises": [{"address": "vsla_replication.db", "rpo_minutes": 15}]} if row.gate.expected != null

else := {}

# --- testdata/mutations.yaml: every value that the gate relies on, missing, null, of another type, or bad

deny contains sprintf("passes: %v", [patches]) if {
	some patches in mutations
	not denied(patches)
}

denied(patches) if count(codes(json.patch(base, patches), gate)) > 0

deny contains sprintf("the plan of testdata/everything is denied: %v", [found]) if {
	found := codes(base, gate)
	found != set()
}

deny contains sprintf("%d mutations, want at least 150", [count(mutations)]) if count(mutations) < 150

deny contains sprintf("the plan has no %s", [kind]) if {
	some kind, _ in data.cases.mutations.results
	count([i | some i, _ in of_type(kind)]) == 0
}

of_type(kind) := {i: record |
	some i, record in base.prior_state.values.root_module.resources
	record.mode == "data"
	record.type == kind
}

remove(path) := {"op": "remove", "path": path}

append(path, value) := {"op": "add", "path": sprintf("%s/-", [path]), "value": value}

mutations contains [replace(path, value)] if {
	some path, bad in values
	some value in array.concat([null, "?", {"x": "y"}, [[]]], bad)
	not may_miss(path, value)
}

mutations contains [remove(path)] if {
	some path, _ in values
	not may_miss(path, null)
}

may_miss(path, null) if {
	some i, record in base.prior_state.values.root_module.resources
	some name in data.cases.mutations.optional
	startswith(name, sprintf("%s.", [record.type]))
	path == sprintf("%s/%d/values/%s", [records_path, i, split(name, ".")[1]])
}

values[sprintf("%s/%d/values/%s", [records_path, i, key])] := bad if {
	some kind, keys in data.cases.mutations.results
	some i, _ in of_type(kind)
	some key, bad in keys
}

values[sprintf("/planned_values/outputs/%s/value/%s", [name, key])] := bad if {
	some name, keys in data.cases.mutations.outputs
	some key, bad in keys
}

values[sprintf("%s/%d/values/virtual_machines/vm-42/promised_rpo_minutes", [records_path, i])] := [14, 5] if {
	some i, _ in of_type("vsla_sla_compliance")
}

values[sprintf("%s/change/after/%s", [replication, key])] := bad if {
	some key, bad in {
		"rpo_minutes": [16, 60],
		"vm_id": ["VirtualMachine:vm-4:x", "VirtualMachine:vm-421:x"],
		"pairing_id": ["another"],
	}
}

values[sprintf("/checks/%d/status", [i])] := ["fail", "error", "unknown"] if some i, _ in base.checks

replication := sprintf("/resource_changes/%d", [i]) if {
	some i, change in base.resource_changes
	change.type == "vsla_replication"
}

mutations contains [replace(sprintf("%s/change/after/paused", [replication]), "true")]

mutations contains [remove(path)] if some path in {replication, sprintf("%s/change/after", [replication])}

mutations contains [remove(sprintf("%s/%s", [replication, key]))] if some key in ["mode", "type", "address", "change"]

mutations contains patches if {
	some i, record in base.prior_state.values.root_module.resources
	record.mode == "data"
	at := sprintf("%s/%d", [records_path, i])
	waits := append("/resource_changes", object.union(object.remove(record, ["values"]), {
		"action_reason": "read_because_dependency_pending",
		"change": {"actions": ["read"], "before": null, "after": {}, "after_unknown": {"verdict": true}},
	}))
	some patches in array.concat(
		[[remove(at)], [replace(sprintf("%s/values", [at]), null)], [remove(at), waits], [waits]],
		[[remove(sprintf("%s/%s", [at, key]))] | some key in ["mode", "type", "address", "provider_name", "values"]],
	)
}

mutations contains [remove(path)] if {
	some name, _ in data.cases.mutations.outputs
	some path in [sprintf("/planned_values/outputs/%s", [name]), sprintf("/planned_values/outputs/%s/value", [name])]
}

mutations contains [remove(path)] if {
	some i, _ in base.checks
	some path in ["/checks", sprintf("/checks/%d", [i]), sprintf("/checks/%d/address", [i])]
}

mutations contains [patch] if {
	some key in ["format_version", "errored", "configuration", "planned_values", "prior_state", "resource_changes"]
	path := sprintf("/%s", [key])
	some patch in [remove(path), replace(path, null), replace(path, "?")]
}

mutations contains [{"op": "add", "path": "/complete", "value": "true"}]

# OpenTofu plans have no `complete`.
mutations contains array.concat([remove("/complete") | "complete" in object.keys(base)], [remove(path)]) if {
	some path in ["/output_changes", "/output_changes/move", "/configuration/root_module/outputs"]
}

# --- testdata/tricks.yaml: inputs that flatter a verdict

# The codes denied, by kind of gate and address.
tricked[kind] := {address: {d.code | some d in found; d.address == address} | some address, _ in sources} if {
	some kind in ["bare", "bounded"]
	expected := [object.union({"address": address}, bounds_of(kind, source)) | some address, source in sources]
	links := [{"address": address, "concurrent_migrations": 4} | some address, source in sources; source.of.link]
	found := vsla.deny with input as data.real.tricks with data.gate as {"expected": expected, "vmotion_links": links}
}

bounds_of("bare", _) := {}

bounds_of("bounded", source) := source.of.bounds

sources[sprintf("data.%s.%s", [source.kind, name])] := {"of": source, "honest": source.bad} if {
	some name, source in data.cases.tricks.honest
}

sources[sprintf("data.%s.%s", [source.kind, replace_spaces(trick.name)])] := {"of": source, "trick": trick.code} if {
	some trick in data.cases.tricks.tricks
	source := data.cases.tricks.honest[trick.of]
}

replace_spaces(name) := replaced if replaced := concat("_", split(name, " "))

deny contains sprintf("honest %s: denied %v, want %s", [address, tricked[kind][address], source.honest]) if {
	some address, source in sources
	some kind in ["bare", "bounded"]
	not source.honest in tricked[kind][address]
}

deny contains sprintf("honest %s is out of its bounds", [address]) if {
	some address, source in sources
	source.honest
	"input_out_of_bounds" in tricked.bounded[address]
}

deny contains sprintf("%s does not flatter its verdict: %v", [address, tricked.bare[address]]) if {
	some address, source in sources
	source.trick
	tricked.bare[address] != set()
}

deny contains sprintf("trick %s: denied %v, want %s", [address, tricked.bounded[address], source.trick]) if {
	some address, source in sources
	not source.trick in tricked.bounded[address]
}

# --- bounds in the example's settings: each one is required

example := data.cases.settings.example.gate

bounds contains path if {
	walk(example.expected, [path, value])
	not is_object(value)
	not path[1] in {"address", "type"}
	count(path) > 1
}

deny contains sprintf("%d bounds, want at least 18", [count(bounds)]) if count(bounds) < 18

deny contains sprintf("without %v: denied %v, want unbounded", [path, found]) if {
	some path in bounds
	found := codes(data.real.example, json.patch(example, [{"op": "remove", "path": array.concat(["expected"], path)}]))
	not "unbounded" in found
}

deny contains "the example is denied by its settings" if codes(data.real.example, example) != set()

deny contains sprintf("of another provider: denied %v", [found]) if {
	found := codes(
		json.patch(data.real.example, [
		replace(sprintf("%s/%d/provider_name", [records_path, i]), "registry.terraform.io/elsewhere/vsla") |
			some i, _ in data.real.example.prior_state.values.root_module.resources
		]),
		example,
	)
	found != {"foreign_provider"}
}
