# The inputs of each calculator, and which values of them flatter its verdict. `better` is the direction that flatters:
# low, high, either, or no. `absent` is the value that counts where the input is not set; "worst" means that leaving it
# out is the most cautious choice. Inputs of nested objects are named "groups.vm_count", numbers in a map "counts.".
# A test compares this list with the schemas of the provider.
package vsla.inputs

flatters := {
	"vsla_configuration_limits": {
		"product": {"better": "either"},
		"version": {"better": "either"},
		"counts": {"better": "low"},
		"counts.": {"better": "low"},
		"overrides": {"better": "high", "absent": 0},
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
		"tolerance_percent": {"better": "high", "absent": 20},
	},
	"vsla_link_throughput": {
		"bandwidth_mbps": {"better": "high"},
		"efficiency_percent": {"better": "high", "absent": 100},
		"share_percent": {"better": "high", "absent": 100},
		"rtt_ms": {"better": "low", "absent": 0},
		"loss_percent": {"better": "low", "absent": 0},
		"mss_bytes": {"better": "high", "absent": 1460},
		"window_kib": {"better": "high"},
		"streams": {"better": "high", "absent": 1},
		"per_flow_limit_mbps": {"better": "high"},
	},
	"vsla_migration_plan": {
		"virtual_machines": {"better": "low"},
		"virtual_machines.memory_gib": {"better": "low"},
		"virtual_machines.memory_dirty_mbps": {"better": "low", "absent": 0},
		"virtual_machines.disk_gib": {"better": "low", "absent": 0},
		"virtual_machines.host": {"better": "no"},
		"virtual_machines.datastore": {"better": "no"},
		"virtual_machines.move_group": {"better": "no"},
		"throughput_mbps": {"better": "high"},
		"per_migration_mbps": {"better": "high"},
		"max_concurrent": {"better": "low", "absent": "worst"},
		"host_room": {"better": "either"},
		"network_room": {"better": "either"},
		"datastore_room": {"better": "either"},
		"window_hours": {"better": "high"},
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
		"tolerance_percent": {"better": "high", "absent": 10},
	},
	"vsla_replication_estimate": {
		"vm_count": {"better": "low"},
		"vm_size_gib": {"better": "low"},
		"daily_change_percent": {"better": "low"},
		"throughput_mbps": {"better": "high"},
		"rpo_minutes": {"better": "high"},
		"peak_factor": {"better": "low", "absent": "worst"},
		"efficiency_percent": {"better": "high", "absent": 100},
		"compression_ratio": {"better": "high", "absent": 1},
		"seeded_percent": {"better": "high", "absent": 0},
		"overhead_seconds": {"better": "low", "absent": 0},
	},
	"vsla_replication_schedule": {
		"groups": {"better": "low"},
		"groups.vm_count": {"better": "low"},
		"groups.vm_size_gib": {"better": "low"},
		"groups.daily_change_percent": {"better": "low"},
		"groups.rpo_minutes": {"better": "high"},
		"groups.hourly_weights": {"better": "either"},
		"groups.compression_ratio": {"better": "high", "absent": 1},
		"days": {"better": "low", "absent": 1},
		"throughput_mbps": {"better": "high"},
		"hourly_throughput_mbps": {"better": "high"},
		"max_concurrent_syncs": {"better": "either"},
		"start_in_sync": {"better": "either", "absent": true},
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
		"memory_dirty_mbps": {"better": "low", "absent": 0},
		"working_set_gib": {"better": "low", "absent": "worst"},
		"disk_gib": {"better": "low", "absent": 0},
		"disk_write_mbps": {"better": "low", "absent": 0},
		"throughput_mbps": {"better": "high"},
		"rtt_ms": {"better": "low", "absent": 0},
		"concurrent_migrations": {"better": "low", "absent": 1},
		"switchover_goal_ms": {"better": "high", "absent": 500},
		"setup_seconds": {"better": "low", "absent": 0},
	},
}

# Maps have inputs, or numbers, of their own.
is_map(type, field) if {
	some name, _ in flatters[type]
	startswith(name, concat("", [field, "."]))
}

# What counts where an input is not set, or null.
absent(type, field) := found if found := flatters[type][field].absent

else := null
