# Unit tests of the checks on tier periods and on a history.
package vsla_test

import data.vsla

kept := {
	"verdict": "kept",
	"vm_count": 2,
	"unknown_vm_count": 0,
	"promised_compliance_percent": 99,
	"compliance_percent": 99,
	"violation_minutes": 820,
	"known_minutes": 82080,
	"unknown_minutes": 4320,
}

broken := object.union(kept, {"verdict": "broken", "compliance_percent": 98.99})

not_known := object.union(kept, {"verdict": "unknown", "unknown_vm_count": 1})

over(changed) := object.union(compliance, {"values": object.union(compliance.values, changed)})

gold(percent) := {"tiers": {"gold": {"rpo_minutes": 15, "compliance_percent": percent}}}

measuring(period, changed, g) := codes(
	with_record(over(object.union(object.union(gold(99), {"periods": {"gold": period}}), changed))),
	object.union(gate, g),
)

bad := {"compliant": false}

test_period_kept if measuring(kept, {}, {}) == set()

test_period_broken if measuring(broken, bad, {}) == {"period_broken"}

test_period_not_known if measuring(not_known, bad, {}) == {"not_measured"}

test_period_broken_and_unprotected if {
	changed := {"compliant": false, "unprotected": ["vm-1"]}
	measuring(broken, changed, {}) == {"period_broken", "unprotected"}
}

test_period_without_a_promise if {
	free := object.union(kept, {"verdict": "not_promised", "promised_compliance_percent": null, "compliance_percent": 5})
	measuring(free, gold(null), {}) == set()
	none := object.union(kept, {"verdict": "no_vms", "vm_count": 0, "compliance_percent": null})
	measuring(none, {}, {}) == set()
}

test_no_period_is_asked if {
	codes(with_record(over({"periods": null})), gate) == set()
	codes(with_record(over(object.union(gold(null), {"periods": null}))), gate) == set()
}

test_promise_without_its_period if {
	every periods in [null, {}, {"silver": kept}, {"gold": object.union(kept, {"promised_compliance_percent": 98})}] {
		codes(with_record(over(object.union(gold(99), {"periods": periods}))), gate) == {"unknown"}
	}
}

test_period_that_contradicts_itself if {
	every changed in [
		{"verdict": "KEPT"},
		{"verdict": null},
		{"compliance_percent": null},
		{"compliance_percent": "99"},
		{"compliance_percent": 101},
		{"unknown_vm_count": 1},
		{"unknown_vm_count": null},
		{"verdict": "no_vms"},
		{"verdict": "not_promised"},
		# 2,000 of 86,400 minutes are known, 2.3%.
		{"known_minutes": 2000, "unknown_minutes": 84400},
		{"violation_minutes": null},
	] {
		measuring(object.union(kept, changed), {}, {}) == {"unknown"}
	}
	measuring(object.union(kept, {"compliance_percent": 98}), {}, {}) == {"period_broken", "unknown"}
	measuring(broken, {}, {}) == {"period_broken", "unknown"}
	measuring(kept, bad, {}) == {"unknown"}
}

test_period_can_be_waived if {
	w := object.union(waiver, {"address": compliance.address, "code": "period_broken"})
	measuring(broken, bad, waiving([w], "2026-12-31")) == set()
	measuring(broken, object.union(bad, {"unprotected": ["vm-1"]}), waiving([w], "2026-12-31")) == {"unprotected"}
}

warned(p, g) := {w.msg |
	some w in vsla.warn with input as p with data.gate as object.union(gate, g)
	w.code == "unknown_time"
}

test_unknown_time_is_a_warning if {
	p := with_record(over(object.union(gold(99), {"periods": {"gold": kept}})))
	says := "data.vsla_sla_compliance.site: 5% of the period of tier gold is not known; the settings warn above 4%"
	warned(p, {"max_unknown_percent": 4}) == {says}
	warned(p, {"max_unknown_percent": 5}) == set()
	warned(p, {}) == set()
	measuring(kept, {}, {"max_unknown_percent": 4}) == set()
}

history := record("vsla_replication_history", {"total": object.union(kept, {"compliance_percent": 98.5})})

told(total, g) := codes(
	with_record(record("vsla_replication_history", {"total": object.union(history.values.total, total)})),
	object.union(gate, g),
)

test_history_below_the_limit if {
	told({}, {"min_compliance_percent": 98.5}) == set()
	told({}, {"min_compliance_percent": 98.6}) == {"low_compliance"}
	told({}, {}) == set()
	w := object.union(waiver, {"address": history.address, "code": "low_compliance"})
	told({}, object.union(waiving([w], "2026-12-31"), {"min_compliance_percent": 99})) == set()
}

test_history_of_nothing if {
	nothing := {"known_minutes": 0, "compliance_percent": null}
	told(nothing, {"min_compliance_percent": 1}) == {"not_measured"}
	told(nothing, {}) == set()
	expected := {"expected": array.concat(gate.expected, [{"address": history.address}])}
	told(nothing, expected) == {"not_measured"}
}

test_history_that_contradicts_itself if {
	every total in [
		{"compliance_percent": null},
		{"compliance_percent": "99"},
		{"compliance_percent": 101},
		{"known_minutes": 0},
		{"known_minutes": null},
		{"unknown_minutes": null},
	] {
		told(total, {"min_compliance_percent": 50}) == {"unknown"}
	}
	codes(with_record(record("vsla_replication_history", {})), object.union(gate, {"min_compliance_percent": 0})) == {"unknown"}
}

test_unknown_time_of_a_history if {
	says := "data.vsla_replication_history.x: 5% of the period is not known; the settings warn above 4%"
	warned(with_record(history), {"max_unknown_percent": 4, "min_compliance_percent": 50}) == {says}
}

test_history_is_waited_for if {
	later := json.patch(good, [{"op": "add", "path": "resource_changes/-", "value": {
		"address": history.address,
		"mode": "data",
		"type": "vsla_replication_history",
		"provider_name": ours,
		"action_reason": "read_because_config_unknown",
	}}])
	codes(later, object.union(gate, {"min_compliance_percent": 99})) == {"unknown"}
	codes(later, gate) == set()
}

test_misspelt_limits if {
	every g in [
		{"min_compliance_percent": "99"},
		{"min_compliance_percent": 101},
		{"max_unknown_percent": null},
		{"max_unknown_percent": -1},
		{"min_complience_percent": 99},
	] {
		"settings" in codes(good, object.union(gate, g))
	}
}
