# Which tags an association or vsla_object_tags assigns: by ID if the plan shows it, otherwise by the resource that the
# argument refers to, either in the same module or through a variable of the module call.
package vsla.tagging

import data.vsla.plan

# Resources that assign a tag after the plan.
changes contains change if {
	some change in input.resource_changes
	change.type in {"vsla_tag_association", "vsla_object_tags"}
	change.change.after != null
}

# The IDs of the objects that get the tag. `shown` is true if the plan contains them.
objects(change) := change.change.after.object_ids if change.type == "vsla_tag_association"

objects(change) := [change.change.after.object_id] if change.type == "vsla_object_tags"

shown(change) if is_array(change.change.after.object_ids)

shown(change) if {
	change.type == "vsla_object_tags"
	is_string(change.change.after.object_id)
}

# Complete rules, so that OPA looks up keys without a search.
by_name := names

by_tag := givers

sharing := shared

# Changes by address, and by block address and instance key.
names[{"name": change.address, "index": null}] contains change if some change in changes

names[{"name": plan.block_address(change.address), "index": plan.value(change, "index")}] contains change if {
	some change in changes
}

givers[tag] contains change if {
	some change in changes
	some tag in tags[change.address]
}

# Changes that assign the same tag. A new tag differs from every tag with a known ID; an untraced tag can be any tag.
shared[address] contains other if {
	some address, own in tags
	some tag in own
	some other in by_tag[tag]
}

shared[address] contains other if {
	some address, _ in tags
	some other in by_tag[untraced]
}

shared[address] contains other if {
	some address, own in tags
	untraced in own
	some other in changes
}

untraced := {"by": "untraced"}

# Tags with a known ID.
tags[change.address] contains {"by": "id", "tag": id} if {
	some change in changes
	some id in known(change)
	is_string(id)
}

known(change) := [change.change.after.tag_id] if change.type == "vsla_tag_association"

known(change) := change.change.after.tag_ids if change.type == "vsla_object_tags"

# New tags, by the resource that the argument refers to.
tags[change.address] contains {"by": "reference", "tag": tag} if {
	some change in changes
	hidden(change)
	some tag in references(change)
}

tags[change.address] contains untraced if {
	some change in changes
	hidden(change)
	count(references(change)) == 0
}

tags[change.address] contains untraced if {
	some change in changes
	not hidden(change)
	not named(change)
}

named(change) if {
	some id in known(change)
	is_string(id)
}

argument := {"vsla_tag_association": "tag_id", "vsla_object_tags": "tag_ids"}

hidden(change) if change.change.after_unknown[argument[change.type]] == true

hidden(change) if true in change.change.after_unknown[argument[change.type]]

# The tags that an argument refers to, such as vsla_tag.tier["gold"]. Empty if it also refers to something else.
references(change) := traced if {
	own := plan.references(change.address, argument[change.type])
	module := plan.module_path(change.address)
	outer := {reference | some name in variables(own); some reference in plan.given(module, name)}
	traced := resolved(own, module, change) | resolved(outer, plan.outer(module), change)
	count(strangers(own, true)) == 0
	count(strangers(outer, false)) == 0
}

else := set()

variables(references) := {trim_prefix(reference, "var.") |
	some reference in references
	startswith(reference, "var.")
}

# The key of a tag is in the reference or, with each.key, that of the change.
resolved(references, module, change) := {tag |
	some reference in references
	found := regex.find_all_string_submatch_n(`^(vsla_tag\.[^.\[]+|vsla_tags\.[^.\[]+)(?:\.ids)?(?:\["([^"]*)"\])?`, reference, 1)
	count(found) == 1
	key := key_of(found[0][2], found[0][1], references, change)
	tag := sprintf("%s%s[%v]", [module, found[0][1], key])
}

key_of(literal, _, _, _) := literal if literal != ""

key_of("", block, references, change) := plan.value(change, "index") if {
	"each.key" in references
	count([r | some r in references; startswith(r, sprintf("%s[\"", [block]))]) == 0
}

key_of("", block, references, _) := null if {
	not "each.key" in references
	count([r | some r in references; contains(r, "[\""); startswith(r, block)]) == 0
}

strangers(references, variables_allowed) := {reference |
	some reference in references
	not regex.match(`^(vsla_tags?\.|each\.key$|path\.)`, reference)
	not allowed(reference, variables_allowed)
}

allowed(reference, true) if startswith(reference, "var.")
