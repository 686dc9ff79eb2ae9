# Unit tests of the gate on the smallest plan that passes; run by `opa test` and `conftest verify`. Tests on real plans
# are in internal/dev/test/policytest.
package vsla_test

import data.vsla
import data.vsla.plan
import data.vsla.settings

ours := "registry.terraform.io/vsla/vsla"

estimate := {
	"address": "data.vsla_replication_estimate.gold",
	"mode": "data",
	"type": "vsla_replication_estimate",
	"name": "gold",
	"provider_name": ours,
	"values": {
		"verdict": "meets",
		"meets_rpo": true,
		"violation_free": true,
		"rpo_minutes": 15,
		"vm_count": 15,
		"daily_change_percent": 5,
		"throughput_mbps": 900,
		"summary": "Fine.",
	},
}

at_risk := {"verdict": "at_risk", "meets_rpo": true, "violation_free": false, "rpo_minutes": 15, "summary": "Tight."}

missed := {"verdict": "misses", "meets_rpo": false, "violation_free": false, "rpo_minutes": 15, "summary": "Late."}

good := {
	"format_version": "1.2",
	"errored": false,
	"complete": true,
	"planned_values": {"root_module": {"resources": [{"address": "terraform_data.x"}]}},
	"prior_state": {"values": {"root_module": {"resources": [estimate]}}},
	"resource_changes": [],
	"configuration": {"root_module": {"resources": [block("vsla_replication_estimate", "gold")]}},
}

block(type, name) := {"address": sprintf("data.%s.%s", [type, name]), "mode": "data", "type": type, "provider_config_key": "vsla"}

gate := {"expected": [{"address": "data.vsla_replication_estimate.gold", "max_rpo_minutes": 15}]}

waiver := {
	"name": "second link",
	"address": "data.vsla_replication_estimate.gold",
	"code": "at_risk",
	"reason": "the second link is ordered",
	"approved_by": "capacity board",
	"expires": "2026-12-31",
}

# The good plan with other values for the estimate.
with_values(values) := json.patch(good, [{
	"op": "replace",
	"path": "prior_state/values/root_module/resources/0/values",
	"value": values,
}])

# The gate with waivers on a given day.
waiving(waivers, today) := object.union(gate, {"waivers": waivers, "approvers": [waiver.approved_by], "today": today})

# The codes of all denials.
codes(p, g) := {d.code | some d in vsla.deny with input as p with data.gate as g}

test_good_plan_passes if {
	vsla.allow with input as good with data.gate as gate
	codes(good, gate) == set()
}

test_default_namespace_denies_too if {
	found := data.main.deny with input as {} with data.gate as gate
	count(found) > 0
}

test_missed_rpo if codes(with_values(missed), gate) == {"rpo_missed"}

test_at_risk if codes(with_values(at_risk), gate) == {"at_risk"}

test_denied_plan_is_not_allowed if not vsla.allow with input as with_values(missed) with data.gate as gate

test_verdict_that_contradicts_itself if {
	codes(with_values(object.union(missed, {"verdict": "meets"})), gate) == {"unknown"}
}

test_verdict_of_another_type if {
	texts := {"verdict": true, "meets_rpo": "true", "violation_free": "true", "rpo_minutes": 15}
	codes(with_values(texts), gate) == {"unknown"}
}

test_values_missing if codes(with_values(null), gate) == {"unknown", "weaker_than_tier"}

test_estimate_for_a_weaker_promise if {
	codes(with_values(object.union(estimate.values, {"rpo_minutes": 60})), gate) == {"weaker_than_tier"}
}

test_rpo_as_text_is_no_number if {
	codes(with_values(object.union(estimate.values, {"rpo_minutes": "15"})), gate) == {"weaker_than_tier"}
}

test_waiver_holds_on_its_last_day if {
	g := waiving([waiver], "2026-12-31")
	codes(with_values(at_risk), g) == set()
	warned := {w.code | some w in vsla.warn with input as with_values(at_risk) with data.gate as g}
	warned == {"at_risk"}
}

test_waiver_needs_a_real_day if {
	codes(with_values(at_risk), waiving([waiver], "2026-02-30")) == {"at_risk", "settings"}
}

test_missed_rpo_cannot_be_waived if {
	g := waiving([object.union(waiver, {"code": "rpo_missed"})], "2026-12-31")
	codes(with_values(missed), g) == {"rpo_missed", "settings"}
}

test_waiver_needs_every_key if {
	every key in object.keys(waiver) {
		g := waiving([object.remove(waiver, [key])], "2026-12-31")
		codes(with_values(at_risk), g) == {"at_risk", "settings"}
	}
}

test_waiver_needs_text if {
	every key in object.keys(waiver) {
		g := waiving([object.union(waiver, {key: " "})], "2026-12-31")
		codes(with_values(at_risk), g) == {"at_risk", "settings"}
	}
}

test_end_of_a_replication_can_be_waived if {
	ended := object.union(waiver, {"address": "vsla_replication.db", "code": "protection_removed"})
	g := waiving([ended], "2026-12-31")
	codes(replication(null, {}, ["delete"]), g) == set()
}

test_missing_result_can_be_waived if {
	none := object.union(waiver, {"address": "data.vsla_vmotion_estimate.none", "code": "no_result"})
	added := block("vsla_vmotion_estimate", "none")
	p := json.patch(good, [{"op": "add", "path": "configuration/root_module/resources/-", "value": added}])
	codes(p, gate) == {"no_result"}
	codes(p, waiving([none], "2026-12-31")) == set()
}

test_waiver_names_are_unique if {
	other := object.union(waiver, {"address": "data.vsla_replication_estimate.silver"})
	codes(with_values(at_risk), waiving([waiver, other], "2026-12-31")) == {"settings"}
}

test_settings_missing if codes(good, {}) == {"settings"}

test_nothing_expected if codes(good, {"expected": []}) == {"settings"}

test_misspelt_setting if codes(good, object.union(gate, {"waiver": []})) == {"settings"}

test_misspelt_expectation if {
	codes(good, {"expected": [{"address": "data.vsla_replication_estimate.gold", "rpo": 15}]}) == {"settings"}
	misspelt := {"expected": [{"address": "data.vsla_replication_estimate.gold", "max_rpo": 15}]}
	codes(good, misspelt) == {"input_out_of_bounds", "settings"}
}

test_output_needs_a_type if {
	codes(good, {"expected": [{"address": "output.sla"}]}) == {"settings", "missing"}
}

test_expected_and_not_there if {
	codes(good, {"expected": [{"address": "data.vsla_replication_estimate.silver"}]}) == {"missing"}
}

test_addresses if {
	plan.block_address(`module.dr["a]\"b"].data.vsla_x.y[0]`) == "module.dr.data.vsla_x.y"
	plan.means("module.dr.data.vsla_x.y", `module.dr["a"].data.vsla_x.y["b"]`)
	not plan.means("data.vsla_x.y", `module.dr["a"].data.vsla_x.y["b"]`)
	not plan.means(`data.vsla_x.y["a"]`, `data.vsla_x.y["b"]`)
}

test_declared_blocks_in_modules if {
	inner := {"module_calls": {"module_calls": {"module": {"resources": [block("vsla_sla_compliance", "c")]}}}}
	found := plan.declared with input as {"configuration": {"root_module": {"module_calls": {"dr": {"module": inner}}}}}
	found == {"module.dr.module.module_calls.data.vsla_sla_compliance.c"}
}

test_only_soft_codes_can_be_waived if settings.waivable == {
	"at_risk",
	"disk_excluded",
	"exhausts_before",
	"guard_off",
	"locks",
	"low_compliance",
	"low_headroom",
	"no_result",
	"not_measured",
	"period_broken",
	"protection_removed",
	"resync",
	"runs_a_program",
	"snapshots_deleted",
	"tags_changed",
	"tags_removed",
	"uncovered",
	"weaker_than_tier",
}
