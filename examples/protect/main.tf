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

# One condition for all tiers. A precondition of the replications would print its message for each of them.
data "vsla_sla_plan" "estate" {
  links = { recovery = { throughput_mbps = local.link_mbps, efficiency_percent = 70 } }
  tiers = {
    for name, tier in local.tiers : name => merge(tier, {
      virtual_machines = {
        for id, vm in data.vsla_virtual_machines.tier[name].virtual_machines : "${vm.name} (${id})" => {
          size_gib = vm.used_gib
        }
      }
      peak_factor = 3
    }) if data.vsla_virtual_machines.tier[name].vm_count > 0
  }

  lifecycle {
    postcondition {
      condition     = self.verdict == "meets"
      error_message = "The tiers promise what this link cannot keep. ${self.summary}"
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
