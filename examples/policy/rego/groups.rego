# Protection groups of vSAN Data Protection: changes that weaken the protection of their members. The number of members
# that a rule change removes is limited in removals.rego.
package vsla.groups

import data.vsla.plan
import data.vsla.settings
import data.vsla.verdict

changes contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type == "vsla_protection_group"
}

# Groups that the plan keeps, changed or not.
kept contains change if {
	some change in changes
	not ends(change)
}

ends(change) if "delete" in change.change.actions

ends(change) if "forget" in change.change.actions

problems contains verdict.problem("protection_removed", change.address, says) if {
	some change in changes
	ends(change)
	says := "is removed or replaced: its members are no longer protected, or no longer managed by this configuration"
}

problems contains verdict.problem("protection_removed", change.address, says) if {
	some change in kept
	is_object(change.change.before.replication)
	plan.value(change.change.after, "replication") == null
	not change.change.after_unknown.replication == true
	says := "loses its replication: its members keep only local snapshots, if any"
}

problems contains verdict.problem("protection_removed", change.address, "is or might be paused: no RPO is guaranteed while it is paused") if {
	some change in kept
	not runs(change)
}

runs(change) if {
	plan.value(change.change.after, "paused") in {false, null}
	not change.change.after_unknown.paused == true
}

problems contains verdict.problem("snapshots_deleted", change.address, says) if {
	some change in changes
	"delete" in change.change.actions
	not change.change.before.delete_snapshots_on_destroy == false
	says := "is deleted with its snapshots: delete_snapshots_on_destroy is set"
}

problems contains verdict.problem("locks", change.address, "is or might be locked permanently: it can never be changed again") if {
	some change in kept
	not change.change.before.locked == true
	not open(change)
}

open(change) if {
	plan.value(change.change.after, "locked") == false
	not change.change.after_unknown.locked == true
}

# --- members that move

# If a VM moves to another group, the two groups are compared. A VM that is in no group after the plan counts as
# removed.
problems contains verdict.problem("weaker_than_tier", change.address, says) if {
	some change in kept
	some vm in change.change.after.removes
	others := groups_of[vm]
	not kept_by_one(change, others)
	addresses := concat(", ", sort({other.address | some other in others}))
	says := sprintf("loses VM %s to a group with weaker protection: %s", [vm, addresses])
}

kept_by_one(change, others) if {
	some other in others
	keeps(other.change.after, change.change.before)
}

# The number of members that are in no group after the plan.
removed(change) := count({vm | some vm in change.change.after.removes} - object.keys(groups_of)) if {
	is_array(change.change.after.removes)
}

# A complete rule, so that OPA looks up keys without a search. Members matched by a tag or pattern are known only if the
# rules do not change.
groups_of := groups_by_vm

groups_by_vm[vm] contains change if {
	some change in kept
	some vm in members(change)
}

members(change) := (({vm | some vm in change.change.before.member_vm_ids} | {vm | some vm in change.change.after.vm_ids}) | {vm |
	some vm in change.change.after.member_vm_ids
}) - {vm | some vm in change.change.after.removes}

keeps(is, was) if {
	not stops(is, was)
	replicates(is, was)
	every name, before in policies(was) {
		some other, after in policies(is)
		comparable(name) == comparable(other)
		lasts(span(after, "keep"), span(before, "keep"))
		as_often(before, after)
	}
}

stops(is, was) if {
	is.paused == true
	not was.paused == true
}

replicates(_, was) if plan.value(was, "replication") == null

replicates(is, was) if {
	is.replication.rpo_minutes <= was.replication.rpo_minutes
	is_number(is.replication.rpo_minutes)
	object.get(is.replication, "keep_last", 1) >= object.get(was.replication, "keep_last", 1)
	is.replication.cluster_pair_id == was.replication.cluster_pair_id
}

# Snapshot policies have user-defined names, so they are compared regardless of their names.
comparable(name) := "snapshot_policies" if startswith(name, "snapshot_policies.")

else := name

as_often(before, _) if count(span(before, "every")) == 0

as_often(before, after) if lasts(span(before, "every"), span(after, "every"))

# --- RPO and retention

problems contains verdict.problem("weaker_than_tier", change.address, says) if {
	some change in kept
	rpo := change.change.after.replication.rpo_minutes
	rpo > min(promised(change))
	says := sprintf("has an RPO of %v minutes, but %v minutes are promised", [rpo, min(promised(change))])
}

# The RPOs promised by the settings and by the tags of the VMs that the group lists.
promised(change) := settings.promised(change.address) | {rpo |
	some id in change.change.after.vm_ids
	some rpo in promised_to_vm[id]
}

promised_to_vm := by_vm

by_vm[to.vm] contains rpo if {
	some to, promises in verdict.promised_to
	some rpo in promises
}

# Groups that start to replicate. weaker.rego compares the other groups with their state before the plan.
problems contains verdict.problem("no_promise", change.address, says) if {
	some change in kept
	is_number(change.change.after.replication.rpo_minutes)
	not is_number(object.get(change.change, ["before", "replication", "rpo_minutes"], null))
	count(promised(change)) == 0
	says := "has no tier: neither data.vsla_sla_compliance nor `promises` defines the RPO that it must meet"
}

problems contains verdict.problem("weaker_than_tier", change.address, says) if {
	some change in kept
	some name, before in policies(change.change.before)
	after := object.get(policies(change.change.after), name, {})
	not lasts(span(after, "keep"), span(before, "keep"))
	says := sprintf("keeps the recovery points of %s for a shorter time or not at all", [name])
}

problems contains verdict.problem("weaker_than_tier", change.address, says) if {
	some change in kept
	some name, before in policies(change.change.before)
	after := policies(change.change.after)[name]
	not as_often(before, after)
	says := sprintf("takes snapshots for %s less often", [name])
}

problems contains verdict.problem("unknown", change.address, "has an RPO or a retention that is not known during plan") if {
	some change in kept
	some name in {"replication", "snapshot_policies"}
	walk(change.change.after_unknown[name], [_, true])
}

# Snapshot and long-term policies by name.
policies(values) := object.union(
	{sprintf("snapshot_policies.%s", [name]): policy | some name, policy in values.snapshot_policies},
	{sprintf("long_term.%s", [name]): policy |
		some name, policy in values.replication.long_term
		is_object(policy)
	},
)

units := {
	"minutes": {"minutes": 1}, "hours": {"minutes": 60}, "days": {"minutes": 1440}, "weeks": {"minutes": 10080},
	"months": {"months": 1}, "years": {"months": 12},
}

# The length of a policy's keep_* or every_* period: keep_days = 7 is 10,080 minutes, keep_years = 1 is 12 months.
span(policy, prefix) := {kind: length |
	some unit, sizes in units
	some kind, size in sizes
	key := sprintf("%s_%s", [prefix, unit])
	is_number(policy[key])
	length := size * policy[key]
}

# Whether `period` is at least as long as `other`. When months are compared with days, a month counts as 28 days in
# `period` and as 31 days in `other`.
lasts(period, other) if period.months >= other.months

lasts(period, other) if period.minutes >= other.minutes

lasts(period, other) if period.months * ((28 * 24) * 60) >= other.minutes

lasts(period, other) if period.minutes >= other.months * ((31 * 24) * 60)
