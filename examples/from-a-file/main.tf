# A capacity review before anyone has access to the vCenter: VMs from an RVTools export, sorted into tiers, all tiers
# together on the link, the storage that their replicas need, and the waves in which everything moves.
#
# With access, replace vsla_inventory_file by vsla_virtual_machines, without path: the filters and the results are the
# same.

terraform {
  required_version = ">= 1.8" # OpenTofu: 1.8 as well
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

# What replication can use of the link.
data "vsla_link_throughput" "sites" {
  bandwidth_mbps     = var.bandwidth_mbps
  efficiency_percent = 70
  rtt_ms             = var.rtt_ms
  streams            = 16
}

locals {
  # A tier without VMs promises nothing.
  tiers = {
    for name, found in data.vsla_inventory_file.tier : name => merge(var.tiers[name], found) if found.vm_count > 0
  }
}

# Each tier alone on the link: whether its promise can hold at all, and for how long.
data "vsla_replication_estimate" "tier" {
  for_each                = local.tiers
  vm_count                = each.value.vm_count
  vm_size_gib             = each.value.mean_used_gib
  daily_change_percent    = each.value.daily_change_percent
  rpo_minutes             = each.value.rpo_minutes
  throughput_mbps         = data.vsla_link_throughput.sites.throughput_mbps
  growth_percent_per_year = var.growth_percent_per_year
  link                    = "sites"
}

# All of them together, sync by sync.
data "vsla_replication_schedule" "sites" {
  groups = {
    for name, tier in local.tiers : name => {
      vm_count             = tier.vm_count
      vm_size_gib          = tier.mean_used_gib
      daily_change_percent = tier.daily_change_percent
      rpo_minutes          = tier.rpo_minutes
    }
  }
  throughput_mbps = data.vsla_link_throughput.sites.throughput_mbps
}

data "vsla_replica_storage" "tier" {
  for_each             = local.tiers
  vm_count             = each.value.vm_count
  used_gib             = each.value.mean_used_gib
  daily_change_percent = each.value.daily_change_percent
  rpo_minutes          = each.value.rpo_minutes
  point_in_time        = each.value.point_in_time
}

# What is off moves cold. VMs are named by the file; the id makes names unique.
data "vsla_migration_plan" "all" {
  virtual_machines = merge([
    for tier in local.tiers : {
      for id, vm in tier.virtual_machines : "${vm.name} (${id})" => {
        memory_gib = vm.memory_gib
        disk_gib   = vm.used_gib
        host       = vm.host
        method     = vm.power_state == "poweredOff" ? "cold" : "vmotion"
      }
    }
  ]...)
  throughput_mbps = data.vsla_link_throughput.sites.throughput_mbps
  window_hours    = 8
}
