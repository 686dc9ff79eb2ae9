# Unit tests of the checks on data.vsla_sla_plan.
package vsla_test

import data.vsla

promised := {
	"address": "data.vsla_sla_plan.estate",
	"mode": "data",
	"type": "vsla_sla_plan",
	"name": "estate",
	"provider_name": ours,
	"values": {
		"verdict": "meets",
		"links": {"metro": {"throughput_mbps": 900, "throughput_needed_mbps": 400, "headroom_percent": 55}},
		"targets": null,
		"tiers": {"gold": {
			"rpo_minutes": 15, "daily_change_percent": 5, "link": "metro",
			"virtual_machines": {"db-1": {"size_gib": 100}, "db-2": {"size_gib": 50}},
		}},
		"promises": {"gold": {"verdict": "meets", "late_vm_count": 0, "explanations": ["Fine."]}},
	},
}

inventory := {
	"address": "data.vsla_virtual_machines.gold",
	"mode": "data",
	"type": "vsla_virtual_machines",
	"provider_name": ours,
	"values": {
		"name_regex": "^db-",
		"virtual_machines": {"vm-1": {"name": "db-1", "used_gib": 100}, "vm-2": {"name": "db-2", "used_gib": 50}},
	},
}

tagged(objects) := {
	"address": "vsla_tag_association.gold",
	"mode": "managed",
	"type": "vsla_tag_association",
	"provider_name": ours,
	"change": {
		"actions": ["create"], "before": null, "after_unknown": {},
		"after": {"tag_id": "t", "object_ids": objects, "removes": [], "replaces": {}},
	},
}

# A data.vsla_sla_plan with patched values.
of_promises(patches, objects) := json.patch(good, [
	{"op": "replace", "path": "prior_state/values/root_module/resources", "value": [
		json.patch(promised, patches), inventory,
	]},
	{"op": "replace", "path": "resource_changes", "value": [tagged(objects)]},
	{"op": "replace", "path": "configuration/root_module/resources", "value": [object.union(
		block("vsla_sla_plan", "estate"),
		{"expressions": {"tiers": {"references": ["data.vsla_virtual_machines.gold"]}}},
	)]},
])

promise_bounds := {
	"address": "data.vsla_sla_plan.estate",
	"links": {"metro": {"max_throughput_mbps": 1000}},
	"tiers": {"gold": {
		"max_rpo_minutes": 15,
		"min_daily_change_percent": 5,
		"equal": {"link": "metro"},
		"covers": "vsla_tag_association.gold",
	}},
}

promise_gate := {"require_bounds": true, "expected": [promise_bounds, {
	"address": "data.vsla_virtual_machines.gold",
	"equal": {"name_regex": "^db-"},
}]}

both_vms := ["vm-1", "vm-2"]

test_promises_hold if codes(of_promises([], both_vms), promise_gate) == set()

test_promise_codes if {
	expected := {"misses": "rpo_missed", "at_risk": "at_risk", "unknown": "unknown"}
	every verdict, code in expected {
		patches := [
			{"op": "replace", "path": "values/verdict", "value": verdict},
			{"op": "replace", "path": "values/promises/gold/verdict", "value": verdict},
		]
		codes(of_promises(patches, both_vms), promise_gate) == {code}
	}
}

test_promises_that_contradict_themselves if {
	every patch in [
		{"op": "replace", "path": "values/verdict", "value": "misses"},
		{"op": "replace", "path": "values/promises/gold/late_vm_count", "value": 1},
		{"op": "remove", "path": "values/promises/gold"},
		{"op": "remove", "path": "values/verdict"},
		{"op": "add", "path": "values/promises/tin", "value": {"verdict": "meets", "late_vm_count": 0, "explanations": []}},
	] {
		codes(of_promises([patch], both_vms), promise_gate) == {"unknown"}
	}
}

test_promise_bounds if {
	expected := {
		{"op": "replace", "path": "values/tiers/gold/rpo_minutes", "value": 16}: "weaker_than_tier",
		{"op": "replace", "path": "values/tiers/gold/daily_change_percent", "value": 4}: "input_out_of_bounds",
		{"op": "replace", "path": "values/links/metro/throughput_mbps", "value": 1001}: "input_out_of_bounds",
		{"op": "add", "path": "values/tiers/gold/compression_ratio", "value": 9}: "unbounded",
		{"op": "replace", "path": "values/tiers/gold/virtual_machines/db-1/size_gib", "value": 99}: "not_counted",
	}
	every patch, code in expected {
		codes(of_promises([patch], both_vms), promise_gate) == {code}
	}
}

test_promise_of_a_tier_that_is_gone if {
	g := json.patch(promise_gate, [{"op": "add", "path": "expected/0/tiers/silver", "value": {"max_rpo_minutes": 60}}])
	codes(of_promises([], both_vms), g) == {"missing"}
}

test_promise_counts_the_objects if {
	codes(of_promises([], ["vm-1", "vm-2", "vm-3"]), promise_gate) == {"not_counted", "unbounded"}
	every covers in [["expected/0/covers"], ["expected/0/tiers/*", "covers"]] {
		by_tier := json.patch(promise_gate, array.concat([{"op": "remove", "path": "expected/0/tiers/gold/covers"}], add(covers)))
		codes(of_promises([], both_vms), by_tier) == set()
		codes(of_promises([], ["vm-1", "vm-2", "vm-3"]), by_tier) == {"not_counted", "unbounded"}
	}
}

add([path]) := [{"op": "add", "path": path, "value": "vsla_tag_association.gold"}]

add([path, key]) := [{"op": "add", "path": path, "value": {key: "vsla_tag_association.gold"}}]

# The tier has two VMs, but not db-2.
test_promise_counts_other_vms if {
	other := [
		{"op": "remove", "path": "values/tiers/gold/virtual_machines/db-2"},
		{"op": "add", "path": "values/tiers/gold/virtual_machines/db-9", "value": {"size_gib": 50}},
	]
	codes(of_promises(other, both_vms), promise_gate) == {"not_counted"}
	some denied in vsla.deny with input as of_promises(other, both_vms) with data.gate as promise_gate
	contains(denied.msg, `tiers["gold"] omits or understates 1 object(s) tagged by vsla_tag_association.gold: vm-2`)
}

test_promise_names_its_vms if {
	every key in ["vm-2", "db-2 (vm-2)"] {
		codes(
			of_promises(
				[
					{"op": "remove", "path": "values/tiers/gold/virtual_machines/db-2"},
					{"op": "add", "path": sprintf("values/tiers/gold/virtual_machines/%s", [key]), "value": {"size_gib": 50}},
				],
				both_vms,
			),
			promise_gate,
		) == set()
	}
}

test_promise_by_number if {
	by_number := [
		{"op": "remove", "path": "values/tiers/gold/virtual_machines"},
		{"op": "add", "path": "values/tiers/gold/vm_count", "value": 2},
		{"op": "add", "path": "values/tiers/gold/vm_size_gib", "value": 100},
	]
	g := json.patch(promise_gate, [
		{"op": "add", "path": "expected/0/tiers/gold/min_vm_count", "value": 2},
		{"op": "add", "path": "expected/0/tiers/gold/min_vm_size_gib", "value": 100},
	])
	codes(of_promises(by_number, both_vms), g) == set()
	codes(of_promises(by_number, ["vm-1", "vm-2", "vm-3"]), g) == {"not_counted"}
}

# Without the inventory, the sizes of the VMs are unknown.
test_promise_without_inventory if {
	codes(of_promises([], ["vm-8", "vm-9"]), promise_gate) == {"unbounded"}
}

own(value) := [{
	"op": "add",
	"path": "values/tiers/gold/virtual_machines/db-1/daily_change_percent",
	"value": value,
}]

test_vms_with_a_change_of_their_own if {
	codes(of_promises(own(5), both_vms), promise_gate) == set()
	codes(of_promises(own(4), both_vms), promise_gate) == {"input_out_of_bounds"}
	seeds := [{"op": "add", "path": "values/tiers/gold/virtual_machines/db-1/seeded_percent", "value": 90}]
	codes(of_promises(seeds, both_vms), promise_gate) == {"unbounded"}
}
