# Changes that weaken protection. Replications are compared by VM and pairing, whatever their address, and the arguments
# of other resources by address. The table of arguments is generated.
package vsla.weaker

import data.vsla.arguments
import data.vsla.plan
import data.vsla.settings
import data.vsla.verdict

# --- replications

problems contains verdict.problem("protection_removed", change.address, says) if {
	some change in plan.removed
	says := "is removed: its VM is no longer replicated, or no longer managed by this configuration"
}

problems contains verdict.problem("resync", change.address, says) if {
	some change in plan.replication_changes
	"delete" in change.change.actions
	plan.protection(change.change.before) in object.keys(plan.replications_by)
	says := "is deleted and created again: recovery points are lost, and there is no replica until the new initial sync is complete"
}

problems contains verdict.problem(rule.code, after.address, says) if {
	some key, changes in before
	some change in changes
	some after in plan.replications_by[key]
	change.change.before != after.values
	some rule in rules.vsla_replication
	worsens(rule, change.change.before, after.values, after.unknown)
	not named(rule, after)
	says := sprintf("%s, unlike before the plan (VM %s)", [rule.says, vm(change.change.before)])
}

before[plan.protection(change.change.before)] contains change if {
	some change in plan.replication_changes
	change.change.before != null
}

vm(values) := split(values.vm_id, ":")[1]

# A longer RPO is allowed if the settings promise it for the address and the address had the same VM before.
named(rule, after) if {
	rule.path == ["rpo_minutes"]
	after.values.rpo_minutes <= max(settings.promised(after.address))
	not of_another(after)
}

of_another(after) if {
	some change in plan.replication_changes
	change.address == after.address
	change.change.before != null
	plan.protection(change.change.before) != plan.protection(after.values)
}

# --- every other resource

problems contains verdict.problem(rule.code, change.address, rule.says) if {
	some change in kept
	some rule in rules[change.type]
	worsens(rule, change.change.before, change.change.after, unknown(change.change))
	not named(rule, {"address": change.address, "values": change.change.after})
}

kept contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type != "vsla_replication"
	rules[change.type]
	is_object(change.change.before)
	is_object(change.change.after)
	change.change.before != change.change.after
}

# Unknown values of a resource that is created again are server defaults.
unknown(change) := plan.value(change, "after_unknown") if not "create" in change.actions

else := {}

problems contains verdict.problem("tags_changed", change.address, says) if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type in taggers
	"forget" in change.change.actions
	not imported(change)
	says := "is forgotten: its tags are no longer managed"
}

taggers := {"vsla_tag", "vsla_tag_category", "vsla_tags", "vsla_tag_association", "vsla_object_tags"}

imported(change) if {
	some other in input.resource_changes
	other.type == change.type
	other.address != change.address
	other.change.after.id == change.change.before.id
}

problems contains verdict.problem("tags_changed", change.address, says) if {
	some change in kept
	change.type == "vsla_tags"
	some former in change.change.after.renamed_from
	former in object.keys(change.change.before.tags)
	says := sprintf("renames tag %s: lookups by name fail", [former])
}

# --- programs

problems contains verdict.problem("runs_a_program", block.address, says) if {
	some block in plan.blocks
	count(block.provisioners) > 0
	says := "runs a program during apply (provisioner), with the permissions of apply"
}

problems contains verdict.problem("runs_a_program", plan.value(invocation, "address"), says) if {
	some invocation in plan.every_invocation
	not startswith(plan.value(invocation, "type"), "vsla_")
	says := "is an action of another provider, which might run a program during apply"
}

# --- the table

rules[resource] contains object.union(rule, {"path": split(path, ".")}) if {
	some resource, paths in arguments.resources
	some path, rule in paths
	rule.code
}

# The removal of a whole nested object has its own rule.
worsens(rule, was, is, hidden) if {
	not rule.path[0] == "disks"
	stays(rule.path, is)
	worse(rule.worse, object.get(was, rule.path, null), object.get(is, rule.path, null))
	not may_be(rule.path, hidden)
}

# A value that is known only after apply might be worse.
worsens(rule, was, _, hidden) if {
	not rule.path[0] == "disks"
	not object.get(was, rule.path, null) in {null, false}
	may_be(rule.path, hidden)
}

# Settings of individual disks. A disk without settings uses those of the replication.
worsens(rule, was, is, _) if {
	rule.path[0] == "disks"
	some key, disk in was.disks
	worse(rule.worse, object.get(disk, rule.path[1], null), object.get(is, ["disks", key, rule.path[1]], null))
}

stays(path, _) if count(path) == 1

stays(path, is) if is_object(object.get(is, path[0], null))

may_be(path, hidden) if {
	not path[0] == "replication" # a group's replication, which groups.rego judges
	object.get(hidden, path, false) == true
}

may_be(path, hidden) if {
	count(path) > 1
	not path[0] == "replication"
	object.get(hidden, path[0], false) == true
}

worse("more", was, is) if {
	is_number(was)
	is > was
}

worse("less", was, is) if {
	is_number(was)
	not at_least(is, was)
}

worse("unbounded", was, is) if {
	is_number(was)
	not at_most(is, was)
}

worse("on", was, true) if was != true

worse("off", true, is) if is != true

worse("gone", was, null) if was != null

worse("changed", was, is) if {
	was != null
	was != is
}

worse("fewer", was, is) if {
	some element in was
	not has(is, element)
}

at_least(value, least) if {
	is_number(value)
	value >= least
}

at_most(value, most) if {
	is_number(value)
	value <= most
}

has(list, element) if element in list
