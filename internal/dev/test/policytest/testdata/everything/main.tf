# One good result of every type that the gate judges and that needs no vCenter.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# 15 VMs change by 75 GiB a day: 7.5 Mbit/s, and three times that rate in the busiest hours.
data "vsla_sla_plan" "site" {
  links   = { metro = { throughput_mbps = 7000 } }
  targets = { dr = { free_gib = 4000 } }
  tiers = {
    gold = {
      vm_count             = 15
      vm_size_gib          = 100
      daily_change_percent = 5
      peak_factor          = 3
      rpo_minutes          = 15
      target               = "dr"
    }
  }
  growth_percent_per_year = 20
}

# 75 GiB takes 92 of 900 s at 7,000 Mbit/s.
data "vsla_replication_estimate" "gold" {
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = 7000
  rpo_minutes          = 15
}

data "vsla_replication_schedule" "site" {
  throughput_mbps = 7000
  groups = {
    gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 }
  }
}

data "vsla_vmotion_estimate" "move" {
  memory_gib            = 16
  throughput_mbps       = 7000
  concurrent_migrations = 4
}

data "vsla_migration_plan" "move" {
  throughput_mbps = 7000
  max_concurrent  = 4
  setup_seconds   = 20
  deadline_hours  = 1
  virtual_machines = {
    a = { memory_gib = 16 }
    b = { memory_gib = 16 }
  }
}

data "vsla_migration_plan" "unlimited" {
  throughput_mbps = 7000
  setup_seconds   = 20
  deadline_hours  = 1
  virtual_machines = {
    a = { memory_gib = 16 }
    b = { memory_gib = 16 }
  }
}

data "vsla_link_throughput" "metro" {
  bandwidth_mbps = 7000
}

data "vsla_configuration_limits" "replication" {
  product = "vsphere_replication"
  version = "9.0"
  counts  = { replications = 15 }
}

data "vsla_latency_impact" "app" {
  users                     = 5
  think_seconds             = 0.02
  rtt_before_ms             = 0
  rtt_after_ms              = 0.1
  throughput_before         = 65
  round_trips_per_operation = 10
}

# 2 GiB in 300 s is 57.3 Mbit/s.
data "vsla_replication_calibration" "db" {
  last_sync_size_bytes       = 2147483648
  last_sync_duration_seconds = 300
  rpo_minutes                = 15
  throughput_mbps            = 50
}

# 15 * (100 + 100 * 5 % * 15 / 1,440) = 1,500.8 GiB.
data "vsla_replica_storage" "gold" {
  vm_count             = 15
  used_gib             = 100
  daily_change_percent = 5
  rpo_minutes          = 15
  target_free_gib      = 4000
}

# At most 15 * 120 GiB * 8 % = 144 GiB: 177 s at 7,000 Mbit/s, below half of 900 s.
data "vsla_replication_confidence" "gold" {
  vm_count             = 15
  vm_size_gib          = { low = 80, likely = 95, high = 120 }
  daily_change_percent = { low = 3, likely = 5, high = 8 }
  throughput_mbps      = 7000
  rpo_minutes          = 15
}

check "rpo" {
  assert {
    condition     = data.vsla_replication_estimate.gold.verdict == "meets"
    error_message = "Tier gold misses its RPO."
  }
}

# The test turns this into a vsla_replication.
resource "terraform_data" "replication" {
  input = 15
}

output "move" {
  value = provider::vsla::vmotion_estimate({ memory_gib = 16, throughput_mbps = 7000 })
}

output "limits" {
  value = provider::vsla::configuration_limits({
    product = "vsphere_replication", version = "9.0", counts = { replications = 15 }
  })
}

output "space" {
  value = provider::vsla::replica_storage({
    vm_count = 15, used_gib = 100, daily_change_percent = 5, rpo_minutes = 15, target_free_gib = 4000
  })
}

output "chance" {
  value = provider::vsla::replication_confidence({
    vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, throughput_mbps = 7000, rpo_minutes = 15
  })
}
