# The configuration that the jobs in this folder run: two tiers, their VMs read from vCenter, and a tag for each tier
# whose promise the link keeps. Add your backend in backend.tf, which has code owners, before the first apply.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {} # VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD and VSLA_CA_FILE

variable "link_mbps" {
  description = "Measured rate of the link between the sites, in Mbit/s."
  type        = number
  default     = 10000
}

variable "target_free_gib" {
  description = "Free space of the target datastore, in GiB."
  type        = number
  default     = 8192
}

locals {
  tiers = {
    gold   = { rpo_minutes = 15, daily_change_percent = 2, name_regex = "^db-" }
    silver = { rpo_minutes = 60, daily_change_percent = 4, name_regex = "^app-" }
  }
}

data "vsla_virtual_machines" "tier" {
  for_each   = local.tiers
  name_regex = each.value.name_regex
}

# Known during plan: VMs are found by name and not by a tag of this configuration, which a first plan would have to
# wait for.
data "vsla_sla_plan" "estate" {
  links   = { metro = { throughput_mbps = var.link_mbps } }
  targets = { dr = { free_gib = var.target_free_gib } }
  tiers = {
    for name, tier in local.tiers : name => {
      virtual_machines = {
        for id, vm in data.vsla_virtual_machines.tier[name].virtual_machines : "${vm.name} (${id})" => {
          size_gib = vm.used_gib
        }
      }
      target               = "dr"
      rpo_minutes          = tier.rpo_minutes
      daily_change_percent = tier.daily_change_percent
      peak_factor          = 3
      point_in_time        = { instances_per_day = 6, days = 4 }
    }
  }
  growth_percent_per_year = 20
}

resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}

resource "vsla_tag" "tier" {
  for_each    = local.tiers
  category_id = vsla_tag_category.sla.id
  name        = each.key
  description = "Loses at most ${each.value.rpo_minutes} minutes of data"
}

resource "vsla_tag_association" "tier" {
  for_each   = local.tiers
  tag_id     = vsla_tag.tier[each.key].id
  object_ids = data.vsla_virtual_machines.tier[each.key].ids
}

output "promises" {
  value = { for tier, promise in data.vsla_sla_plan.estate.promises : tier => promise.summary }
}
