# Replicates the VMs that carry a tier's tag (examples/demo tags them) with the tier's RPO, if the link can keep it.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# The environment has vCenter's variables and VSLA_REPLICATION_SERVER, _USER, _PASSWORD, _REMOTE_USER, _REMOTE_PASSWORD.
provider "vsla" {}

locals {
  tier      = { name = "gold", rpo_minutes = 15, daily_change_percent = 2 }
  link_mbps = 10000
  sites     = data.vsla_replication_pairing.sites
  estimate  = data.vsla_replication_estimate.tier
}

data "vsla_tag" "tier" {
  category_name = "sla"
  name          = local.tier.name
}

data "vsla_virtual_machines" "tier" {
  tag_ids = [data.vsla_tag.tier.id]
}

data "vsla_replication_estimate" "tier" {
  vm_count             = data.vsla_virtual_machines.tier.vm_count
  vm_size_gib          = data.vsla_virtual_machines.tier.mean_used_gib
  daily_change_percent = local.tier.daily_change_percent
  throughput_mbps      = local.link_mbps
  efficiency_percent   = 70
  peak_factor          = 3
  rpo_minutes          = local.tier.rpo_minutes
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_datastores" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}

resource "vsla_replication" "tier" {
  for_each = toset(data.vsla_virtual_machines.tier.ids)

  pairing_id          = local.sites.id
  vm_id               = provider::vsla::replication_object_id("VirtualMachine", each.key, local.sites.local.vcenter_id)
  target_datastore_id = data.vsla_replication_datastores.recovery.datastores[0].id
  rpo_minutes         = local.tier.rpo_minutes

  lifecycle {
    precondition {
      condition     = local.estimate.violation_free
      error_message = "Tier ${local.tier.name} promises what this link cannot keep. ${local.estimate.summary}"
    }
  }
}
