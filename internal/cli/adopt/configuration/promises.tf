# Every plan compares the tiers with the replications that run and, once the rate of the link is set, answers whether the
# link keeps the promise of each tier to each VM. `vsla review` makes a page of both.

variable "link_mbps" {
  description = "Rate that the replications can use of their link, in Mbit/s. Until it is set, no plan judges the link."
  type        = number
  default     = null
}

locals {
  promised_vms = { for name, vm in local.virtual_machines : name => vm if can(local.promised[vm.tier]) }

  # Empty if no tier has a promise, or if the link is not known.
  promises = {
    for name in ["estate"] : name => local.promised_vms if length(local.promised_vms) > 0 && var.link_mbps != null
  }

  # If the data source below referred to vsla_tags directly, Terraform would defer it when a tag changes.
  tier_tag_ids = try(vsla_tags.category[local.tier_category].ids, {})
}

data "vsla_virtual_machines" "promised" {
  for_each = local.promises

  vm_ids = sort([for vm in each.value : vm.id])
}

data "vsla_sla_plan" "estate" {
  for_each = local.promises

  links = { replication = { throughput_mbps = var.link_mbps } }
  tiers = {
    for tier, promise in local.promised : tier => merge(local.assumed_change, {
      rpo_minutes            = promise.rpo_minutes
      configured_rpo_minutes = promise.rpo_minutes # that of the replications
      virtual_machines = {
        for name, vm in each.value : name => {
          # Null for a VM that cannot be read. The promise is then unknown.
          size_gib = try(data.vsla_virtual_machines.promised[each.key].virtual_machines[vm.id].used_gib, null)
        } if vm.tier == tier && !contains(data.vsla_virtual_machines.promised[each.key].templates, vm.id)
      }
    }) if contains([for vm in each.value : vm.tier], tier)
  }
}

data "vsla_sla_compliance" "estate" {
  for_each = {
    for id in compact([try(local.replication_defaults.pairing_id, "")]) : id => local.promised
    if length(local.promised) > 0
  }

  pairing_id = each.key
  tiers = {
    for name, tier in each.value : name => {
      tag_id      = local.tier_tag_ids[name]
      rpo_minutes = tier.rpo_minutes
    }
  }
}

check "link" {
  assert {
    condition     = alltrue([for plan in data.vsla_sla_plan.estate : plan.verdict != "misses"])
    error_message = join("\n", [for plan in data.vsla_sla_plan.estate : plan.summary])
  }
}

# A replication sends no data while its VM is powered off, and nothing changes.
data "vsla_virtual_machines" "powered_off" {
  for_each = data.vsla_sla_compliance.estate

  power_state  = "poweredOff"
  summary_only = true
}

locals {
  # VMs that break their promise, with their verdicts.
  broken_promises = flatten([
    for key, estate in data.vsla_sla_compliance.estate : [
      for id in distinct(concat(
        estate.unprotected, estate.in_violation, estate.weaker_than_promised, estate.several_tiers
      )) : "${estate.virtual_machines[id].name} (${id}): ${estate.virtual_machines[id].verdict}"
      if !contains(data.vsla_virtual_machines.powered_off[key].ids, id) ||
      estate.virtual_machines[id].verdict != "not_active" ||
      contains(concat(estate.weaker_than_promised, estate.several_tiers), id)
    ]
  ])
}

check "promises" {
  assert {
    condition = length(local.broken_promises) == 0
    error_message = "VMs that break the promise of their tier (${length(local.broken_promises)}): ${
      join(", ", slice(local.broken_promises, 0, min(10, length(local.broken_promises))))
    }"
  }
  assert {
    condition     = length(local.promised_vms) == 0 || length(data.vsla_sla_compliance.estate) > 0
    error_message = "VMs have a promise, but no replication. Set pairing_id in replication_defaults in tiers.tf."
  }
}
