# Unit tests of the checks on target space.
package vsla_test

import data.vsla.calculators
import data.vsla.plan

left(free, after, g) := codes(
	of_promises(
		[{"op": "replace", "path": "values/targets", "value": {"dr": {
			"free_gib": free,
			"free_after_gib": after,
		}}}],
		both_vms,
	),
	object.union({"expected": [{"address": "data.vsla_sla_plan.estate"}]}, g),
)

test_headroom if {
	left(1000, 150, {}) == set()
	left(1000, 149.9, {}) == {"low_headroom"}
	left(1000, 149.9, {"min_headroom_percent": 10}) == set()
	left(1000, 0, {"min_headroom_percent": 0}) == set()
	left(null, null, {}) == set()
	left(1000, null, {}) == {"low_headroom"}
	left(1000, "150", {}) == {"low_headroom"}

	# A full target is reported by its promises.
	left(1000, -1, {}) == set()
}

test_headroom_can_be_waived if {
	w := object.union(waiver, {"address": "data.vsla_sla_plan.estate", "code": "low_headroom"})
	left(1000, 100, object.remove(waiving([w], "2026-12-31"), ["expected"])) == set()
}

test_misspelt_percentages if {
	every g in [
		{"min_headroom_percent": "95"},
		{"min_headroom_percent": 101},
		{"min_headroom_percent": -1},
		{"min_headroom_percent": null},
		{"min_head_room_percent": 10},
	] {
		codes(good, object.union(gate, g)) == {"settings"}
	}
}

# Every calculator with a verdict is judged.
test_every_judgement_is_in_the_kit if {
	judging := {type |
		some type, calculator in calculators.calculators
		count(object.union(calculator.verdicts, calculator.flag)) > 0
	}
	judging - (plan.judged | plan.judged_on_request) == set()
}
