# Tiers as data. Each is a tag on the VMs that it covers, a promise that the link has to keep before it is made, and a
# replication for each VM.

data "vsla_virtual_machines" "tier" {
  for_each   = var.tiers
  name_regex = each.value.name_regex
  read_disks = false
}

# Each tier alone on the link: how long its initial sync takes, and what it needs.
data "vsla_replication_estimate" "tier" {
  for_each = local.present

  vm_count             = data.vsla_virtual_machines.tier[each.key].vm_count
  vm_size_gib          = data.vsla_virtual_machines.tier[each.key].mean_used_gib
  daily_change_percent = each.value.daily_change_percent
  throughput_mbps      = var.throughput_mbps
  peak_factor          = var.peak_factor
  rpo_minutes          = each.value.rpo_minutes
  link                 = "replication"
}

# All tiers together on the link, simulated. This is what decides: by the label of the link, the review counts it in
# place of the estimates.
data "vsla_replication_schedule" "tiers" {
  count = length(local.present) > 0 ? 1 : 0

  throughput_mbps           = var.throughput_mbps
  link                      = "replication"
  target_compliance_percent = local.target_percent
  groups = {
    for name, tier in local.present : name => {
      vm_count             = data.vsla_virtual_machines.tier[name].vm_count
      vm_size_gib          = data.vsla_virtual_machines.tier[name].mean_used_gib
      daily_change_percent = tier.daily_change_percent
      rpo_minutes          = tier.rpo_minutes
      peak_factor          = var.peak_factor
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

# The tag is the promise, so it is refused if the link cannot keep it.
resource "vsla_tag_association" "tier" {
  for_each   = var.tiers
  tag_id     = vsla_tags.sla.ids[each.key]
  object_ids = data.vsla_virtual_machines.tier[each.key].ids

  lifecycle {
    precondition {
      condition     = local.found[each.key].vm_count == 0 || try(local.verdicts[each.key] == "meets", false)
      error_message = "Tier ${each.key} cannot be promised. ${try(local.schedule.summary, "No schedule.")}"
    }
  }
}

data "vsla_replication_pairing" "sites" {}

data "vsla_replication_datastores" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  name            = var.target_datastore
  accessible_only = true
}

locals {
  found    = data.vsla_virtual_machines.tier
  present  = { for name, tier in var.tiers : name => tier if data.vsla_virtual_machines.tier[name].vm_count > 0 }
  schedule = one(data.vsla_replication_schedule.tiers)
  sites    = data.vsla_replication_pairing.sites

  # A tier's own verdict: the schedule's is that of all tiers.
  verdicts       = { for name in keys(local.present) : name => local.schedule.groups[name].verdict }
  target_percent = 99

  # VM => the tiers that cover it.
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
  target_datastore_id = one(data.vsla_replication_datastores.recovery.datastores).id
  rpo_minutes         = min([for name in each.value : var.tiers[name].rpo_minutes]...)

  lifecycle {
    precondition {
      condition     = length(each.value) == 1
      error_message = "VM ${each.key} fits the tiers ${join(" and ", each.value)}: change their name_regex."
    }
  }
}
