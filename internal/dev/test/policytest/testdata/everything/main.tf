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

# 2 GiB in 300 s is 57.3 Mbit/s.
data "vsla_replication_calibration" "db" {
  last_sync_size_bytes       = 2147483648
  last_sync_duration_seconds = 300
  rpo_minutes                = 15
  throughput_mbps            = 50
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
  value = { for name, v in data.vsla_vmotion_estimate.move : name => v }
}

output "limits" {
  value = { for name, v in data.vsla_configuration_limits.replication : name => v }
}
