# A capacity review without access to the vCenter: VMs from an RVTools export in tiers, whether the promise for each VM
# holds, the storage of the replicas, and the migration waves.
#
# When you have access, replace vsla_inventory_file with vsla_virtual_machines and remove path. The filters and results
# have the same names.

terraform {
  required_version = ">= 1.8" # also for OpenTofu
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

data "vsla_inventory_file" "tier" {
  for_each   = var.tiers
  path       = coalesce(var.inventory, "${path.module}/RVTools_tabvInfo.csv")
  name_regex = each.value.name_regex
}

locals {
  # The throughput that replication can use between the sites.
  network = { bandwidth_mbps = var.bandwidth_mbps, efficiency_percent = 70, rtt_ms = var.rtt_ms, streams = 16 }
}

# All tiers on the link. Each VM is simulated separately. The ids make the names of the file unique.
data "vsla_sla_plan" "sites" {
  links   = { sites = { network = local.network } }
  targets = { recovery = {} }
  tiers = {
    for name, found in data.vsla_inventory_file.tier : name => {
      virtual_machines     = { for id, vm in found.virtual_machines : "${vm.name} (${id})" => { size_gib = vm.used_gib } }
      target               = "recovery"
      rpo_minutes          = var.tiers[name].rpo_minutes
      daily_change_percent = var.tiers[name].daily_change_percent
      point_in_time        = var.tiers[name].point_in_time
    }
  }
  growth_percent_per_year = var.growth_percent_per_year
}

# Powered-off VMs move cold.
data "vsla_migration_plan" "all" {
  virtual_machines = merge([
    for tier in data.vsla_inventory_file.tier : {
      for id, vm in tier.virtual_machines : "${vm.name} (${id})" => {
        memory_gib = vm.memory_gib
        disk_gib   = vm.used_gib
        host       = vm.host
        method     = vm.power_state == "poweredOff" ? "cold" : "vmotion"
      }
    }
  ]...)
  throughput_mbps = data.vsla_sla_plan.sites.links["sites"].mean_throughput_mbps
  window_hours    = 8
}
