# How the kit reads `terraform show -json PLAN` (or `tofu show -json PLAN`).
#
# A data source that was read at plan time is found in prior_state only, one that has to wait in resource_changes only,
# a function's result in the output that it feeds. A key that is missing is never taken for a good answer. Beware: with
# a missing key, `not is_number(x.key)` is undefined and not true, because arguments are looked up before the negation.
# So the rules negate only functions of whole records, and read with `value`, which always has an answer.
package vsla.plan

# The value of a key, or null.
value(object, key) := found if found := object[key]

else := null

# Data sources whose results the gate judges wherever they stand.
judged contains type if some type in judging

# A history is a measurement without a promise: the settings say how much it has to show.
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

# Those that it judges where the settings expect them.
judged_on_request := {"vsla_latency_impact", "vsla_replication_calibration", "vsla_replication_history"}

# The provider as the registries name it.
providers := {"registry.terraform.io/vsla/vsla", "registry.opentofu.org/vsla/vsla"}

# The records of the root module and of its child modules. A value of a resource can have any form, {"resources": [...]}
# too, so that only the paths of modules are followed.
records contains record if {
	walk(input.prior_state.values.root_module, [path, module])
	is_array(module.resources)
	every i, step in path {
		module_step(i % 2, step, ["child_modules"])
	}
	some record in module.resources
}

# The blocks of the configuration, with their addresses from the root module.
blocks contains object.union(block, {"address": concat("", [module_prefix(path), block.address])}) if {
	walk(input.configuration.root_module, [path, module])
	is_array(module.resources)
	every i, step in path {
		module_step(i % 3, step, ["module_calls", "", "module"])
	}
	some block in module.resources
}

# A step of a path to a module: a key, or the index or name of a module.
module_step(i, step, keys) if step == keys[i]

module_step(1, _, _)

# Data sources that were read, of any provider, one record for each instance.
sources contains record if {
	some record in records
	record.mode == "data"
}

# Results that are known.
known contains record if {
	some record in sources
	startswith(record.type, "vsla_")
}

known_addresses := {record.address | some record in known}

# The addresses by which the settings name known results.
known_names := {name | some record in known; some name in names_of(record.address)}

# Results that will be known only when the plan is applied. A source inside a check block is read twice: its current
# value counts.
pending contains change if {
	some change in input.resource_changes
	change.mode == "data"
	change.type in judged
	not nested_in_check(change)
}

# What the settings expect has to be known as well, whatever it is.
pending contains change if {
	some change in input.resource_changes
	change.mode == "data"
	some item in data.vsla.settings.expected
	means(item.address, change.address)
	not nested_in_check(change)
}

# Terraform's deferred changes are not in resource_changes.
pending contains deferred.resource_change if {
	some deferred in input.deferred_changes
	deferred.resource_change.type in judged
}

nested_in_check(change) if {
	change.action_reason == "read_because_check_nested"
	change.address in known_addresses
}

# The blocks that the configuration declares, so that a result that is nowhere is missed.
declared contains block.address if {
	some block in blocks
	block.mode == "data"
	block.type in judged
}

# What the configuration refers to in an argument of a block: `data.vsla_virtual_machines.tier`, `each.key`.
references(address, argument) := {reference |
	some block in blocks
	block.address == block_address(address)
	walk(block.expressions[argument], [_, expression])
	some reference in expression.references
}

# The modules of an address without their keys: "module.a.module.b.", and those around the innermost.
module_path(address) := concat("", regex.find_n(`^(?:module\.[^.]+\.)+`, block_address(address), 1))

outer(path) := regex.replace(path, `module\.[^.]+\.$`, "")

# What the call of a module refers to for a variable.
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

# ["module_calls", "dr", "module"] is "module.dr.".
module_prefix(path) := concat("", [sprintf("module.%s.", [path[i + 1]]) |
	some i, step in path
	step == "module_calls"
	i % 3 == 0
])

# An address without its keys: module.dr["a"].data.vsla_x.y[0] is module.dr.data.vsla_x.y.
block_address(address) := regex.replace(address, `\["(?:[^"\\]|\\.)*"\]|\[[0-9]+\]`, "")

# An address without its modules, as a configuration refers to it.
local_address(address) := regex.replace(address, `^(module\.[^.]+\.)+`, "")

# The module instance of an address: module.dr["a"].data.vsla_x.y is in module.dr["a"].
module_of(address) := regex.replace(address, `(^|\.)data\.[^.]+\.[^.\[]+(\[.*\])?$`, "")

# The type of the data source or resource that an address names, with or without keys.
type_of(address) := type if {
	steps := split(local_address(block_address(address)), ".")
	steps[0] == "data"
	type := steps[1]
}

type_of(address) := type if {
	[type, _] := split(local_address(block_address(address)), ".")
	startswith(type, "vsla_")
}

# The provider's resources as they are after the plan, with what is known of them.
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

# The addresses by which the settings name an instance: its own, and that of its block.
names_of(address) := {address, block_address(address)}

# Whether an address in the settings means this instance: it names the instance, or all of its block.
means(named, address) if named == address

means(named, address) if named == block_address(address)

# Replications as they are after the plan, whether or not it changes them, by VM and pairing. A refresh-only plan lists
# no changes.
replications_by := by_protection # as a whole, in which a look-up takes no search

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

# Actions that apply will run, with those that Terraform defers.
every_invocation contains invocation if some invocation in input.action_invocations

every_invocation contains deferred.action_invocation if some deferred in input.deferred_action_invocations

invocations contains invocation if {
	some invocation in every_invocation
	startswith(invocation.type, "vsla_")
}

in_changes(record) if record.address in changed_replications

changed_replications contains change.address if some change in replication_changes

# Replications whose VM has none with this pairing after the plan: deleted, forgotten, or replaced by one of another VM.
removed contains change if {
	some change in replication_changes
	change.change.actions != ["create"]
	not replications_by[protection(value(change.change, "before"))]
}

# The VM and the pairing of a replication.
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

# What is wrong with the plan as a whole: then nothing in it can be trusted.
defects contains {
	"code": "not_a_plan",
	"msg": "this is not the JSON of a plan, which comes from `terraform show -json PLANFILE`",
} if {
	not is_plan
}

is_plan if {
	startswith(input.format_version, "1.")
	is_object(input.configuration.root_module)
	is_object(input.planned_values)
}

defects contains {"code": "errored", "msg": "planning ended with an error, or does not say that it did not"} if {
	is_plan
	not planned
}

planned if input.errored == false

defects contains {
	"code": "partial",
	"msg": "the plan is partial (-target, -exclude or deferred changes): other results are as old as the last run",
} if {
	is_plan
	not whole
}

# Terraform 1.8 and later say it. OpenTofu does not, but leaves outputs out of a plan that is partial.
whole if input.complete == true

whole if {
	not "complete" in object.keys(input)
	outputs := object.keys(input.configuration.root_module.outputs)
	count(outputs) > 0
	count(outputs - object.keys(input.output_changes)) == 0
}

# Another provider can have types of the same names and any verdict.
defects contains {"code": "foreign_provider", "msg": message} if {
	some record in of_vsla
	not of_our_provider(record)
	found := [value(record, "address"), value(record, "provider_name")]
	message := sprintf("%v is of the provider %v, and not of vsla/vsla", found)
}

of_vsla contains record if some record in known

of_vsla contains change if {
	some change in input.resource_changes
	startswith(change.type, "vsla_")
}

of_vsla contains invocation if some invocation in invocations

of_our_provider(record) if record.provider_name in (providers | data.vsla.settings.providers)

# Another configuration of the provider can read another vCenter. The default one takes its server from the environment.
defects contains {"code": "provider_config", "msg": message} if {
	some block in blocks
	startswith(block.type, "vsla_")
	not configured(block)
	found := [block.address, value(block, "provider_config_key")]
	message := sprintf("%s uses the provider configuration %v, which the settings do not allow there", found)
}

configured(block) if block.provider_config_key == "vsla"

# A module without a configuration takes everything from the environment.
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

# Verification stays on.
harmless("allow_unverified_ssl", expression) if expression.constant_value in {false, null}

# A block without its server. One with references does not show its constants.
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

# The result of a function is computed. A value that is written down in the configuration is no result.
defects contains {"code": "forged", "msg": message} if {
	some item in data.vsla.settings.expected
	data.vsla.settings.is_output(item.address)
	output := input.configuration.root_module.outputs[trim_prefix(item.address, "output.")]
	"constant_value" in object.keys(output.expression)
	message := sprintf("%s is a constant, and not the result of a function", [item.address])
}

defects contains {"code": "destroys", "msg": "the plan destroys everything, and with it what was promised"} if {
	is_plan
	object.get(input.planned_values.root_module, "resources", []) == []
	object.get(input.planned_values.root_module, "child_modules", []) == []
	some change in input.resource_changes
	"delete" in change.change.actions
}
