# Growth until the promise ends, a measured change curve, and a migration in nightly windows.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

locals {
  curve = { 15 = 1.6, 240 = 2.8, 1440 = 7 }
}

data "vsla_replication_estimate" "measured" {
  vm_count                = 15
  vm_size_gib             = 100
  change_curve            = local.curve
  throughput_mbps         = 901
  rpo_minutes             = 15
  growth_percent_per_year = 25
}

data "vsla_replication_estimate" "guessed" {
  vm_count                = 15
  vm_size_gib             = 100
  daily_change_percent    = 5
  throughput_mbps         = 901
  rpo_minutes             = 60
  growth_percent_per_year = 30
  horizon_months          = 84
}

data "vsla_migration_plan" "nights" {
  virtual_machines = { for i in range(120) : format("app-%03d", i) => {
    memory_gib = 8 + 4 * (i % 5), disk_gib = 200 + 100 * (i % 7), method = i % 10 == 0 ? "cold" : "vmotion"
  } }
  throughput_mbps   = 2000
  window_hours      = 6
  window_start_hour = 22
  max_windows       = 20
  setup_seconds     = 20
}
