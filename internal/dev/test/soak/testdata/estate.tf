terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

variable "estate" {
  type = object({
    tiers = map(object({
      description = string
      vms         = list(string)
      ownership   = string
    }))
    labels = map(string)
    objects = map(object({
      labels    = list(string)
      ownership = string
    }))
    replications = map(object({
      rpo_minutes = number
      compression = bool
      paused      = bool
    }))
    groups = map(object({
      vms         = list(string)
      rpo_minutes = number
      keep_last   = number
      paused      = bool
    }))
  })
}

variable "sites" {
  type = object({
    pairing   = string
    vcenter   = string
    datastore = string
    cluster   = string
    pair      = string
  })
}

variable "forced" {
  type = bool
}

resource "vsla_tag_category" "tier" {
  name           = "tier"
  cardinality    = "SINGLE"
  adopt_existing = true
  force_destroy  = var.forced
}

resource "vsla_tag_category" "label" {
  name           = "label"
  cardinality    = "MULTIPLE"
  adopt_existing = true
  force_destroy  = var.forced
}

resource "vsla_tag" "tier" {
  for_each       = var.estate.tiers
  category_id    = vsla_tag_category.tier.id
  name           = each.key
  description    = each.value.description
  adopt_existing = true
  force_destroy  = var.forced
}

resource "vsla_tag_association" "tier" {
  for_each   = var.estate.tiers
  tag_id     = vsla_tag.tier[each.key].id
  object_ids = each.value.vms
  ownership  = each.value.ownership
}

resource "vsla_tags" "label" {
  category_id    = vsla_tag_category.label.id
  tags           = var.estate.labels
  adopt_existing = true
  force_destroy  = var.forced
}

resource "vsla_object_tags" "vm" {
  for_each  = var.estate.objects
  object_id = each.key
  tag_ids   = [for name in each.value.labels : vsla_tags.label.ids[name]]
  ownership = each.value.ownership
}

resource "vsla_replication" "vm" {
  for_each            = var.estate.replications
  pairing_id          = var.sites.pairing
  vm_id               = "VirtualMachine:${each.key}:${var.sites.vcenter}"
  target_datastore_id = var.sites.datastore
  rpo_minutes         = each.value.rpo_minutes
  network_compression = each.value.compression
  paused              = each.value.paused
  adopt_existing      = true
}

resource "vsla_protection_group" "group" {
  for_each       = var.estate.groups
  cluster_id     = var.sites.cluster
  name           = each.key
  vm_ids         = each.value.vms
  paused         = each.value.paused
  adopt_existing = true
  replication = {
    cluster_pair_id = var.sites.pair
    rpo_minutes     = each.value.rpo_minutes
    keep_last       = each.value.keep_last
  }
}
