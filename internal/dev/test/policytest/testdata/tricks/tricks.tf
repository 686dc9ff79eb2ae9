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
