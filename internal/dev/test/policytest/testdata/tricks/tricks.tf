# Results that are bad with honest inputs, and inputs that flatter them.

data "vsla_replication_estimate" "estimate" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "one_VM" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 1
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "no_change" {
  daily_change_percent = 0
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "compression" {
  compression_ratio    = 1000000
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "throughput" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 1e12
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "small_VMs" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 0.001
}

data "vsla_replication_estimate" "no_peak" {
  daily_change_percent = 5
  peak_factor          = 1
  rpo_minutes          = 15
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "longer_RPO" {
  daily_change_percent = 5
  rpo_minutes          = 1440
  throughput_mbps      = 630
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "nominal" {
  daily_change_percent = 5
  efficiency_percent   = 30
  rpo_minutes          = 15
  throughput_mbps      = 2000
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "all_of_the_link" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 2000
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "overhead" {
  daily_change_percent = 5
  overhead_seconds     = 500
  rpo_minutes          = 15
  throughput_mbps      = 7000
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_estimate" "no_overhead" {
  daily_change_percent = 5
  rpo_minutes          = 15
  throughput_mbps      = 7000
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_sla_plan" "promise" {
  links = { metro = { throughput_mbps = 5 } }
  tiers = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, peak_factor = 3, rpo_minutes = 15 } }
}

data "vsla_sla_plan" "small_VMs_in_a_tier" {
  links = { metro = { throughput_mbps = 5 } }
  tiers = { gold = { vm_count = 15, vm_size_gib = 1, daily_change_percent = 5, peak_factor = 3, rpo_minutes = 15 } }
}

data "vsla_sla_plan" "compressed_tier" {
  links = { metro = { throughput_mbps = 5 } }
  tiers = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, peak_factor = 3, rpo_minutes = 15, compression_ratio = 1000 } }
}

data "vsla_sla_plan" "a_wide_link" {
  links = { metro = { throughput_mbps = 1e6 } }
  tiers = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, peak_factor = 3, rpo_minutes = 15 } }
}

data "vsla_replication_schedule" "schedule" {
  groups          = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }
  throughput_mbps = 5
}

data "vsla_replication_schedule" "small_group" {
  groups          = { gold = { vm_count = 1, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }
  throughput_mbps = 5
}

data "vsla_replication_schedule" "quiet_group" {
  groups          = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 0, rpo_minutes = 15 } }
  throughput_mbps = 5
}

data "vsla_replication_schedule" "another_group" {
  groups          = { tin = { vm_count = 1, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }
  throughput_mbps = 5
}

data "vsla_replication_schedule" "compressed_group" {
  groups          = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15, compression_ratio = 1000 } }
  throughput_mbps = 5
}

data "vsla_replication_schedule" "hourly_throughput" {
  groups                 = { gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }
  hourly_throughput_mbps = [for hour in range(24) : 1000]
}

data "vsla_vmotion_estimate" "shared" {
  concurrent_migrations = 8
  memory_gib            = 16
  throughput_mbps       = 1000
}

data "vsla_vmotion_estimate" "one_migration" {
  memory_gib      = 16
  throughput_mbps = 1000
}

data "vsla_vmotion_estimate" "fast_link" {
  concurrent_migrations = 8
  memory_gib            = 16
  threads_mbps          = 1e6
  throughput_mbps       = 1e6
}

data "vsla_vmotion_estimate" "dirty" {
  memory_dirty_mbps = 2000
  memory_gib        = 16
  throughput_mbps   = 1000
}

data "vsla_vmotion_estimate" "clean_memory" {
  memory_gib      = 16
  throughput_mbps = 1000
}

data "vsla_vmotion_estimate" "far" {
  memory_gib      = 16
  rtt_ms          = 200
  throughput_mbps = 1000
}

data "vsla_vmotion_estimate" "no_distance" {
  memory_gib      = 16
  throughput_mbps = 1000
}

data "vsla_migration_plan" "waves" {
  deadline_hours   = 1
  setup_seconds    = 20
  throughput_mbps  = 200
  virtual_machines = { a = { memory_gib = 16 }, b = { memory_gib = 16 } }
}

data "vsla_migration_plan" "fast_plan" {
  deadline_hours   = 1
  setup_seconds    = 20
  threads_mbps     = 1e6
  throughput_mbps  = 1e6
  virtual_machines = { a = { memory_gib = 16 }, b = { memory_gib = 16 } }
}

data "vsla_link_throughput" "window" {
  bandwidth_mbps = 10000
  rtt_ms         = 100
  window_kib     = 64
}

data "vsla_link_throughput" "many_streams" {
  bandwidth_mbps = 10000
  rtt_ms         = 100
  streams        = 1000
  window_kib     = 64
}

data "vsla_link_throughput" "short_round_trip" {
  bandwidth_mbps = 10000
  rtt_ms         = 0.1
  window_kib     = 64
}

data "vsla_link_throughput" "large_window" {
  bandwidth_mbps = 10000
  rtt_ms         = 100
  window_kib     = 1000000
}

data "vsla_configuration_limits" "limits" {
  counts  = { replications = 4001 }
  product = "vsphere_replication"
  version = "9.0"
}

data "vsla_configuration_limits" "fewer_replications" {
  counts  = { replications = 1 }
  product = "vsphere_replication"
  version = "9.0"
}

data "vsla_configuration_limits" "something_else_counted" {
  counts  = { replications_at_min_rpo = 1 }
  product = "vsphere_replication"
  version = "9.0"
}

data "vsla_configuration_limits" "limit_overridden" {
  counts    = { replications = 4001 }
  overrides = { replications = 1000000 }
  product   = "vsphere_replication"
  version   = "9.0"
}

data "vsla_latency_impact" "latency" {
  round_trips_per_operation = 10.58
  rtt_after_ms              = 40
  rtt_before_ms             = 0
  think_seconds             = 0.02
  throughput_before         = 65
  users                     = 5
}

data "vsla_latency_impact" "tolerant_users" {
  round_trips_per_operation = 10.58
  rtt_after_ms              = 40
  rtt_before_ms             = 0
  think_seconds             = 0.02
  throughput_before         = 65
  tolerance_percent         = 100
  users                     = 5
}

data "vsla_latency_impact" "short_distance" {
  round_trips_per_operation = 10.58
  rtt_after_ms              = 0.1
  rtt_before_ms             = 0
  think_seconds             = 0.02
  throughput_before         = 65
  users                     = 5
}

data "vsla_replication_calibration" "calibration" {
  last_sync_duration_seconds = 300
  last_sync_size_bytes       = 2147483648
  rpo_minutes                = 15
  throughput_mbps            = 600
}

data "vsla_replication_calibration" "modest_plan" {
  last_sync_duration_seconds = 300
  last_sync_size_bytes       = 2147483648
  rpo_minutes                = 15
  throughput_mbps            = 10
}

data "vsla_replication_calibration" "short_sync" {
  last_sync_duration_seconds = 20
  last_sync_size_bytes       = 2147483648
  rpo_minutes                = 15
  throughput_mbps            = 600
}

data "vsla_replica_storage" "replicas" {
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 1500
  used_gib             = 100
  vm_count             = 20
}

data "vsla_replica_storage" "fewer_replicas" {
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 1500
  used_gib             = 100
  vm_count             = 1
}

data "vsla_replica_storage" "small_replicas" {
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 1500
  used_gib             = 1
  vm_count             = 20
}

data "vsla_replica_storage" "large_datastore" {
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 1e6
  used_gib             = 100
  vm_count             = 20
}

data "vsla_replica_storage" "instances" {
  daily_change_percent = 5
  point_in_time        = { instances_per_day = 1, days = 24 }
  rpo_minutes          = 15
  target_free_gib      = 4000
  used_gib             = 100
  vm_count             = 20
}

data "vsla_replica_storage" "no_instances" {
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 4000
  used_gib             = 100
  vm_count             = 20
}

data "vsla_replication_confidence" "unlikely" {
  daily_change_percent = { low = 5, likely = 5, high = 5 }
  rpo_minutes          = 15
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "optimists" {
  daily_change_percent = { low = 5, likely = 5, high = 5 }
  rpo_minutes          = 15
  throughput_mbps      = { low = 2000, likely = 2000, high = 2000 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "one_optimist" {
  daily_change_percent = { low = 5, likely = 5, high = 5 }
  rpo_minutes          = 15
  throughput_mbps      = { low = 400, likely = 400.001, high = 1e8 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "sure_of_it" {
  daily_change_percent = { low = 5, likely = 5, high = 5 }
  rpo_minutes          = 15
  throughput_mbps      = 2000
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "less_change" {
  daily_change_percent = { low = 1, likely = 1, high = 1 }
  rpo_minutes          = 15
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "a_longer_promise" {
  daily_change_percent = { low = 5, likely = 5, high = 5 }
  rpo_minutes          = 1440
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "tight" {
  daily_change_percent = 5
  rpo_minutes          = 30
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  vm_count             = 15
  vm_size_gib          = 100
}

data "vsla_replication_confidence" "wide_range" {
  daily_change_percent = 5
  rpo_minutes          = 30
  throughput_mbps      = { low = 400, likely = 1e6, high = 1e6 }
  vm_count             = 15
  vm_size_gib          = 100
}
