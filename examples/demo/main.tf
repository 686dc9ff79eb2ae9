# A tag category with three tiers, hundreds of VMs tagged in bulk, and a verdict for the promise of each tier. The
# verdicts are known before the apply.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {} # VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD and VSLA_CA_FILE

locals {
  # The promised RPO of each tier, the RPO to configure, and the filter for its VMs. The plan suggests the configured RPO
  # if it is null.
  tiers = {
    gold = {
      rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2, name_regex = "^db-00[0-5]"
    }
    silver = {
      rpo_minutes            = 60
      configured_rpo_minutes = 45
      daily_change_percent   = 4
      name_regex             = "^(app-|db-00[6-9]|db-0[1-9])"
    }
    bronze = {
      rpo_minutes = 240, configured_rpo_minutes = 180, daily_change_percent = 6, name_regex = "^(web|batch)-"
    }
  }
  link_mbps = 10000
}

resource "vsla_tag_category" "sla" {
  name             = "sla"
  description      = "How much data a VM may lose"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}

resource "vsla_tag" "tier" {
  for_each    = local.tiers
  category_id = vsla_tag_category.sla.id
  name        = each.key
  description = "Loses at most ${each.value.rpo_minutes} minutes of data"
}

# The VMs of each tier, with their sizes. This configuration only reads them.
data "vsla_virtual_machines" "tier" {
  for_each   = local.tiers
  name_regex = each.value.name_regex
  read_disks = false
}

resource "vsla_tag_association" "tier" {
  for_each   = local.tiers
  tag_id     = vsla_tag.tier[each.key].id
  object_ids = data.vsla_virtual_machines.tier[each.key].ids
}

# The plan depends on the inventory, not on the new tags, so the first plan shows every verdict.
data "vsla_sla_plan" "estate" {
  links = { metro = { throughput_mbps = local.link_mbps, efficiency_percent = 70 } }
  tiers = {
    for name, tier in local.tiers : name => {
      virtual_machines = {
        for id, vm in data.vsla_virtual_machines.tier[name].virtual_machines : "${vm.name} (${id})" => {
          size_gib = vm.used_gib
        }
      }
      rpo_minutes            = tier.rpo_minutes
      configured_rpo_minutes = tier.configured_rpo_minutes
      daily_change_percent   = tier.daily_change_percent
      peak_factor            = 3
    }
  }
}
