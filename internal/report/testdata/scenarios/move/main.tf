# A datacentre move: the throughput of the path, single moves over it, all moves in windows, and what temporarily stays
# behind.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

locals {
  vms = merge(
    { for i in range(60) : format("app-%03d.production.example.com", i) => {
      memory_gib = 8 + 4 * (i % 5), memory_dirty_mbps = 40 * (i % 4), disk_gib = 40 + 25 * (i % 7)
      host       = "esx-${i % 6}", datastore = "ds-${i % 4}", move_group = i % 10 < 2 ? "pair-${floor(i / 10)}" : null
    } },
    { for i in range(12) : format("db-%02d", i) => {
      memory_gib = 64, memory_dirty_mbps = 300, disk_gib = 500 + 50 * i
      host       = "esx-${i % 6}", datastore = "ds-big", move_group = null
    } },
  )
}

data "vsla_link_throughput" "direct_connect" {
  bandwidth_mbps      = 10000
  efficiency_percent  = 90
  rtt_ms              = 38
  loss_percent        = 0.0001
  streams             = 8
  per_flow_limit_mbps = 5000
}

data "vsla_vmotion_estimate" "database" {
  memory_gib         = 64
  memory_dirty_mbps  = 700
  disk_gib           = 800
  disk_write_mbps    = 120
  throughput_mbps    = data.vsla_link_throughput.direct_connect.throughput_mbps
  rtt_ms             = 38
  setup_seconds      = 30
  switchover_goal_ms = 500
}

data "vsla_vmotion_estimate" "busy_cache" {
  memory_gib            = 256
  memory_dirty_mbps     = 4000
  working_set_gib       = 96
  throughput_mbps       = data.vsla_link_throughput.direct_connect.throughput_mbps
  rtt_ms                = 38
  concurrent_migrations = 2
}

data "vsla_vmotion_estimate" "branch_office" {
  memory_gib      = 16
  throughput_mbps = 100
  rtt_ms          = 180
}

data "vsla_migration_plan" "datacentre" {
  virtual_machines   = local.vms
  throughput_mbps    = data.vsla_link_throughput.direct_connect.throughput_mbps
  per_migration_mbps = 2000
  window_hours       = 6
}

data "vsla_configuration_limits" "target" {
  product = "vcenter"
  version = "6.5"
  counts  = { hosts = 2001, powered_on_vms = 18200 }
}
