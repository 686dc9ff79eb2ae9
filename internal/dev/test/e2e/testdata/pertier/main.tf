terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {}

variable "tiers" {
  type = map(list(string))
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_site" "recovery" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

locals {
  sites = data.vsla_replication_pairing.sites
}

# A resource for each tier: a VM that moves loses its replica.
resource "vsla_replication" "gold" {
  for_each = toset(var.tiers.gold)

  pairing_id          = local.sites.id
  vm_id               = "VirtualMachine:${each.key}:${local.sites.local.vcenter_id}"
  target_datastore_id = data.vsla_replication_site.recovery.datastores[0].id
  rpo_minutes         = 15
}

resource "vsla_replication" "silver" {
  for_each = toset(var.tiers.silver)

  pairing_id          = local.sites.id
  vm_id               = "VirtualMachine:${each.key}:${local.sites.local.vcenter_id}"
  target_datastore_id = data.vsla_replication_site.recovery.datastores[0].id
  rpo_minutes         = 60

  # Otherwise a moved VM might be planned before its existing replication is refreshed.
  depends_on = [vsla_replication.gold]
}
