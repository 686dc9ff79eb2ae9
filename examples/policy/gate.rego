# For those who run OPA. `input` is the decision of `vsla gate --format json`. Where only a plan is at hand, as in HCP
# Terraform, it is the plan's JSON: then a plan is denied unless all results of vsla have a good verdict. Only the
# decision compares with settings, and with what was before.
#
#   vsla gate tfplan.json --settings policy.yaml --format json > decision.json
#   opa eval --strict-builtin-errors --fail --data gate.rego --input decision.json data.vsla.allow
package vsla

# Defined only if it is true, so that `opa eval --fail` also fails if this file is missing.
allow if {
	input.format_version
	count(deny) == 0
}

is_decision if is_boolean(input.passes)

deny contains denial if {
	is_decision
	input.passes == false
	some finding in input.denied
	denial := {
		"code": finding.code,
		"msg": sprintf("%s %s (code %s)", [finding.subject, finding.message, finding.code]),
	}
}

deny contains {"code": "denied", "msg": input.headline} if {
	is_decision
	input.passes != true
}

deny contains {"code": "unknown", "msg": "the decision contradicts itself"} if {
	is_decision
	input.passes == true
	count(object.get(input, "denied", [1])) > 0
}

is_plan if is_object(input.planned_values)

deny contains {"code": "not_a_plan", "msg": "the input is neither a decision nor a plan"} if {
	not is_decision
	not is_plan
}

deny contains {"code": "errored", "msg": "the plan failed, or does not state that it succeeded"} if {
	is_plan
	not input.errored == false
}

deny contains {"code": "partial", "msg": "the plan is partial"} if {
	is_plan
	input.complete == false
}

# Only module paths are followed: the values of a resource can have any form.
results contains record if {
	walk(input.prior_state.values.root_module, [path, module])
	every i, step in path {
		module_step(i % 2, step)
	}
	some record in module.resources
	record.mode == "data"
	startswith(record.type, "vsla_")
}

module_step(0, "child_modules")

module_step(1, _)

# The results with a verdict.
judged := {
	"vsla_configuration_limits",
	"vsla_migration_plan",
	"vsla_replication_estimate",
	"vsla_sla_plan",
	"vsla_vmotion_estimate",
}

providers := {"registry.terraform.io/vsla/vsla", "registry.opentofu.org/vsla/vsla"}

deny contains {"code": "verdict", "msg": sprintf("%s does not have the verdict meets", [record.address])} if {
	is_plan
	some record in results
	judged[record.type]
	object.get(record, ["values", "verdict"], null) != "meets"
}

deny contains {"code": "verdict", "msg": sprintf("%s is not compliant", [record.address])} if {
	is_plan
	some record in results
	record.type == "vsla_sla_compliance"
	object.get(record, ["values", "compliant"], null) != true
}

deny contains {"code": "foreign_provider", "msg": sprintf("%s belongs to another provider", [record.address])} if {
	is_plan
	some record in results
	not object.get(record, "provider_name", null) in providers
}

deny contains {"code": "no_result", "msg": "the plan contains no result of vsla_sla_plan"} if {
	is_plan
	count([record | some record in results; record.type == "vsla_sla_plan"]) == 0
}

deny contains {"code": "unknown", "msg": sprintf("%s is not known during plan", [change.address])} if {
	is_plan
	some change in object.get(input, "resource_changes", [])
	change.mode == "data"
	judged[change.type]
	not change.address in {record.address | some record in results}
}
