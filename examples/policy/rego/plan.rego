# Reads the output of `terraform show -json PLAN` or `tofu show -json PLAN`.
#
# A data source that was read during plan is only in prior_state, one that is read during apply only in
# resource_changes, and a function result only in the output that uses it. A missing key never counts as a good value.
# Note that `not is_number(x.key)` is undefined, not true, if the key is missing, because OPA looks up arguments before
# the negation. Therefore the rules negate only functions that take whole records, and read keys with `value`, which is
# always defined.
package vsla.plan

# The value of a key, or null.
value(object, key) := found if found := object[key]

else := null

# Data source types whose results are judged wherever they occur.
judged contains type if some type in judging

# A history contains no promise, so it is judged only if the settings require a minimum.
judged contains "vsla_replication_history" if is_number(data.vsla.settings.min_compliance_percent)

judging := {
	"vsla_configuration_limits",
	"vsla_migration_plan",
	"vsla_replica_storage",
	"vsla_replication_confidence",
	"vsla_replication_estimate",
	"vsla_replication_schedule",
	"vsla_sla_compliance",
	"vsla_sla_plan",
	"vsla_vmotion_estimate",
}

# Types that are judged only if the settings expect them.
judged_on_request := {"vsla_latency_impact", "vsla_replication_calibration", "vsla_replication_history"}

# The provider's addresses in the public registries.
providers := {"registry.terraform.io/vsla/vsla", "registry.opentofu.org/vsla/vsla"}

# Records of the root module and its child modules. Only module paths are followed, because a resource value can have
# any form, including {"resources": [...]}.
records contains record if {
	walk(input.prior_state.values.root_module, [path, module])
	is_array(module.resources)
	every i, step in path {
		module_step(i % 2, step, ["child_modules"])
	}
	some record in module.resources
}

# Configuration blocks with their addresses relative to the root module.
blocks contains object.union(block, {"address": concat("", [module_prefix(path), block.address])}) if {
	walk(input.configuration.root_module, [path, module])
	is_array(module.resources)
	every i, step in path {
		module_step(i % 3, step, ["module_calls", "", "module"])
	}
	some block in module.resources
}

# One step of the path to a module: a key, or a module's index or name.
module_step(i, step, keys) if step == keys[i]

module_step(1, _, _)

# Data sources of any provider that were read, one record per instance.
sources contains record if {
	some record in records
	record.mode == "data"
}

# Known results of this provider.
known contains record if {
	some record in sources
	startswith(record.type, "vsla_")
}

known_addresses := {record.address | some record in known}

# Addresses by which the settings can refer to known results.
known_names := {name | some record in known; some name in names_of(record.address)}

# Results that are known only after apply. A data source inside a check block is read twice; the value from plan counts.
pending contains change if {
	some change in input.resource_changes
	change.mode == "data"
	change.type in judged
	not nested_in_check(change)
}

# Everything that the settings expect must be known as well.
pending contains change if {
	some change in input.resource_changes
	change.mode == "data"
	some item in data.vsla.settings.expected
	means(item.address, change.address)
	not nested_in_check(change)
}

# Terraform does not list deferred changes in resource_changes.
pending contains deferred.resource_change if {
	some deferred in input.deferred_changes
	deferred.resource_change.type in judged
}

nested_in_check(change) if {
	change.action_reason == "read_because_check_nested"
	change.address in known_addresses
}

# Data sources that the configuration declares, to detect results that are nowhere in the plan.
declared contains block.address if {
	some block in blocks
	block.mode == "data"
	block.type in judged
}

# The references in an argument of a block, such as `data.vsla_virtual_machines.tier` or `each.key`.
references(address, argument) := {reference |
	some block in blocks
	block.address == block_address(address)
	walk(block.expressions[argument], [_, expression])
	some reference in expression.references
}

# The module path of an address without keys, such as "module.a.module.b.". `outer` removes the innermost module.
module_path(address) := concat("", regex.find_n(`^(?:module\.[^.]+\.)+`, block_address(address), 1))

outer(path) := regex.replace(path, `module\.[^.]+\.$`, "")

# The references in a module call's argument.
given(path, name) := {reference |
	some call in calls[path]
	walk(call.expressions[name], [_, expression])
	some reference in expression.references
}

calls[concat("", [module_prefix(path), "module.", name, "."])] contains call if {
	walk(input.configuration.root_module, [path, module])
	is_object(module.module_calls)
	every i, step in path {
		module_step(i % 3, step, ["module_calls", "", "module"])
	}
	some name, call in module.module_calls
}

# ["module_calls", "dr", "module"] becomes "module.dr.".
module_prefix(path) := concat("", [sprintf("module.%s.", [path[i + 1]]) |
	some i, step in path
	step == "module_calls"
	i % 3 == 0
])

# An address without keys: module.dr["a"].data.vsla_x.y[0] becomes module.dr.data.vsla_x.y.
block_address(address) := regex.replace(address, `\["(?:[^"\\]|\\.)*"\]|\[[0-9]+\]`, "")

# An address without its module path, as references inside the module use it.
local_address(address) := regex.replace(address, `^(module\.[^.]+\.)+`, "")

# The module instance of an address: module.dr["a"] for module.dr["a"].data.vsla_x.y.
module_of(address) := regex.replace(address, `(^|\.)data\.[^.]+\.[^.\[]+(\[.*\])?$`, "")

# The type of a data source or resource, from its address with or without keys.
type_of(address) := type if {
	steps := split(local_address(block_address(address)), ".")
	steps[0] == "data"
	type := steps[1]
}

type_of(address) := type if {
	[type, _] := split(local_address(block_address(address)), ".")
	startswith(type, "vsla_")
}

# The provider's resources after the plan, with their known values.
managed contains {
	"address": change.address,
	"type": change.type,
	"index": value(change, "index"),
	"values": change.change.after,
} if {
	some change in input.resource_changes
	change.mode == "managed"
	startswith(change.type, "vsla_")
	change.change.after != null
}

managed contains {
	"address": record.address,
	"type": record.type,
	"index": value(record, "index"),
	"values": value(record, "values"),
} if {
	some record in records
	record.mode == "managed"
	startswith(record.type, "vsla_")
	not record.address in changed_resources
}

changed_resources contains change.address if some change in input.resource_changes

# The addresses by which the settings can refer to an instance: its own and its block's.
names_of(address) := {address, block_address(address)}

# Whether an address in the settings refers to this instance or to its whole block.
means(named, address) if named == address

means(named, address) if named == block_address(address)

# Replications after the plan, changed or not, by VM and pairing. A refresh-only plan lists no changes, so replications
# without a change are read from the state.
replications_by := by_protection # a complete rule, so that OPA looks up keys without a search

by_protection[protection(replication.values)] contains replication if some replication in replications

replications contains {
	"address": value(change, "address"),
	"values": value(value(change, "change"), "after"),
	"unknown": value(value(change, "change"), "after_unknown"),
} if {
	some change in replication_changes
	not removes(change)
}

replications contains {"address": value(record, "address"), "values": value(record, "values"), "unknown": {}} if {
	some record in records
	record.mode == "managed"
	record.type == "vsla_replication"
	not in_changes(record)
}

# Actions that run during apply, including deferred ones.
every_invocation contains invocation if some invocation in input.action_invocations

every_invocation contains deferred.action_invocation if some deferred in input.deferred_action_invocations

invocations contains invocation if {
	some invocation in every_invocation
	startswith(invocation.type, "vsla_")
}

in_changes(record) if record.address in changed_replications

changed_replications contains change.address if some change in replication_changes

# Replications whose VM is no longer replicated with this pairing: deleted, forgotten, or replaced by a replication of
# another VM.
removed contains change if {
	some change in replication_changes
	change.change.actions != ["create"]
	not replications_by[protection(value(change.change, "before"))]
}

# The key of replications_by.
protection(values) := {"vm_id": value(values, "vm_id"), "pairing_id": value(values, "pairing_id")}

replication_changes contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type == "vsla_replication"
}

removes(change) if {
	some action in change.change.actions
	action in {"delete", "forget"}
	not "create" in change.change.actions
}

# Defects of the whole plan. If there is one, nothing in the plan can be trusted.
defects contains {
	"code": "not_a_plan",
	"msg": "the input is not a plan in JSON, as written by `terraform show -json PLANFILE`",
} if {
	not is_plan
}

is_plan if {
	startswith(input.format_version, "1.")
	is_object(input.configuration.root_module)
	is_object(input.planned_values)
}

defects contains {"code": "errored", "msg": "planning failed, or the plan does not state that it succeeded"} if {
	is_plan
	not planned
}

planned if input.errored == false

defects contains {
	"code": "partial",
	"msg": "the plan is partial (-target, -exclude or deferred changes): other results date from the last run",
} if {
	is_plan
	not whole
}

# Terraform 1.8 and later set `complete`. OpenTofu does not, but omits outputs from a partial plan.
whole if input.complete == true

whole if {
	not "complete" in object.keys(input)
	outputs := object.keys(input.configuration.root_module.outputs)
	count(outputs) > 0
	count(outputs - object.keys(input.output_changes)) == 0
}

# Another provider can have types with the same names and return any verdict.
defects contains {"code": "foreign_provider", "msg": message} if {
	some record in of_vsla
	not of_our_provider(record)
	found := [value(record, "address"), value(record, "provider_name")]
	message := sprintf("%v belongs to provider %v, not to vsla/vsla", found)
}

of_vsla contains record if some record in known

of_vsla contains change if {
	some change in input.resource_changes
	startswith(change.type, "vsla_")
}

of_vsla contains invocation if some invocation in invocations

of_our_provider(record) if record.provider_name in (providers | data.vsla.settings.providers)

# Another provider configuration can read another vCenter. The default configuration takes its server from the
# environment.
defects contains {"code": "provider_config", "msg": message} if {
	some block in blocks
	startswith(block.type, "vsla_")
	not configured(block)
	found := [block.address, value(block, "provider_config_key")]
	message := sprintf("%s uses the provider configuration %v, which the settings do not allow for this block", found)
}

configured(block) if block.provider_config_key == "vsla"

# A module without its own provider configuration takes everything from the environment.
configured(block) if {
	endswith(block.provider_config_key, ":vsla")
	not "expressions" in object.keys(input.configuration.provider_config[block.provider_config_key])
}

configured(block) if block.address in data.vsla.settings.provider_configs[block.provider_config_key]

defects contains {"code": "provider_config", "msg": message} if {
	some key, config in input.configuration.provider_config
	config.full_name in (providers | data.vsla.settings.providers)
	some argument in ["vsphere_server", "allow_unverified_ssl", "ca_file", "replication", "data_protection"]
	argument in object.keys(config.expressions)
	not harmless(argument, config.expressions[argument])
	not pipelined(argument, config.expressions[argument])
	says := "from the configuration: use the environment, or a variable without a default"
	message := sprintf("the provider configuration %s takes %s %s", [key, argument, says])
}

# Certificate verification stays on.
harmless("allow_unverified_ssl", expression) if expression.constant_value in {false, null}

# A block without a server. If a block contains references, the plan does not show its constants.
harmless(argument, expression) if {
	argument in {"replication", "data_protection"}
	is_object(expression.constant_value)
	object.get(expression.constant_value, "server", null) == null
}

pipelined(argument, expression) if {
	not argument in {"replication", "data_protection"}
	from_pipeline(expression)
}

from_pipeline(expression) if {
	count(expression.references) > 0
	every reference in expression.references {
		startswith(reference, "var.")
		variable := input.configuration.root_module.variables[trim_prefix(reference, "var.")]
		not "default" in object.keys(variable)
	}
}

# A function result is computed, so a constant in the configuration cannot be one.
defects contains {"code": "forged", "msg": message} if {
	some item in data.vsla.settings.expected
	data.vsla.settings.is_output(item.address)
	output := input.configuration.root_module.outputs[trim_prefix(item.address, "output.")]
	"constant_value" in object.keys(output.expression)
	message := sprintf("%s is a constant, not a function result", [item.address])
}

defects contains {"code": "destroys", "msg": "the plan destroys everything, including what was promised"} if {
	is_plan
	object.get(input.planned_values.root_module, "resources", []) == []
	object.get(input.planned_values.root_module, "child_modules", []) == []
	some change in input.resource_changes
	"delete" in change.change.actions
}
