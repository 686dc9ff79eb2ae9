# Unit tests of holds_months: how long promises and target space last.
package vsla_test

# A growing data.vsla_sla_plan with patched values.
growing(patches, months) := codes(
	of_promises(
		array.concat(
			[
				{"op": "add", "path": "values/growth_percent_per_year", "value": 30},
				{"op": "add", "path": "values/horizon_months", "value": 60},
				{"op": "add", "path": "values/promises/gold/months_until_at_risk", "value": 24},
				{"op": "add", "path": "values/promises/gold/months_until_miss", "value": 40},
				{"op": "replace", "path": "values/targets", "value": {"dr": {
					"free_gib": 1000, "free_after_gib": 500, "months_until_full": 50,
				}}},
			],
			patches,
		),
		both_vms,
	),
	{"expected": [{"address": "data.vsla_sla_plan.estate", "holds_months": months}]},
)

test_promise_lasts if {
	growing([], 24) == set()
	growing([], 24.1) == {"exhausts_before"}
	growing([{"op": "replace", "path": "values/promises/gold/months_until_at_risk", "value": null}], 50) == set()
}

test_promise_at_risk_lasts_until_it_misses if {
	tight := [
		{"op": "replace", "path": "values/verdict", "value": "at_risk"},
		{"op": "replace", "path": "values/promises/gold/verdict", "value": "at_risk"},
		{"op": "replace", "path": "values/promises/gold/months_until_at_risk", "value": 0},
	]
	growing(tight, 40) == {"at_risk"}
	growing(tight, 41) == {"at_risk", "exhausts_before"}
}

test_promise_that_misses_is_denied_as_it_is if {
	missing := [
		{"op": "replace", "path": "values/verdict", "value": "misses"},
		{"op": "replace", "path": "values/promises/gold/verdict", "value": "misses"},
	]
	growing(missing, 41) == {"rpo_missed"}
}

test_space_lasts if {
	for_ever := {"op": "replace", "path": "values/promises/gold/months_until_at_risk", "value": null}
	growing([for_ever], 50) == set()
	growing([for_ever], 51) == {"exhausts_before"}
	growing([for_ever, {"op": "replace", "path": "values/targets/dr/months_until_full", "value": null}], 60) == set()
	growing([for_ever, {"op": "remove", "path": "values/targets/dr/months_until_full"}], 12) == {"unknown"}
}

test_growth_that_is_not_foreseen if {
	at := "values/promises/gold/months_until_at_risk"
	for_ever := {"op": "replace", "path": at, "value": null}
	every patches in [
		[{"op": "replace", "path": "values/growth_percent_per_year", "value": null}],
		[for_ever, {"op": "replace", "path": "values/horizon_months", "value": 23}],
		[for_ever, {"op": "replace", "path": "values/horizon_months", "value": "60"}],
		[{"op": "replace", "path": at, "value": "60"}],
		[{"op": "remove", "path": at}],
	] {
		growing(patches, 24) == {"unknown"}
	}

	# The default horizon is 36 months.
	standard := [for_ever, {"op": "replace", "path": "values/horizon_months", "value": null}]
	growing(standard, 36) == set()
	growing(standard, 37) == {"unknown"}
}

test_exhaustion_can_be_waived if {
	w := object.union(waiver, {"address": "data.vsla_sla_plan.estate", "code": "exhausts_before"})
	g := object.union(
		waiving([w], "2026-12-31"),
		{"expected": [{"address": "data.vsla_sla_plan.estate", "holds_months": 36}]},
	)
	codes(
		of_promises(
			[
				{"op": "add", "path": "values/growth_percent_per_year", "value": 30},
				{"op": "add", "path": "values/promises/gold/months_until_at_risk", "value": 24},
			],
			both_vms,
		),
		g,
	) == set()
}

test_misspelt_horizon if {
	every item in [
		{"address": "data.vsla_sla_plan.x", "holds_months": "24"},
		{"address": "data.vsla_sla_plan.x", "holds_months": 0},
		{"address": "data.vsla_replica_storage.x", "holds_months": 24},
		{"address": "data.vsla_replication_estimate.gold", "holds_months": 24},
		{"address": "data.vsla_replication_estimate.gold", "covers": "vsla_tag_association.gold"},
		{"address": "vsla_replication.db", "holds_months": 24},
	] {
		codes(good, {"expected": [gate.expected[0], item]}) - {"missing"} == {"settings"}
	}
}
