# Judges data.vsla_sla_plan: each tier is its own promise.
package vsla.verdict

promise_codes := {"misses": "rpo_missed", "at_risk": "at_risk", "unknown": "unknown"}

problems contains problem(code, s.address, says) if {
	some s in subjects
	s.type == "vsla_sla_plan"
	some tier, promise in s.values.promises
	code := promise_codes[promise.verdict]
	says := sprintf("breaks the promise of tier %s (%s): %s", [tier, promise.verdict, needs(s, promise)])
}

# The explanations, and the throughput that each overloaded link needs.
needs(s, promise) := concat(" ", [text | some text in array.concat(promise.explanations, wanted(s, promise))])

wanted(s, promise) := [sprintf("Link %s needs %v Mbit/s.", [name, link.throughput_needed_mbps]) |
	some name, link in s.values.links
	promise.verdict in {"misses", "at_risk"}
	is_number(link.throughput_needed_mbps)
	is_number(link.headroom_percent)
	link.headroom_percent < 0
]

# The verdict is that of the worst promise, every tier has a promise, and no promise is met while a VM is late.
sound(s) if {
	s.type == "vsla_sla_plan"
	count(s.values.promises) > 0
	every _, promise in s.values.promises {
		promise.verdict in {"meets", "at_risk", "misses", "unknown"}
		is_array(promise.explanations)
		on_time(promise)
	}
	s.values.verdict == worst_of({promise.verdict | some promise in s.values.promises})
	each_tier(s)
}

on_time(promise) if promise.verdict != "meets"

on_time(promise) if promise.late_vm_count == 0

each_tier(s) if s.inputs == false

each_tier(s) if object.keys(s.values.promises) == object.keys(s.values.tiers)

worst_of(verdicts) := [verdict | some verdict in ["misses", "unknown", "at_risk", "meets"]; verdict in verdicts][0]
