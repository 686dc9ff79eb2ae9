# Which values of an input flatter the verdict. `better` is the direction that flatters: low, high, either, or no.
# "worst" means that leaving the input out is the most cautious choice. Inputs of nested objects are named
# "groups.vm_count", numbers in a map "counts.". A test compares this list with the schemas of the provider: a new
# input has to be judged here.
package vsla.inputs

import data.vsla.calculators

flatters := {
	"vsla_configuration_limits": {
		"product": {"better": "either"},
		"version": {"better": "either"},
		"operations": {"better": "low"},
		"counts": {"better": "low"},
		"counts.": {"better": "low"},
		"overrides": {"better": "high"},
		"overrides.": {"better": "either"},
	},
	"vsla_latency_impact": {
		"users": {"better": "either"},
		"think_seconds": {"better": "high"},
		"rtt_before_ms": {"better": "high"},
		"rtt_after_ms": {"better": "low"},
		"throughput_before": {"better": "low"},
		"throughput_after": {"better": "high"},
		"round_trips_per_operation": {"better": "low"},
		"tolerance_percent": {"better": "high"},
	},
	"vsla_link_throughput": {
		"bandwidth_mbps": {"better": "high"},
		"efficiency_percent": {"better": "high"},
		"share_percent": {"better": "high"},
		"rtt_ms": {"better": "low"},
		"loss_percent": {"better": "low"},
		"mss_bytes": {"better": "high"},
		"congestion_control": {"better": "either"},
		"window_kib": {"better": "high"},
		"streams": {"better": "high"},
		"per_flow_limit_mbps": {"better": "high"},
	},
	"vsla_migration_plan": {
		"virtual_machines": {"better": "low"},
		"virtual_machines.memory_gib": {"better": "low"},
		"virtual_machines.memory_dirty_mbps": {"better": "low"},
		"virtual_machines.disk_gib": {"better": "low"},
		"virtual_machines.host": {"better": "no"},
		"virtual_machines.target_host": {"better": "no"},
		"virtual_machines.target_datastore": {"better": "no"},
		"virtual_machines.method": {"better": "no"},
		"virtual_machines.switchover_minutes": {"better": "low"},
		"virtual_machines.datastore": {"better": "no"},
		"virtual_machines.move_group": {"better": "no"},
		"throughput_mbps": {"better": "high"},
		"hourly_throughput_mbps": {"better": "high"},
		"rtt_ms": {"better": "low"},
		"switchover_goal_ms": {"better": "high"},
		"setup_seconds": {"better": "low"},
		"resume_seconds": {"better": "low"},
		"nic_mbps": {"better": "either"},
		"window_start_hour": {"better": "either"},
		"per_migration_mbps": {"better": "high"},
		"max_concurrent": {"better": "low", "absent": "worst"},
		"host_slots": {"better": "either"},
		"network_slots": {"better": "either"},
		"datastore_slots": {"better": "either"},
		"window_hours": {"better": "high"},
	},
	"vsla_replica_storage": {
		"vm_count": {"better": "low"},
		"used_gib": {"better": "low"},
		"daily_change_percent": {"better": "low"},
		"change_curve": {"better": "either"},
		"change_curve.": {"better": "low"},
		"rpo_minutes": {"better": "low"},
		"point_in_time": {"better": "low"},
		"point_in_time.instances_per_day": {"better": "low"},
		"point_in_time.days": {"better": "low"},
		"target_free_gib": {"better": "high"},
		"growth_percent_per_year": {"better": "low"},
		"horizon_months": {"better": "no"},
	},
	"vsla_replication_calibration": {
		"last_sync_size_bytes": {"better": "either"},
		"last_sync_duration_seconds": {"better": "either"},
		"rpo_minutes": {"better": "high"},
		"interval_seconds": {"better": "high"},
		"vm_size_gib": {"better": "either"},
		"throughput_mbps": {"better": "low"},
		"daily_change_percent": {"better": "high"},
		"peak_factor": {"better": "high"},
		"tolerance_percent": {"better": "high"},
	},
	"vsla_replication_confidence": {
		"vm_count": {"better": "low"},
		"vm_size_gib": {"better": "low"},
		"daily_change_percent": {"better": "low"},
		"throughput_mbps": {"better": "high"},
		"rpo_minutes": {"better": "high"},
		"peak_factor": {"better": "low", "absent": "worst"},
		"efficiency_percent": {"better": "high"},
		"compression_ratio": {"better": "high"},
		"seeded_percent": {"better": "high"},
		"overhead_seconds": {"better": "low"},
		"growth_percent_per_year": {"better": "no"},
		"horizon_months": {"better": "no"},
		"change_curve": {"better": "either"},
		"change_curve.": {"better": "low"},
		"link": {"better": "no"},
		"checksum_mbps": {"better": "high"},
		"source_read_mbps": {"better": "high"},
		"target_write_mbps": {"better": "high"},
		"target_write_factor": {"better": "low"},
		"deadline_hours": {"better": "no"},
	},
	"vsla_replication_estimate": {
		"vm_count": {"better": "low"},
		"vm_size_gib": {"better": "low"},
		"daily_change_percent": {"better": "low"},
		"throughput_mbps": {"better": "high"},
		"rpo_minutes": {"better": "high"},
		"peak_factor": {"better": "low", "absent": "worst"},
		"efficiency_percent": {"better": "high"},
		"compression_ratio": {"better": "high"},
		"seeded_percent": {"better": "high"},
		"overhead_seconds": {"better": "low"},
		"growth_percent_per_year": {"better": "low"},
		"horizon_months": {"better": "low"},
		"change_curve": {"better": "either"},
		"change_curve.": {"better": "low"},
		"link": {"better": "no"},
		"checksum_mbps": {"better": "high"},
		"source_read_mbps": {"better": "high"},
		"target_write_mbps": {"better": "high"},
		"target_write_factor": {"better": "low"},
		"deadline_hours": {"better": "no"},
	},
	"vsla_replication_schedule": {
		"groups": {"better": "low"},
		"groups.vm_count": {"better": "low"},
		"groups.vm_size_gib": {"better": "low"},
		"groups.daily_change_percent": {"better": "low"},
		"groups.rpo_minutes": {"better": "high"},
		"groups.hourly_weights": {"better": "either"},
		"groups.compression_ratio": {"better": "high"},
		"groups.change_curve": {"better": "either"},
		"groups.change_curve.": {"better": "low"},
		"groups.overhead_seconds": {"better": "low"},
		"groups.seeded_percent": {"better": "high"},
		"days": {"better": "low"},
		"efficiency_percent": {"better": "high"},
		"per_sync_mbps": {"better": "high"},
		"checksum_mbps": {"better": "high"},
		"target_compliance_percent": {"better": "low"},
		"runs": {"better": "either"},
		"jitter_percent": {"better": "low"},
		"outage_minutes": {"better": "low"},
		"outage_start_hours": {"better": "either"},
		"throughput_mbps": {"better": "high"},
		"hourly_throughput_mbps": {"better": "high"},
		"max_concurrent_syncs": {"better": "either"},
		"start_in_sync": {"better": "either"},
	},
	"vsla_sla_compliance": {
		"pairing_id": {"better": "either"},
		"tiers": {"better": "low"},
		"tiers.tag_id": {"better": "either"},
		"tiers.rpo_minutes": {"better": "high"},
		"tiers.daily_change_percent": {"better": "no"},
		"throughput_mbps": {"better": "no"},
		"peak_factor": {"better": "no"},
		"efficiency_percent": {"better": "no"},
		"compression_ratio": {"better": "no"},
		"seeded_percent": {"better": "no"},
		"overhead_seconds": {"better": "no"},
	},
	"vsla_vmotion_estimate": {
		"memory_gib": {"better": "low"},
		"memory_dirty_mbps": {"better": "low"},
		"working_set_gib": {"better": "low", "absent": "worst"},
		"disk_gib": {"better": "low"},
		"disk_write_mbps": {"better": "low"},
		"throughput_mbps": {"better": "high"},
		"rtt_ms": {"better": "low"},
		"concurrent_migrations": {"better": "low"},
		"switchover_goal_ms": {"better": "high"},
		"setup_seconds": {"better": "low"},
		"resume_seconds": {"better": "low"},
	},
}

# Maps have inputs, or numbers, of their own.
is_map(type, field) if {
	some name, _ in flatters[type]
	startswith(name, concat("", [field, "."]))
}

# A number or { low, likely, high }.
is_range(type, field) if calculators.calculators[type].ranges[field]

# What counts where an input is not set, or null: the default, of a map the number of its elements.
absent(type, field) := found if {
	found := flatters[type][field].absent
}

else := 0 if is_map(type, field)

else := found if found := calculators.calculators[type].inputs[field]

else := null
