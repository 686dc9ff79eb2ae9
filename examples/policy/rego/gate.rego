# The gate: `deny` for conftest, `allow` for OPA. Each entry of deny has a code, an address and a message.
package vsla

import data.vsla.plan
import data.vsla.settings
import data.vsla.verdict

# Defined only when it is true, so that `opa eval --fail data.vsla.allow` also fails when a policy file is missing.
allow if {
	count(settings.expected) > 0
	count(deny) == 0
}

deny contains p if {
	some p in problems
	not waived(p)
}

problems contains p if some p in verdict.problems

problems contains {"code": d.code, "address": "plan", "msg": d.msg} if some d in plan.defects

problems contains {"code": "settings", "address": "data.gate", "msg": m} if some m in settings.problems

problems contains verdict.problem("unknown", plan.value(change, "address"), "is not known at plan: an input is unknown, or it depends on something that will change") if {
	some change in plan.pending
}

problems contains verdict.problem("no_result", address, "is in the configuration, and the plan has no result of it") if {
	some address in plan.declared
	count([r | some r in plan.known; plan.means(address, r.address)]) == 0
	count([c | some c in plan.pending; plan.means(address, c.address)]) == 0
}

# --- what the settings expect

problems contains verdict.problem("missing", item.address, "is expected, and the plan has no known result of it") if {
	some item in settings.expected
	count([address | some address in results; plan.means(item.address, address)]) == 0
}

results contains record.address if some record in plan.known

results contains replication.address if some replication in plan.replications

results contains concat("", ["output.", name]) if {
	some name, output in input.planned_values.outputs
	is_object(output.value)
}

results contains check.address.to_display if some check in input.checks

problems contains verdict.problem("weaker_than_tier", r.address, sprintf("reckons with an RPO of %v minutes, the promise is %v", [plan.value(plan.value(r, "values"), "rpo_minutes"), item.max_rpo_minutes])) if {
	some item in settings.expected
	some r in plan.known
	plan.means(item.address, r.address)
	"max_rpo_minutes" in object.keys(item)
	not at_most(r, item.max_rpo_minutes)
}

at_most(record, minutes) if {
	is_number(record.values.rpo_minutes)
	record.values.rpo_minutes <= minutes
}

# --- check blocks, preconditions and postconditions

check_address(check) := plan.value(plan.value(check, "address"), "to_display")

check_may_pass(check) if check.status in {"pass", "unknown"}

problems contains verdict.problem("check_failed", check_address(check), sprintf("did not pass: its status is %v", [plan.value(check, "status")])) if {
	some check in input.checks
	not check_may_pass(check)
}

problems contains verdict.problem("unknown", check_address(check), "cannot be checked at plan: a value is unknown") if {
	some check in input.checks
	check.status == "unknown"
	ours(check)
}

# A condition on somebody else's resource may wait for apply, unless the settings expect it.
ours(check) if plan.value(plan.value(check, "address"), "kind") != "resource"

ours(check) if contains(check.address.to_display, "vsla_")

ours(check) if {
	some item in settings.expected
	item.address == check.address.to_display
}

# --- waivers

waived(p) if {
	some waiver in settings.waivers
	covers(waiver, p)
	settings.in_force(waiver)
}

covers(waiver, p) if {
	waiver.code == p.code
	plan.means(waiver.address, p.address)
}

warn contains {"code": p.code, "address": p.address, "msg": sprintf("waived by %q until %s (%s, approved by %s): %s", [waiver.name, waiver.expires, waiver.reason, waiver.approved_by, p.msg])} if {
	some p in problems
	some waiver in settings.waivers
	covers(waiver, p)
	settings.in_force(waiver)
}

warn contains {"code": "waiver", "address": waiver.address, "msg": sprintf("waiver %q expired on %s", [waiver.name, waiver.expires])} if {
	some waiver in settings.waivers
	settings.sound_waiver(waiver)
	not settings.in_force(waiver)
}

warn contains {"code": "waiver", "address": waiver.address, "msg": sprintf("waiver %q is no longer needed", [waiver.name])} if {
	some waiver in settings.waivers
	settings.in_force(waiver)
	count([p | some p in problems; covers(waiver, p)]) == 0
}

warn contains {"code": "untagged_but_replicated", "address": s.address, "msg": sprintf("%s: replicated without a tier: %s", [s.address, concat(", ", s.values.untagged_but_replicated)])} if {
	some s in verdict.subjects
	s.type == "vsla_sla_compliance"
	count(s.values.untagged_but_replicated) > 0
}
