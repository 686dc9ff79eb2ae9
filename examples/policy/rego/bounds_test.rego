# Unit tests of bounds, on a data source that is not a calculator and on a schedule.
package vsla_test

import data.vsla
import data.vsla.arguments
import data.vsla.inputs

record(type, values) := {
	"address": sprintf("data.%s.x", [type]),
	"mode": "data",
	"type": type,
	"provider_name": ours,
	"values": values,
}

with_record(r) := json.patch(good, [{"op": "add", "path": "prior_state/values/root_module/resources/-", "value": r}])

expecting(spec) := object.union(gate, {"expected": array.concat(gate.expected, [spec])})

vms(values, spec) := codes(
	with_record(record("vsla_virtual_machines", values)),
	expecting(object.union({"address": "data.vsla_virtual_machines.x"}, spec)),
)

test_bound_of_any_data_source if {
	vms({"vm_count": 15}, {"min_vm_count": 15}) == set()
	vms({"vm_count": 14}, {"min_vm_count": 15}) == {"input_out_of_bounds"}
}

test_number_that_is_missing_is_out_of_bounds if {
	vms({}, {"min_vm_count": 15}) == {"input_out_of_bounds"}
	vms({"vm_count": null}, {"max_vm_count": 15}) == {"input_out_of_bounds"}
	vms({"vm_count": "15"}, {"min_vm_count": 15}) == {"input_out_of_bounds"}
	vms(null, {"min_vm_count": 15}) == {"input_out_of_bounds"}
}

test_filter if {
	vms({"name_regex": "^db-"}, {"equal": {"name_regex": "^db-", "folder": null}}) == set()
	vms({"name_regex": "^db-1$"}, {"equal": {"name_regex": "^db-"}}) == {"input_out_of_bounds"}
	vms({"folder": "/DC0/vm/small"}, {"equal": {"folder": null}}) == {"input_out_of_bounds"}
}

schedule := {
	"verdict": "meets",
	"late_vm_count": 0,
	"within_rpo_percent": 100,
	"hourly_throughput_mbps": [100, 200],
	"groups": {"gold": {"vm_count": 15}, "tin": {"vm_count": 1}},
}

scheduled(spec) := codes(
	with_record(record("vsla_replication_schedule", schedule)),
	expecting(object.union({"address": "data.vsla_replication_schedule.x"}, spec)),
)

test_every_number_of_a_list if {
	scheduled({"max_hourly_throughput_mbps": 200}) == set()
	scheduled({"max_hourly_throughput_mbps": 199}) == {"input_out_of_bounds"}
}

test_elements if {
	scheduled({"min_groups": 2, "groups": {"gold": {"min_vm_count": 15}, "*": {"min_vm_count": 1}}}) == set()
	scheduled({"min_groups": 3}) == {"input_out_of_bounds"}
	scheduled({"groups": {"*": {"min_vm_count": 2}}}) == {"input_out_of_bounds"}
	scheduled({"groups": {"silver": {"min_vm_count": 1}}}) == {"input_out_of_bounds"}
}

test_input_that_is_no_input if {
	scheduled({"groups": {"gold": {"min_vms": 15}}}) == {"input_out_of_bounds", "settings"}
	scheduled({"equal": {"start": true}}) == {"input_out_of_bounds", "settings"}
}

test_bounds_that_are_required if {
	required := object.union(gate, {"require_bounds": true})
	codes(good, required) == {"unbounded"}
	some denied in vsla.deny with input as good with data.gate as required
	contains(denied.msg, "covers: its address in expected needs min_vm_count, or equal")
	bounds := {"min_vm_count": 1, "min_daily_change_percent": 1, "max_throughput_mbps": 900}
	spec := object.union(gate.expected[0], bounds)
	codes(good, object.union(required, {"expected": [spec]})) == set()
}

# Codes for a vsla_sla_compliance with a tag and an RPO for one tier.
asked(spec) := codes(
	with_record(object.union(compliance, {"values": object.union(compliance.values, {"tiers": {"gold": {
		"tag_id": "urn:1",
		"rpo_minutes": 15,
	}}})})),
	expecting(object.union({"address": compliance.address}, spec)),
)

test_bounds_of_a_compliance if {
	asked({"tiers": {"gold": {"max_rpo_minutes": 15, "equal": {"tag_id": "urn:1"}}}}) == set()
	asked({"equal": {"pairing_id": "p1"}}) == set()
	asked({"tiers": {"gold": {"max_rpo_minutes": 10}}}) == {"weaker_than_tier"}
	asked({"tiers": {"gold": {"equal": {"tag_id": "urn:2"}}}}) == {"input_out_of_bounds"}
	asked({"tiers": {"silver": {"max_rpo_minutes": 60}}}) == {"missing"}
	asked({"equal": {"pairing_id": "p2"}}) == {"input_out_of_bounds"}
}

# Calculators are not listed because their inputs are generated.
test_every_input_of_a_measurement if {
	every type in ["vsla_sla_compliance", "vsla_replication_history"] {
		object.keys(inputs.flatters[type]) == arguments.sources[type]
	}
}
