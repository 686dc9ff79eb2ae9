# Tags that a plan takes off: vsla_tag_association and vsla_object_tags. `removes` and `replaces` of a resource show
# what an apply detaches; a resource that is destroyed takes off everything that it lists.
package vsla.removals

import data.vsla.plan
import data.vsla.settings
import data.vsla.verdict

# The lists of ids that each type has.
lists := {"vsla_tag_association": "object_ids", "vsla_object_tags": "tag_ids"}

changes contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type in object.keys(lists)
	change.change.actions != ["no-op"]
	change.change.actions != ["read"]
}

problems contains verdict.problem("unknown", plan.value(change, "address"), says) if {
	some change in changes
	not is_number(removed(change))
	says := "does not show during plan which tags it takes off"
}

# A limit is for all that its address means together, so that it cannot be passed in slices.
problems contains verdict.problem("tags_removed", change.address, says) if {
	some change in changes
	removed(change) > 0
	some limit in limits(change)
	limit.removed > limit.max
	says := sprintf("takes off %s; the settings allow %s", [tags(removed(change)), allowed(limit)])
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

allowed(limit) := sprintf("%d for %s, where the plan takes off %d", [limit.max, limit.address, limit.removed]) if {
	limit.max > 0
}

tags(1) := "1 tag"

tags(n) := sprintf("%d tags", [n]) if n != 1

# How many tags a change takes off: null where the plan does not show it.
removed(change) := count(listed(change)) if destroys(change)

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

# An association in a SINGLE category takes the place of another tag on the same object.
replaced(change) := count(change.change.after.replaces) if {
	change.type == "vsla_tag_association"
	is_object(change.change.after.replaces)
}

replaced(change) := 0 if change.type != "vsla_tag_association"

# The tag and its category are created by this plan, so that no other tag of it is on any object.
replaced(change) := 0 if {
	change.type == "vsla_tag_association"
	change.change.after_unknown.replaces == true
	some tag in created(change, "tag_id", {"vsla_tag", "vsla_tags"})
	count(created(tag, "category_id", {"vsla_tag_category"})) > 0
}

# The resources that an argument refers to and to nothing else, where the plan creates all of them.
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
	]
	every other in found {
		other.change.actions == ["create"]
	}
}
