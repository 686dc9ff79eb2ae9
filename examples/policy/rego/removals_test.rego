# Unit tests of plans that detach tags or remove group members.
package vsla_test

association(actions, before, after, unknown) := {
	"address": "vsla_tag_association.tier[\"gold\"]",
	"mode": "managed",
	"type": "vsla_tag_association",
	"provider_name": ours,
	"change": {"actions": actions, "before": before, "after": after, "after_unknown": unknown},
}

# The good plan with these resource changes.
with_changes(changes) := json.patch(good, [{"op": "replace", "path": "resource_changes", "value": changes}])

# An association that detaches the tag from one object and replaces another object's tag.
two := association(["update"], {"object_ids": ["vm-1"]}, {"removes": ["vm-2"], "replaces": {"vm-3": "urn:1"}}, {})

allowing(n) := object.union(gate, {"removals": [{"address": "vsla_tag_association.tier", "max_removes": n}]})

test_nothing_removed if {
	none := association(["create"], null, {"removes": [], "replaces": {}}, {"id": true})
	codes(with_changes([none]), gate) == set()
}

test_removals_are_denied if codes(with_changes([two]), gate) == {"tags_removed"}

test_removals_within_the_limit if codes(with_changes([two]), allowing(2)) == set()

test_removals_beyond_the_limit if codes(with_changes([two]), allowing(1)) == {"tags_removed"}

test_limit_is_for_all_instances_together if {
	silver := object.union(two, {"address": "vsla_tag_association.tier[\"silver\"]"})
	codes(with_changes([two, silver]), allowing(3)) == {"tags_removed"}
	codes(with_changes([two, silver]), allowing(4)) == set()
}

test_limit_of_another_address if {
	g := object.union(gate, {"removals": [{"address": "vsla_tag_association.other", "max_removes": 9}]})
	codes(with_changes([two]), g) == {"tags_removed"}
}

test_removals_unknown if {
	open := association(["update"], {"object_ids": []}, {"replaces": {}}, {"removes": true})
	codes(with_changes([open]), allowing(9)) == {"unknown"}
	half := association(["update"], {"object_ids": []}, {"removes": []}, {"replaces": true})
	codes(with_changes([half]), allowing(9)) == {"unknown"}
}

test_destroyed_association if {
	gone := association(["delete"], {"object_ids": ["vm-1", "vm-2"], "removes": []}, null, {})
	codes(with_changes([gone]), allowing(1)) == {"tags_removed"}
	codes(with_changes([gone]), allowing(2)) == set()
}

test_replaced_association if {
	again := association(["delete", "create"], {"object_ids": ["vm-1"]}, {"removes": ["vm-2"], "replaces": {}}, {})
	codes(with_changes([again]), allowing(1)) == {"tags_removed"}
	codes(with_changes([again]), allowing(2)) == set()
}

test_forgotten_association if codes(with_changes([association(["forget"], {}, null, {})]), gate) == {"tags_changed"}

test_object_tags if {
	change := {"actions": ["update"], "before": {"tag_ids": ["a"]}, "after": {"removes": ["b"]}, "after_unknown": {}}
	vm := {"address": "vsla_object_tags.db", "mode": "managed", "type": "vsla_object_tags", "provider_name": ours}
	codes(with_changes([object.union(vm, {"change": change})]), gate) == {"tags_removed"}
}

test_removals_can_be_waived if {
	w := object.union(waiver, {"address": "vsla_tag_association.tier", "code": "tags_removed"})
	codes(with_changes([two]), waiving([w], "2026-12-31")) == set()
}

test_misspelt_removals if {
	every item in [{"address": "a", "max": 1}, {"address": "a", "max_removes": "1"}, {"max_removes": 1}] {
		codes(with_changes([]), object.union(gate, {"removals": [item]})) == {"settings"}
	}
}

# An association with a tag that the plan creates, in a new or existing category.
new_tag(category_actions, reference) := json.patch(
	with_changes([
		association(["create"], null, {"removes": []}, {"replaces": true, "tag_id": true}),
		{
			"address": "vsla_tag.tier[\"gold\"]", "mode": "managed", "type": "vsla_tag", "provider_name": ours,
			"change": {"actions": ["create"], "after_unknown": {"category_id": category_actions == ["create"]}},
		},
		{
			"address": "vsla_tag_category.sla", "mode": "managed", "type": "vsla_tag_category", "provider_name": ours,
			"change": {"actions": category_actions, "after_unknown": {}},
		},
	]),
	[{"op": "add", "path": "configuration/root_module/resources/-", "value": block} |
		some block in [
			{
				"address": "vsla_tag_association.tier",
				"expressions": {"tag_id": {"references": [reference, "each.key"]}},
			},
			{
				"address": "vsla_tag.tier",
				"expressions": {"category_id": {"references": ["vsla_tag_category.sla.id", "vsla_tag_category.sla"]}},
			},
		]
	],
)

test_new_tag_replaces_none if codes(new_tag(["create"], "vsla_tag.tier"), gate) == set()

test_new_tag_of_an_old_category if codes(new_tag(["no-op"], "vsla_tag.tier"), gate) == {"unknown"}

test_tag_of_an_expression_is_untraced if {
	some address, tags in data.vsla.tagging.tags with input as new_tag(["create"], "local.tag")
	startswith(address, "vsla_tag_association.")
	data.vsla.tagging.untraced in tags
}

test_tag_from_elsewhere if codes(new_tag(["create"], "terraform_data.tag"), gate) == {"unknown"}

# The codes if a VM moves from group gold to group silver; the arguments patch what each group keeps.
members_moved(gold, silver, limit) := codes(
	with_changes([
		group("gold", ["vm-1", "vm-2"], {"removes": ["vm-2"], "vm_ids": ["vm-1"]}, object.union(kept_by_gold, gold)),
		group("silver", ["vm-3"], {"removes": [], "vm_ids": ["vm-2", "vm-3"]}, object.union(kept_by_gold, silver)),
	]),
	object.union(gate, {"removals": [{"address": "vsla_protection_group.gold", "max_removes": limit}]}),
)

kept_by_gold := {
	"replication": {"cluster_pair_id": "p", "rpo_minutes": 15, "keep_last": 2},
	"snapshot_policies": {"hourly": {"every_hours": 1, "keep_days": 2}},
}

group(name, before, after, keeps) := {
	"address": sprintf("vsla_protection_group.%s", [name]),
	"mode": "managed",
	"type": "vsla_protection_group",
	"provider_name": ours,
	"change": {
		"actions": ["update"],
		"before": object.union({"locked": false, "member_vm_ids": before, "removes": []}, keeps),
		"after": object.union(object.union({"locked": false}, after), keeps),
		"after_unknown": {"member_vm_ids": true},
	},
}

test_member_moves_to_as_good_a_group if {
	every silver in [
		{},
		{"replication": {"rpo_minutes": 5}},
		{"replication": {"keep_last": 3}},
		{"snapshot_policies": {"often": {"every_minutes": 30, "keep_weeks": 1}}},
	] {
		members_moved({}, silver, 0) == set()
	}
}

test_member_moves_to_a_weaker_group if {
	every silver in [
		{"replication": {"rpo_minutes": 60}},
		{"replication": {"rpo_minutes": null}},
		{"replication": {"keep_last": 1}},
		{"replication": {"cluster_pair_id": "q"}},
		{"replication": null},
		{"snapshot_policies": {"hourly": {"every_hours": 2}}},
		{"snapshot_policies": {"hourly": {"keep_days": 1}}},
	] {
		members_moved({}, silver, 1) == {"weaker_than_tier"}
	}

	members_moved({}, {"paused": true}, 1) == {"weaker_than_tier", "protection_removed"}

	# Gold takes snapshots less often than silver.
	members_moved({"snapshot_policies": {"hourly": {"every_hours": 4}}}, {}, 0) == set()
}

test_member_of_no_group if {
	alone := with_changes([group("gold", ["vm-1", "vm-2"], {"removes": ["vm-2"], "vm_ids": ["vm-1"]}, kept_by_gold)])
	codes(alone, gate) == {"protection_removed"}
	allowed := object.union(gate, {"removals": [{"address": "vsla_protection_group.gold", "max_removes": 1}]})
	codes(alone, allowed) == set()
}
