terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

variable "tiers" {
  description = "VMs by tier."
  type        = map(list(string))
}

variable "ownership" {
  type    = string
  default = "additive"
}

data "vsla_tag_category" "sla" {
  name = "sla"
}

resource "vsla_tag" "tier" {
  for_each    = var.tiers
  category_id = data.vsla_tag_category.sla.id
  name        = each.key
}

resource "vsla_tag_association" "tier" {
  for_each   = var.tiers
  tag_id     = vsla_tag.tier[each.key].id
  object_ids = each.value
  ownership  = var.ownership
}
