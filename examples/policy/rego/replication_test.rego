# Unit tests of what the gate asks of replications and of vsla_sla_compliance.
package vsla_test

compliance := {
	"address": "data.vsla_sla_compliance.site",
	"mode": "data",
	"type": "vsla_sla_compliance",
	"name": "site",
	"provider_name": ours,
	"values": {
		"pairing_id": "p1",
		"compliant": true,
		"virtual_machines": {"vm-42": {"promised_rpo_minutes": 15}},
		"unprotected": [],
		"weaker_than_promised": [],
		"in_violation": [],
		"untagged_but_replicated": [],
		"several_tiers": [],
	},
}

replication(after, unknown, actions) := json.patch(good, [
	{"op": "add", "path": "prior_state/values/root_module/resources/-", "value": compliance},
	{"op": "add", "path": "resource_changes/-", "value": {
		"address": "vsla_replication.db",
		"mode": "managed",
		"type": "vsla_replication",
		"provider_name": ours,
		"change": {"actions": actions, "after": after, "after_unknown": unknown},
	}},
])

db := {"rpo_minutes": 15, "vm_id": "VirtualMachine:vm-42:0000", "pairing_id": "p1", "paused": null}

test_replication_as_promised if codes(replication(db, {}, ["create"]), gate) == set()

test_replication_weaker if {
	codes(replication(object.union(db, {"rpo_minutes": 16}), {}, ["update"]), gate) == {"weaker_than_tier"}
}

test_replication_paused if {
	codes(replication(object.union(db, {"paused": true}), {}, ["update"]), gate) == {"weaker_than_tier"}
}

test_replication_pause_unknown if {
	codes(replication(object.remove(db, ["paused"]), {"paused": true}, ["update"]), gate) == {"weaker_than_tier"}
}

test_replication_rpo_unknown if {
	codes(replication(object.remove(db, ["rpo_minutes"]), {"rpo_minutes": true}, ["create"]), gate) == {"unknown"}
}

test_replication_of_another_pairing if {
	codes(replication(object.union(db, {"pairing_id": "p2"}), {}, ["create"]), gate) == {"no_promise"}
}

test_replication_of_a_longer_id if {
	codes(replication(object.union(db, {"vm_id": "VirtualMachine:vm-421:0000"}), {}, ["create"]), gate) == {"no_promise"}
}

test_replication_removed if {
	every actions in [["delete"], ["forget"]] {
		codes(replication(null, {}, actions), gate) == {"protection_removed"}
	}
}

test_replication_replaced if codes(replication(db, {}, ["delete", "create"]), gate) == set()

test_strictest_promise_counts if {
	g := object.union(gate, {"promises": [{"address": "vsla_replication.db", "rpo_minutes": 10}]})
	codes(replication(db, {}, ["create"]), g) == {"weaker_than_tier"}
}

test_compliance_lists if {
	expected := {
		"unprotected": "unprotected",
		"weaker_than_promised": "weaker_than_tier",
		"in_violation": "rpo_missed",
		"several_tiers": "several_tiers",
	}
	every list, code in expected {
		values := object.union(compliance.values, {"compliant": false, list: ["vm-42"]})
		p := json.patch(replication(db, {}, ["create"]), [{
			"op": "replace",
			"path": "prior_state/values/root_module/resources/1/values",
			"value": values,
		}])
		codes(p, gate) == {code}
	}
}

covering(lists, g) := codes(
	with_record(object.union(compliance, {"values": object.union(compliance.values, lists)})),
	object.union(gate, g),
)

test_uncovered if {
	lists := {"uncovered": ["vm-7"], "uncovered_unknown": ["vm-8"]}
	covering(lists, {}) == set()
	covering(lists, {"max_uncovered": 2}) == set()
	covering(lists, {"max_uncovered": 1}) == {"uncovered"}
	covering({"uncovered": ["vm-7"]}, {"max_uncovered": 5}) == {"unknown"}
	covering({"uncovered": null, "uncovered_unknown": []}, {"max_uncovered": 5}) == {"unknown"}
	covering(lists, {"max_uncovered": "2"}) == {"settings"}
}

test_uncovered_can_be_waived if {
	w := object.union(waiver, {"address": "data.vsla_sla_compliance.site", "code": "uncovered"})
	g := object.union(waiving([w], "2026-12-31"), {"max_uncovered": 0})
	covering({"uncovered": ["vm-7"], "uncovered_unknown": []}, g) == set()
}
