# Each tier has a tag on its VMs, a promise that the link must be able to keep, and a replication for each VM.

data "vsla_virtual_machines" "tier" {
  for_each   = var.tiers
  name_regex = each.value.name_regex
  read_disks = false
}

# All tiers on the link. Each VM is simulated separately.
data "vsla_sla_plan" "tiers" {
  links = { replication = { throughput_mbps = var.throughput_mbps } }
  tiers = {
    for name, tier in var.tiers : name => {
      virtual_machines = {
        for id, vm in data.vsla_virtual_machines.tier[name].virtual_machines : "${vm.name} (${id})" => {
          size_gib = vm.used_gib
        }
      }
      rpo_minutes            = tier.rpo_minutes
      configured_rpo_minutes = tier.configured_rpo_minutes
      daily_change_percent   = tier.daily_change_percent
      peak_factor            = var.peak_factor
    }
  }
}

resource "vsla_tag_category" "sla" {
  name             = var.category
  description      = "How much data a VM may lose"
  cardinality      = "SINGLE" # a VM has one tier
  associable_types = ["VirtualMachine"]
}

resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.sla.id
  tags        = { for name in keys(var.tiers) : name => "Tier ${name}: its promise is in Terraform" }
}

# The tag is the promise, so it is created only if the configured RPO keeps it on this link.
resource "vsla_tag_association" "tier" {
  for_each   = var.tiers
  tag_id     = vsla_tags.sla.ids[each.key]
  object_ids = data.vsla_virtual_machines.tier[each.key].ids

  lifecycle {
    precondition {
      condition = local.promises[each.key].vm_count == 0 || local.promises[each.key].verdict == "meets"
      error_message = join(" ", concat(
        ["Tier ${each.key} cannot be promised.", local.promises[each.key].summary],
        local.promises[each.key].explanations,
      ))
    }
    precondition {
      condition     = each.value.configured_rpo_minutes != null
      error_message = "Set configured_rpo_minutes of tier ${each.key}. ${local.promises[each.key].summary}"
    }
  }
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_site" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  datastore_name  = var.target_datastore
  accessible_only = true
}

locals {
  promises = data.vsla_sla_plan.tiers.promises
  sites    = data.vsla_replication_pairing.sites

  # Pinned by the variable. With suggested_rpo_minutes of the plan instead, a new VM or a slower link could change every
  # replication. A tier without a setting is refused, so its promised RPO is never configured.
  configured = { for name, tier in var.tiers : name => coalesce(tier.configured_rpo_minutes, tier.rpo_minutes) }

  # The tiers of each VM.
  covered = merge([
    for id in distinct(flatten([for found in data.vsla_virtual_machines.tier : found.ids])) : {
      (id) = [for name, found in data.vsla_virtual_machines.tier : name if contains(found.ids, id)]
    }
  ]...)
}

resource "vsla_replication" "vm" {
  for_each = local.covered

  pairing_id          = local.sites.id
  vm_id               = provider::vsla::replication_object_id("VirtualMachine", each.key, local.sites.local.vcenter_id)
  target_datastore_id = one(data.vsla_replication_site.recovery.datastores).id
  rpo_minutes         = min([for name in each.value : local.configured[name]]...)

  lifecycle {
    precondition {
      condition     = length(each.value) == 1
      error_message = "VM ${each.key} fits the tiers ${join(" and ", each.value)}: change their name_regex."
    }
  }
}
