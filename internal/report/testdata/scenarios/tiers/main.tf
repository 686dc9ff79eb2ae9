# Tiers whose promises are met, at risk and missed, in the root module and in another, on one measured link.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

locals {
  link_mbps = provider::vsla::parse_rate_mbps("112.625 MB/s")
  tiers = {
    platinum = { rpo_minutes = 5, vm_count = 4, vm_size_gib = 60, daily_change_percent = 8, peak_factor = 3 }
    gold     = { rpo_minutes = 15, vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, peak_factor = null }
    silver   = { rpo_minutes = 60, vm_count = 40, vm_size_gib = 80, daily_change_percent = 3, peak_factor = null }
    bronze   = { rpo_minutes = 240, vm_count = 120, vm_size_gib = 50, daily_change_percent = 2, peak_factor = null }
    archive  = { rpo_minutes = 1440, vm_count = 400, vm_size_gib = 200, daily_change_percent = 0.5, peak_factor = null }
    backlog  = { rpo_minutes = 60, vm_count = 900, vm_size_gib = 300, daily_change_percent = 12, peak_factor = 1 }
  }
}

data "vsla_replication_estimate" "tier" {
  for_each             = local.tiers
  vm_count             = each.value.vm_count
  vm_size_gib          = each.value.vm_size_gib
  daily_change_percent = each.value.daily_change_percent
  rpo_minutes          = each.value.rpo_minutes
  peak_factor          = each.value.peak_factor
  throughput_mbps      = local.link_mbps
}

module "branch" {
  source = "./branch"
}

data "vsla_link_throughput" "wan" {
  bandwidth_mbps     = 10000
  efficiency_percent = 90
  rtt_ms             = 40
  window_kib         = 4096
  streams            = 2
}

data "vsla_configuration_limits" "replication" {
  product = "vsphere_replication"
  version = "6.0"
  counts  = { replications = 1479 }
}
