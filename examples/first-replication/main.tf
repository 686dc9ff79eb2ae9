# One VM, from a tag to its first recovery point. Set the environment variables of vCenter and VSLA_REPLICATION_SERVER,
# _USER, _PASSWORD, _REMOTE_USER and _REMOTE_PASSWORD.
terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

variable "vm" {
  description = "Name of the VM."
  type        = string
  default     = "db-0003"
}

resource "vsla_tag_category" "protection" {
  name        = "protection"
  cardinality = "SINGLE"
}

resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.protection.id
  name        = "gold"
  description = "At most 15 minutes of data are lost."
}

data "vsla_virtual_machines" "gold" {
  name_regex = "^${var.vm}$"
}

resource "vsla_tag_association" "gold" {
  tag_id      = vsla_tag.gold.id
  object_type = "VirtualMachine"
  object_ids  = data.vsla_virtual_machines.gold.ids

  lifecycle {
    precondition {
      condition     = length(data.vsla_virtual_machines.gold.ids) > 0
      error_message = "No VM has the name ${var.vm}."
    }
  }
}

data "vsla_sla_plan" "gold" {
  links = { metro = { throughput_mbps = 100 } }
  tiers = {
    gold = {
      virtual_machines = {
        for vm in data.vsla_virtual_machines.gold.virtual_machines : vm.name => { size_gib = vm.used_gib }
      }
      rpo_minutes            = 15
      configured_rpo_minutes = 12
      daily_change_percent   = 5
      peak_factor            = 3
    }
  }
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_site" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}

resource "vsla_replication" "gold" {
  for_each = data.vsla_virtual_machines.gold.virtual_machines

  pairing_id          = data.vsla_replication_pairing.sites.id
  target_datastore_id = data.vsla_replication_site.recovery.datastores[0].id
  rpo_minutes         = data.vsla_sla_plan.gold.tiers["gold"].configured_rpo_minutes
  vm_id = provider::vsla::replication_object_id("VirtualMachine", each.key,
  data.vsla_replication_pairing.sites.local.vcenter_id)

  lifecycle {
    precondition {
      condition = data.vsla_sla_plan.gold.promises["gold"].verdict == "meets"
      error_message = join(" ", concat(
        [data.vsla_sla_plan.gold.promises["gold"].summary], data.vsla_sla_plan.gold.promises["gold"].explanations,
      ))
    }
  }
}

data "vsla_replications" "outgoing" {
  pairing_id = data.vsla_replication_pairing.sites.id
  direction  = "outgoing"
  depends_on = [vsla_replication.gold]
}

output "predicted" {
  value = data.vsla_sla_plan.gold.promises["gold"].summary
}

output "initial_sync" {
  value = try(provider::vsla::format_duration(60 * data.vsla_sla_plan.gold.promises["gold"].initial_sync_minutes), null)
}

output "status" {
  value = { for r in data.vsla_replications.outgoing.replications : r.name => r.status }
}
