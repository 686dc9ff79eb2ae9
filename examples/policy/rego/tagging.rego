# Which tag an association or vsla_object_tags gives: by its id where the plan has it, else by the resource that its
# argument refers to, in its own module or by a variable of the module that calls it.
package vsla.tagging

import data.vsla.plan

# Everything that gives a tag after the plan.
changes contains change if {
	some change in input.resource_changes
	change.type in {"vsla_tag_association", "vsla_object_tags"}
	change.change.after != null
}

# The ids of the objects that get the tag; shown is true where the plan has them.
objects(change) := change.change.after.object_ids if change.type == "vsla_tag_association"

objects(change) := [change.change.after.object_id] if change.type == "vsla_object_tags"

shown(change) if is_array(change.change.after.object_ids)

shown(change) if {
	change.type == "vsla_object_tags"
	is_string(change.change.after.object_id)
}

# Whole documents, in which a look-up takes no search.
by_name := names

by_tag := givers

sharing := shared

# By address, and by block with the key of the instance.
names[{"name": change.address, "index": null}] contains change if some change in changes

names[{"name": plan.block_address(change.address), "index": plan.value(change, "index")}] contains change if {
	some change in changes
}

givers[tag] contains change if {
	some change in changes
	some tag in tags[change.address]
}

# What gives the same tag. What is created has another id than what is known, and what cannot be traced may be any.
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

# By the id that is known.
tags[change.address] contains {"by": "id", "tag": id} if {
	some change in changes
	some id in known(change)
	is_string(id)
}

known(change) := [change.change.after.tag_id] if change.type == "vsla_tag_association"

known(change) := change.change.after.tag_ids if change.type == "vsla_object_tags"

# By the new resource that the argument refers to.
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

# The tags of an argument, such as vsla_tag.tier["gold"], if it refers to nothing else.
references(change) := traced if {
	own := plan.references(change.address, argument[change.type])
	module := plan.module_path(change.address)
	outer := {reference | some name in variables(own); some reference in plan.given(module, name)}
	traced := resolved(own, module, change) | resolved(outer, plan.outer(module), change)
	count(strangers(own, true)) == 0
	count(strangers(outer, false)) == 0
}

variables(references) := {trim_prefix(reference, "var.") |
	some reference in references
	startswith(reference, "var.")
}

# Tags have their key in the reference, or that of the change.
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
