package vsla_test

import data.vsla

passed := {"format_version": "1.0", "passes": true, "denied": [], "headline": "Passes."}

test_decision if {
	vsla.allow with input as passed
	not vsla.allow with input as {}
	not vsla.allow with input as object.union(passed, {"passes": "true"})
	not vsla.allow with input as object.union(passed, {"passes": false, "denied": [{"code": "at_risk", "subject": "gold", "message": "is at risk"}]})
	not vsla.allow with input as object.union(passed, {"denied": [{"code": "at_risk", "subject": "gold", "message": "is at risk"}]})
	not vsla.allow with input as object.remove(passed, ["denied"])
}

result(type, values) := {
	"address": sprintf("data.%s.x", [type]), "mode": "data", "type": type,
	"provider_name": "registry.terraform.io/vsla/vsla", "values": values,
}

plan(results) := {
	"format_version": "1.2", "errored": false, "complete": true, "planned_values": {},
	"prior_state": {"values": {"root_module": {"child_modules": [{"resources": results}]}}},
}

met := result("vsla_sla_plan", {"verdict": "meets"})

test_plan if {
	vsla.allow with input as plan([met])
	not vsla.allow with input as plan([])
	not vsla.allow with input as plan([met, result("vsla_vmotion_estimate", {"verdict": "at_risk"})])
	not vsla.allow with input as plan([result("vsla_sla_plan", {})])
	not vsla.allow with input as plan([met, result("vsla_sla_compliance", {"compliant": null})])
	not vsla.allow with input as plan([object.union(met, {"provider_name": "registry.terraform.io/else/vsla"})])
	not vsla.allow with input as object.union(plan([met]), {"errored": true})
	not vsla.allow with input as object.union(plan([met]), {"complete": false})
	not vsla.allow with input as object.union(plan([met]), {"resource_changes": [{"address": "data.vsla_sla_plan.y", "mode": "data", "type": "vsla_sla_plan"}]})
}
