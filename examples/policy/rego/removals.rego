# Tags that a plan detaches (vsla_tag_association, vsla_object_tags) and members that it removes
# (vsla_protection_group). The attributes `removes` and `replaces` show what apply detaches or removes. A destroyed
# resource detaches everything that it lists. Destroyed groups are handled in groups.rego.
package vsla.removals

import data.vsla.groups
import data.vsla.plan
import data.vsla.settings
import data.vsla.verdict

# The ID list of each type.
lists := {"vsla_tag_association": "object_ids", "vsla_object_tags": "tag_ids"}

changes contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type in (object.keys(lists) | {"vsla_protection_group"})
	change.change.actions != ["no-op"]
	change.change.actions != ["read"]
}

problems contains verdict.problem("unknown", plan.value(change, "address"), says) if {
	some change in changes
	not is_number(removed(change))
	says := "does not show during plan what it removes"
}

# A limit applies to all instances of its address together, so that removals cannot be split to stay below it.
problems contains verdict.problem("tags_removed", change.address, says) if {
	some change in changes
	change.type in object.keys(lists)
	removed(change) > 0
	some limit in limits(change)
	limit.removed > limit.max
	says := sprintf("detaches %s; the settings allow %s", [tags(removed(change)), allowed(limit)])
}

problems contains verdict.problem("protection_removed", change.address, says) if {
	some change in changes
	change.type == "vsla_protection_group"
	removed(change) > 0
	some limit in limits(change)
	limit.removed > limit.max
	says := sprintf("removes members (%d); the settings allow %s", [removed(change), allowed(limit)])
}

limits(change) := {limit |
	some item in settings.removals
	plan.means(item.address, change.address)
	limit := {
		"address": item.address,
		"max": item.max_removes,
		"removed": sum([removed(other) | some other in changes; plan.means(item.address, other.address)]),
	}
} | {{"address": change.address, "max": 0, "removed": removed(change)} |
	count([item | some item in settings.removals; plan.means(item.address, change.address)]) == 0
}

allowed(limit) := "none" if limit.max == 0

allowed(limit) := sprintf("%d for %s, but the plan removes %d", [limit.max, limit.address, limit.removed]) if {
	limit.max > 0
}

tags(1) := "1 tag"

tags(n) := sprintf("%d tags", [n]) if n != 1

# The number of tags or members that a change removes, or null if the plan does not show it.
removed(change) := 0 if {
	change.type == "vsla_protection_group"
	{"delete", "forget"} & {action | some action in change.change.actions} != set()
}

else := groups.removed(change) if change.type == "vsla_protection_group"

else := count(listed(change)) if destroys(change)

else := 0 if change.change.actions == ["forget"]

else := count(change.change.after.removes) + replaced(change) if {
	is_array(change.change.after.removes)
	not created_again(change)
}

else := (count(change.change.after.removes) + replaced(change)) + count(listed(change)) if {
	is_array(change.change.after.removes)
	created_again(change)
}

else := null

destroys(change) if change.change.actions == ["delete"]

created_again(change) if {
	"delete" in change.change.actions
	"create" in change.change.actions
}

listed(change) := change.change.before[lists[change.type]]

# In a category with cardinality SINGLE, an association replaces another tag on the same object. The provider cannot
# compute this for a tag that the plan creates. If the category is new as well, there is no other tag. In an existing
# category, the tags that the plan shows on these objects count.
replaced(change) := 0 if change.type != "vsla_tag_association"

else := count(change.change.after.replaces) if is_object(change.change.after.replaces)

else := 0 if whole_category(change)

else := count(tagged(change) & {id | some id in change.change.after.object_ids}) if {
	count(new_tags(change)) > 0
	is_array(change.change.after.object_ids)
}

new_tags(change) := created(change, "tag_id", {"vsla_tag", "vsla_tags"}) if {
	change.change.after_unknown.replaces == true
}

whole_category(change) if {
	some tag in new_tags(change)
	count(created(tag, "category_id", {"vsla_tag_category"})) > 0
}

# Objects that have a tag before the plan, as far as the plan shows: in an association that does not detach it, in
# vsla_object_tags, or as a VM of a tier. Tags of other categories do not count.
tagged(change) := ({id |
	some other in input.resource_changes
	other.type == "vsla_tag_association"
	not elsewhere(change, other.change.before.tag_id)
	some id in other.change.before.object_ids
	not detaches(other, id)
} | {other.change.before.object_id |
	some other in input.resource_changes
	other.type == "vsla_object_tags"
	some tag_id in other.change.before.tag_ids
	not elsewhere(change, tag_id)
}) | ({id |
	some record in plan.known
	record.type == "vsla_sla_compliance"
	some id, vm in record.values.virtual_machines
	is_string(vm.tier)
} - {id | some other in changes; some id in other.change.after.removes})

detaches(change, _) if destroys(change)

detaches(change, id) if id in change.change.after.removes

elsewhere(change, tag_id) if {
	some tag in new_tags(change)
	categories[tag_id] != tag.change.after.category_id
}

# The category of each tag in the state.
categories[record.values.id] := record.values.category_id if {
	some record in plan.records
	record.type == "vsla_tag"
}

categories[id] := record.values.category_id if {
	some record in plan.records
	record.type == "vsla_tags"
	some id in record.values.ids
}

warn contains {"code": "new_tag", "address": change.address, "msg": message} if {
	some change in changes
	count(new_tags(change)) > 0
	not whole_category(change)
	says := "has a new tag in an existing category and might replace tags that this configuration does not manage"
	message := sprintf("%s %s; only apply shows which ones", [change.address, says])
}

# The resources that an argument refers to, if it refers to a single block and the plan creates every instance with the
# key of the change.
created(change, argument, types) := found if {
	change.change.after_unknown[argument] == true
	blocks := {block |
		some reference in plan.references(change.address, argument)
		not regex.match(`^(each|count)\.`, reference)
		steps := split(plan.block_address(reference), ".")
		block := concat(".", array.slice(steps, 0, 2))
	}
	count(blocks) == 1
	some block in blocks
	split(block, ".")[0] in types
	found := [other |
		some other in input.resource_changes
		plan.local_address(plan.block_address(other.address)) == block
		plan.value(other, "index") in {null, plan.value(change, "index")}
	]
	every other in found {
		creates(other)
	}
}

creates(change) if change.change.actions == ["create"]

# The IDs of existing tags are known, so an update creates the tag.
creates(change) if {
	change.type == "vsla_tags"
	change.change.actions == ["update"]
}

# --- tags and categories that are deleted although objects have them

problems contains verdict.problem("tags_removed", change.address, says) if {
	some change in input.resource_changes
	count(lost(change)) > 0
	forced(change)
	says := sprintf("deletes %s from every object that has it: force_destroy is set", [concat(", ", lost(change))])
}

# The names of the tags or the category that a change deletes.
lost(change) := {change.change.before.name} if {
	change.type in {"vsla_tag", "vsla_tag_category"}
	"delete" in change.change.actions
}

lost(change) := {name |
	some name, _ in change.change.before.tags
	not kept(change, name)
} if {
	change.type == "vsla_tags"
}

kept(change, name) if {
	not "delete" in change.change.actions
	name in object.keys(change.change.after.tags)
}

kept(change, name) if {
	not "delete" in change.change.actions
	some renamed, former in change.change.after.renamed_from
	former == name
	renamed in object.keys(change.change.after.tags)
}

kept(change, _) if change.change.actions == ["forget"]

# Unless force_destroy is set, the provider refuses to delete a tag that objects have.
forced(change) if {
	some when in {"before", "after"}
	not plan.value(plan.value(change.change, when), "force_destroy") in {false, null}
}

forced(change) if change.change.after_unknown.force_destroy == true
