# Unit tests of the checks on target space and on estimates from ranges.
package vsla_test

import data.vsla.calculators
import data.vsla.plan

storage := {"fits": true, "target_gib": 800, "target_free_gib": 1000, "reasons": [], "summary": "Fine."}

too_small := {"fits": false, "target_gib": 1100, "target_free_gib": 1000, "reasons": ["target_too_small"]}

stored(changed, g) := codes(
	with_record(record("vsla_replica_storage", object.union(storage, changed))),
	object.union(gate, g),
)

test_replicas_fit if stored({}, {}) == set()

test_replicas_do_not_fit if stored(too_small, {}) == {"storage_exceeded"}

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

test_free_space_not_given if {
	stored({"fits": null, "target_free_gib": null}, {}) == {"not_measured"}
	absent := record("vsla_replica_storage", {"fits": null, "target_gib": 8, "reasons": []})
	codes(with_record(absent), gate) == {"not_measured"}
}

test_space_that_contradicts_itself if {
	every changed in [
		{"target_gib": 1001},
		{"target_gib": null},
		{"target_free_gib": null},
		{"fits": null},
		{"fits": "true"},
		{"reasons": null},
		{"reasons": ["target_too_small"]},
	] {
		stored(changed, {}) == {"unknown"}
	}
	stored(object.union(too_small, {"target_free_gib": 1100}), {}) == {"storage_exceeded", "unknown"}
	codes(with_record(record("vsla_replica_storage", {})), gate) == {"unknown"}
	codes(with_record(record("vsla_replica_storage", null)), gate) == {"unknown"}
}

likely(verdict, meets, free) := codes(
	with_record(record("vsla_replication_confidence", {
		"verdict": verdict,
		"probability_meets_rpo_percent": meets,
		"probability_violation_free_percent": free,
	})),
	gate,
)

test_confidence if {
	likely("meets", 100, 95) == set()
	likely("at_risk", 100, 94.9) == {"at_risk"}
	likely("misses", 40, 0) == {"rpo_missed"}
}

test_confidence_that_is_none if {
	every pair in [[null, 95], [95, null], ["99", 98], [99, "98"], [101, 100], [99, -1], [95, 96]] {
		likely("meets", pair[0], pair[1]) == {"unknown"}
	}
	likely("MEETS", 100, 100) == {"unknown"}
	likely(null, 100, 100) == {"unknown"}
	codes(with_record(record("vsla_replication_confidence", {})), gate) == {"unknown"}
}

test_misspelt_percentages if {
	every g in [
		{"min_headroom_percent": "95"},
		{"min_headroom_percent": 101},
		{"min_headroom_percent": -1},
		{"min_headroom_percent": null},
		{"min_head_room_percent": 10},
	] {
		stored({}, g) == {"settings"}
	}
}

# A range needs one bound, or a bound for each of its numbers.
ranged(value, spec) := codes(
	with_record(record("vsla_replication_confidence", {
		"verdict": "meets",
		"probability_meets_rpo_percent": 100,
		"probability_violation_free_percent": 100,
		"throughput_mbps": value,
		"vm_count": null,
	})),
	object.union(
		{"expected": array.concat(
			[object.union(gate.expected[0], {"equal": {"vm_count": 15, "daily_change_percent": 5, "throughput_mbps": 900}})],
			[object.union({"address": "data.vsla_replication_confidence.x"}, spec)],
		)},
		{"require_bounds": true},
	),
)

test_bounds_of_a_range if {
	range := {"low": 400, "likely": 700, "high": 901}
	each := {"low": {"max": 400}, "likely": {"max": 700}, "high": {"max": 901}}
	ranged(range, {}) == {"unbounded"}
	ranged(range, {"max_throughput_mbps": 901}) == set()
	ranged(range, {"max_throughput_mbps": 900}) == {"input_out_of_bounds"}
	ranged(range, {"throughput_mbps": each}) == set()
	ranged(range, {"throughput_mbps": object.remove(each, ["likely"])}) == {"unbounded"}
	ranged(object.union(range, {"likely": 701}), {"throughput_mbps": each}) == {"input_out_of_bounds"}
	ranged(range, {"throughput_mbps": {"low": {"min": 1}, "likely": {"min": 1}, "high": {"min": 1}}}) == {"unbounded"}
	ranged(2000, {"throughput_mbps": each}) == {"input_out_of_bounds"}
}

# Every calculator with a verdict is judged.
test_every_judgement_is_in_the_kit if {
	judging := {type |
		some type, calculator in calculators.calculators
		count(object.union(calculator.verdicts, calculator.flag)) > 0
	}
	judging - (plan.judged | plan.judged_on_request) == set()
}
