# Unit tests of the checks on replications and on vsla_sla_compliance.
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

named := {"expected": array.concat(gate.expected, [{"address": "data.vsla_sla_compliance.site"}])}

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

test_replication_as_promised if codes(replication(db, {}, ["create"]), named) == set()

test_replication_weaker if {
	codes(of_vm_42(["update"], db, object.union(db, {"rpo_minutes": 16})), named) == {"weaker_than_tier"}
}

test_replication_paused if {
	codes(of_vm_42(["update"], db, object.union(db, {"paused": true})), named) == {"weaker_than_tier"}
}

test_replication_pause_unknown if {
	codes(replication(object.remove(db, ["paused"]), {"paused": true}, ["create"]), named) == {"weaker_than_tier"}
}

test_replication_rpo_unknown if {
	codes(replication(object.remove(db, ["rpo_minutes"]), {"rpo_minutes": true}, ["create"]), named) == {"unknown"}
}

test_replication_of_another_pairing if {
	codes(replication(object.union(db, {"pairing_id": "p2"}), {}, ["create"]), named) == {"no_promise"}
}

test_replication_of_a_longer_id if {
	codes(replication(object.union(db, {"vm_id": "VirtualMachine:vm-421:0000"}), {}, ["create"]), named) == {"no_promise"}
}

test_replication_removed if {
	every actions in [["delete"], ["forget"]] {
		codes(replication(null, {}, actions), named) == {"protection_removed"}
	}
}

# A replication of the same VM before and after the plan.
of_vm_42(actions, before, after) := json.patch(replication(after, {}, actions), [{
	"op": "add",
	"path": "resource_changes/0/change/before",
	"value": before,
}])

test_replication_replaced if codes(of_vm_42(["delete", "create"], db, db), named) == {"resync"}

test_replication_that_keeps_more if {
	before := object.union(db, {"rpo_minutes": 60, "network_encryption": false, "point_in_time": null})
	kept := {"days": 4, "instances_per_day": 6}
	after := object.union(db, {"network_encryption": true, "point_in_time": kept})
	codes(of_vm_42(["update"], before, after), named) == set()
}

test_replication_that_keeps_less if {
	kept := {"days": 4, "instances_per_day": 6}
	before := object.union(db, {"auto_replicate_new_disks": true, "network_encryption": true, "point_in_time": kept})
	weaker := [
		{"auto_replicate_new_disks": false}, {"network_encryption": false}, {"point_in_time": null},
		{"point_in_time": {"days": 3, "instances_per_day": 6}},
	]
	every change in weaker {
		after := object.union(object.remove(before, object.keys(change)), change)
		codes(of_vm_42(["update"], before, after), named) == {"weaker_than_tier"}
	}
	guard := object.union(before, {"force_local_destroy": true})
	codes(of_vm_42(["update"], before, guard), named) == {"guard_off"}
}

test_longer_rpo_that_the_settings_promise if {
	before := object.union(db, {"rpo_minutes": 5})
	codes(of_vm_42(["update"], before, db), named) == {"weaker_than_tier"}
	g := object.union(named, {"promises": [{"address": "vsla_replication.db", "rpo_minutes": 15}]})
	codes(of_vm_42(["update"], before, db), g) == set()
}

test_promise_that_no_setting_names if codes(replication(db, {}, ["create"]), gate) == {"no_promise"}

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
		codes(p, named) == {code}
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
