# Unit tests of what the gate asks of links that estimates share, and of how long a verdict lasts.
package vsla_test

# Two estimates on one link, and one on another.
on_link(first, second, g) := codes(
	json.patch(good, [{"op": "add", "path": "prior_state/values/root_module/resources/-", "value": r} |
		some r in [
			linked("a", object.union({"link": "metro"}, first)),
			linked("b", object.union({"link": "metro"}, second)),
			linked("c", {"link": "other", "rpo_used_percent": 99, "daily_link_use_percent": 99}),
			linked("d", {"link": null, "rpo_used_percent": 99, "daily_link_use_percent": 99}),
		]
	]),
	object.union(gate, g),
)

linked(name, values) := object.union(estimate, {
	"address": sprintf("data.vsla_replication_estimate.%s", [name]),
	"name": name,
	"values": object.union(estimate.values, object.union({"rpo_used_percent": 20, "daily_link_use_percent": 20}, values)),
})

test_shared_link if {
	on_link({}, {}, {}) == set()
	on_link({"rpo_used_percent": 30}, {"rpo_used_percent": 20}, {}) == set()
	on_link({"rpo_used_percent": 30}, {"rpo_used_percent": 20.1}, {}) == {"at_risk"}
	on_link({"rpo_used_percent": 60}, {"rpo_used_percent": 40}, {}) == {"at_risk"}
	on_link({"rpo_used_percent": 60}, {"rpo_used_percent": 40.1}, {}) == {"link_exceeded"}
	on_link({"daily_link_use_percent": 60}, {"daily_link_use_percent": 40}, {}) == set()
	on_link({"daily_link_use_percent": 60}, {"daily_link_use_percent": 40.1}, {}) == {"link_exceeded"}
}

test_shared_link_at_risk_can_be_waived if {
	w := object.union(waiver, {"address": "link.metro"})
	on_link({"rpo_used_percent": 30}, {"rpo_used_percent": 30}, waiving([w], "2026-12-31")) == set()
}

test_shared_link_that_cannot_be_added_up if {
	on_link({"throughput_mbps": 901}, {}, {}) == {"unknown"}
	every field in ["throughput_mbps", "rpo_used_percent", "daily_link_use_percent"] {
		on_link({field: null}, {field: null}, {}) == {"unknown"}
		on_link({field: "20"}, {field: "20"}, {}) == {"unknown"}
	}
}

growing := {
	"verdict": "meets",
	"meets_rpo": true,
	"violation_free": true,
	"rpo_minutes": 15,
	"growth_percent_per_year": 30,
	"horizon_months": 60,
	"months_until_at_risk": 24,
	"months_until_miss": 40,
}

holding(changed, months) := codes(
	with_values(object.union(growing, changed)),
	{"expected": [{"address": "data.vsla_replication_estimate.gold", "holds_months": months}]},
)

test_verdict_lasts if {
	holding({}, 24) == set()
	holding({}, 24.1) == {"exhausts_before"}
	holding({"months_until_at_risk": null}, 60) == set()
}

test_what_is_at_risk_lasts_until_it_misses if {
	changed := {"verdict": "at_risk", "violation_free": false, "months_until_at_risk": 0}
	holding(changed, 40) == {"at_risk"}
	holding(changed, 41) == {"at_risk", "exhausts_before"}
	holding({"verdict": "misses", "violation_free": false, "meets_rpo": false}, 12) == {"rpo_missed"}
}

test_growth_that_is_not_foreseen if {
	every changed in [
		{"growth_percent_per_year": null},
		{"months_until_at_risk": null, "horizon_months": 23},
		{"months_until_at_risk": null, "horizon_months": "60"},
		{"months_until_at_risk": "60"},
	] {
		holding(changed, 24) == {"unknown"}
	}
	values := object.remove(growing, ["months_until_at_risk"])
	expected := [{"address": "data.vsla_replication_estimate.gold", "holds_months": 24}]
	codes(with_values(values), {"expected": expected}) == {"unknown"}

	# The calculator looks 36 months ahead where it is not told how far.
	holding({"months_until_at_risk": null, "horizon_months": null}, 36) == set()
	holding({"months_until_at_risk": null, "horizon_months": null}, 37) == {"unknown"}
}

test_exhaustion_can_be_waived if {
	w := object.union(waiver, {"code": "exhausts_before"})
	g := object.union(
		waiving([w], "2026-12-31"),
		{"expected": [{"address": "data.vsla_replication_estimate.gold", "holds_months": 36}]},
	)
	codes(with_values(growing), g) == set()
}

filling(changed, months) := codes(
	with_record(record("vsla_replica_storage", object.union(
		object.union(storage, {"growth_percent_per_year": 30, "horizon_months": 36, "months_until_full": 24}),
		changed,
	))),
	expecting({"address": "data.vsla_replica_storage.x", "holds_months": months}),
)

test_space_lasts if {
	filling({}, 24) == set()
	filling({}, 25) == {"exhausts_before"}
	filling({"months_until_full": null}, 36) == set()
	filling({"months_until_full": null}, 37) == {"unknown"}
	filling({"growth_percent_per_year": null, "months_until_full": null}, 12) == {"unknown"}
	filling({"fits": null, "target_free_gib": null, "months_until_full": null}, 12) == {"not_measured", "unknown"}
}

test_misspelt_horizon if {
	every item in [
		{"address": "data.vsla_replication_estimate.gold", "holds_months": "24"},
		{"address": "data.vsla_replication_estimate.gold", "holds_months": 0},
		{"address": "data.vsla_virtual_machines.x", "holds_months": 24},
		{"address": "vsla_replication.db", "holds_months": 24},
		{"address": "output.gold", "type": "vsla_replication_estimate", "holds_months": 24},
	] {
		plan_with := with_record(record("vsla_virtual_machines", {}))
		codes(plan_with, {"expected": [gate.expected[0], item]}) - {"missing"} == {"settings"}
	}
}
