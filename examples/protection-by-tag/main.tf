# A protection group by tag in one plan: the VMs of a cluster with the tag, whether the link can keep their RPO, and the
# group that replicates them.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# Set the environment variables of vCenter and VSLA_DATA_PROTECTION_SERVER.
provider "vsla" {}

variable "cluster_id" {
  type    = string
  default = "domain-c9"
}

variable "link_mbps" {
  type    = number
  default = 10000
}

locals {
  tier = { name = "gold", rpo_minutes = 15, daily_change_percent = 2 }
}

data "vsla_tag" "tier" {
  category_name = "sla"
  name          = local.tier.name
}

# The group after it was created.
data "vsla_protection_groups" "tier" {
  cluster_id = var.cluster_id
  name_regex = "^${local.tier.name}$"
  states     = ["ACTIVE", "PAUSED"]
}

data "vsla_protection_members" "tier" {
  cluster_id          = var.cluster_id
  protection_group_id = one(keys(data.vsla_protection_groups.tier.groups))
  tag_rules           = [{ tag_ids = [data.vsla_tag.tier.id], match = "all" }]
}

data "vsla_virtual_machines" "tier" {
  vm_ids       = data.vsla_protection_members.tier.member_vm_ids
  summary_only = true
}

data "vsla_replication_estimate" "tier" {
  vm_count             = data.vsla_virtual_machines.tier.vm_count
  vm_size_gib          = data.vsla_virtual_machines.tier.mean_used_gib
  daily_change_percent = local.tier.daily_change_percent
  throughput_mbps      = var.link_mbps
  rpo_minutes          = local.tier.rpo_minutes
  mechanism            = "protection_group"
}

data "vsla_cluster_pairs" "here" {
  cluster_id = var.cluster_id
}

resource "vsla_protection_group" "tier" {
  cluster_id = var.cluster_id
  name       = local.tier.name
  tag_rules  = [{ tag_ids = [data.vsla_tag.tier.id], match = "all" }]

  replication = {
    cluster_pair_id = data.vsla_cluster_pairs.here.ids["dr-cluster"]
    rpo_minutes     = local.tier.rpo_minutes
  }

  lifecycle {
    precondition {
      condition     = data.vsla_replication_estimate.tier.meets_rpo
      error_message = data.vsla_replication_estimate.tier.summary
    }
  }
}

data "vsla_sla_compliance" "now" {
  tiers               = { (local.tier.name) = { tag_id = data.vsla_tag.tier.id, rpo_minutes = local.tier.rpo_minutes } }
  protection_clusters = [var.cluster_id]
}

output "members" {
  value = data.vsla_protection_members.tier.summary
}

output "estimate" {
  value = data.vsla_replication_estimate.tier.summary
}

output "compliance" {
  value = data.vsla_sla_compliance.now.summary
}

output "compliant" {
  value = data.vsla_sla_compliance.now.compliant
}
