# A tag on some VMs.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {}

variable "vm_count" {
  type    = number
  default = 3
}

variable "ownership" {
  type    = string
  default = "additive"
}

data "vsla_virtual_machines" "all" {}

resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}

resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}

resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tag.gold.id
  object_ids = slice(data.vsla_virtual_machines.all.ids, 0, var.vm_count)
  ownership  = var.ownership
}

output "vm_count" {
  value = data.vsla_virtual_machines.all.vm_count
}

variable "cluster_id" {
  type = string
}

variable "cluster_pair_id" {
  type = string
}

variable "groups" {
  type = map(object({ vm_ids = list(string), rpo_minutes = number }))
}

resource "vsla_protection_group" "tier" {
  for_each   = var.groups
  cluster_id = var.cluster_id
  name       = each.key
  vm_ids     = each.value.vm_ids
  replication = {
    cluster_pair_id = var.cluster_pair_id
    rpo_minutes     = each.value.rpo_minutes
  }
}
