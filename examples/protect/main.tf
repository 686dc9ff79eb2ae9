# Replicates the VMs with the tag of a tier (examples/demo tags them) with the configured RPO of the tier, if
# it keeps the promise. If a VM moves to another tier, its replication and its replica remain, and only its RPO changes.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# Set the environment variables of vCenter and VSLA_REPLICATION_SERVER, _USER, _PASSWORD, _REMOTE_USER and
# _REMOTE_PASSWORD.
provider "vsla" {}

locals {
  tiers = {
    gold   = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2 }
    silver = { rpo_minutes = 60, configured_rpo_minutes = 45, daily_change_percent = 4 }
  }
  link_mbps = 10000
  sites     = data.vsla_replication_pairing.sites

  tier_of = merge([for tier, found in data.vsla_virtual_machines.tier : { for id in found.ids : id => tier }]...)
}

data "vsla_tag" "tier" {
  for_each      = local.tiers
  category_name = "sla"
  name          = each.key
}

data "vsla_virtual_machines" "tier" {
  for_each = local.tiers
  tag_ids  = [data.vsla_tag.tier[each.key].id]
}

# One precondition for each tier. A precondition of the replications would print its message for each of them.
data "vsla_replication_estimate" "tier" {
  for_each               = { for tier, found in data.vsla_virtual_machines.tier : tier => found if found.vm_count > 0 }
  vm_count               = each.value.vm_count
  vm_size_gib            = each.value.mean_used_gib
  daily_change_percent   = local.tiers[each.key].daily_change_percent
  throughput_mbps        = local.link_mbps
  efficiency_percent     = 70
  peak_factor            = 3
  rpo_minutes            = local.tiers[each.key].rpo_minutes
  configured_rpo_minutes = local.tiers[each.key].configured_rpo_minutes

  lifecycle {
    postcondition {
      condition     = self.verdict == "meets"
      error_message = "Tier ${each.key} promises what this link cannot keep. ${self.summary}"
    }
  }
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_site" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}

resource "vsla_replication" "vm" {
  for_each = local.tier_of

  pairing_id          = local.sites.id
  vm_id               = provider::vsla::replication_object_id("VirtualMachine", each.key, local.sites.local.vcenter_id)
  target_datastore_id = data.vsla_replication_site.recovery.datastores[0].id
  rpo_minutes         = local.tiers[each.value].configured_rpo_minutes
}
