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

# All inputs are known during plan: VMs are found by name and not by a tag of this configuration, which a first plan
# would have to wait for.
data "vsla_replication_estimate" "tier" {
  for_each             = local.tiers
  vm_count             = data.vsla_virtual_machines.tier[each.key].vm_count
  vm_size_gib          = data.vsla_virtual_machines.tier[each.key].mean_used_gib
  daily_change_percent = each.value.daily_change_percent
  throughput_mbps      = var.link_mbps
  rpo_minutes          = each.value.rpo_minutes
  link                 = "metro" # the gate adds up the tiers that share it
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

output "verdicts" {
  value = { for tier, e in data.vsla_replication_estimate.tier : tier => e.verdict }
}

output "summaries" {
  value = { for tier, e in data.vsla_replication_estimate.tier : tier => e.summary }
}
