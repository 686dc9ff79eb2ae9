# The gate: `deny` for conftest and `allow` for OPA. Each entry of `deny` has a code, an address, and a message.
package vsla

import data.vsla.bounds
import data.vsla.groups
import data.vsla.plan
import data.vsla.removals
import data.vsla.settings
import data.vsla.verdict
import data.vsla.weaker

# Defined only when it is true, so that `opa eval --fail data.vsla.allow` also fails when a policy file is missing.
allow if {
	count(settings.expected) > 0
	count(deny) == 0
}

deny contains object.union(p, {"msg": sprintf("%s (%s)", [p.msg, hint(p)])}) if {
	some p in problems
	not waived(p)
}

# Appended to each message: the code to use in a waiver, or that the problem cannot be waived.
hint(p) := sprintf("code %s; can be waived", [p.code]) if p.code in settings.waivable

hint(p) := sprintf("code %s; cannot be waived", [p.code]) if not p.code in settings.waivable

problems contains p if some p in verdict.problems

problems contains p if some p in bounds.problems

problems contains p if some p in removals.problems

problems contains p if some p in groups.problems

problems contains p if some p in weaker.problems

problems contains {"code": d.code, "address": "plan", "msg": d.msg} if some d in plan.defects

problems contains {"code": "settings", "address": "data.gate", "msg": m} if some m in settings.problems

problems contains verdict.problem("unknown", plan.value(change, "address"), says) if {
	some change in plan.pending
	says := "is not known during plan: an input is unknown, or the result depends on a pending change"
}

problems contains verdict.problem("no_result", address, no_result) if {
	some address in plan.declared
	not address in plan.known_names
	count([c | some c in plan.pending; plan.means(address, c.address)]) == 0
}

no_result := "is in the configuration, but the plan has no result for it"

# --- what the settings expect

problems contains verdict.problem("missing", item.address, "is expected, but the plan has no known result for it") if {
	some item in settings.expected
	not item.address in results
}

results contains address if some address in plan.known_names

results contains address if {
	some resource in plan.managed
	some address in plan.names_of(resource.address)
}

results contains concat("", ["output.", name]) if {
	some name, output in input.planned_values.outputs
	is_object(output.value)
}

# Check blocks and conditions on resources count as results. A condition on a vsla result or an output does not replace
# that result.
results contains address if {
	some check in input.checks
	address := check.address.to_display
	not regex.match(`^((data\.)?vsla_|output\.)`, plan.local_address(plan.block_address(address)))
}

# --- check blocks, preconditions and postconditions

check_address(check) := plan.value(plan.value(check, "address"), "to_display")

check_may_pass(check) if check.status in {"pass", "unknown"}

problems contains verdict.problem("check_failed", check_address(check), says) if {
	some check in input.checks
	not check_may_pass(check)
	says := sprintf("did not pass: its status is %v", [plan.value(check, "status")])
}

problems contains verdict.problem("unknown", check_address(check), "cannot be checked during plan: a value is unknown") if {
	some check in input.checks
	check.status == "unknown"
	ours(check)
}

# A condition on another provider's resource may stay unknown until apply, unless the settings expect it.
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

warn contains {"code": p.code, "address": p.address, "msg": message} if {
	some p in problems
	some waiver in settings.waivers
	covers(waiver, p)
	settings.in_force(waiver)
	granted := [waiver.name, waiver.expires, waiver.reason, waiver.approved_by, p.msg]
	message := sprintf("waived by %q until %s (%s, approved by %s): %s", granted)
}

warn contains p if {
	not settings.bounds_required
	some p in bounds.unbounded
}

warn contains {"code": "unverified_output", "address": item.address, "msg": message} if {
	some item in settings.expected
	settings.is_output(item.address)
	message := sprintf("%s is accepted without proof: an expression can construct any object", [item.address])
}

warn contains w if some w in verdict.unknown_time

warn contains w if some w in removals.warn

warn contains warning(waiver, sprintf("waiver %q expired on %s", [waiver.name, waiver.expires])) if {
	some waiver in settings.waivers
	settings.expired(waiver)
}

warning(waiver, message) := {"code": "waiver", "address": waiver.address, "msg": message}

warn contains warning(waiver, sprintf("waiver %q is no longer needed", [waiver.name])) if {
	some waiver in settings.waivers
	settings.in_force(waiver)
	count([p | some p in problems; covers(waiver, p)]) == 0
}

warn contains {"code": "untagged_but_replicated", "address": s.address, "msg": message} if {
	some s in verdict.subjects
	s.type == "vsla_sla_compliance"
	count(s.values.untagged_but_replicated) > 0
	message := sprintf("%s: replicated without a tier: %s", [s.address, concat(", ", s.values.untagged_but_replicated)])
}
