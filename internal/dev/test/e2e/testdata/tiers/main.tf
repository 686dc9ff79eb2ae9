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

variable "force_destroy" {
  type    = bool
  default = false
}

data "vsla_tag_category" "sla" {
  name = "sla"
}

resource "vsla_tag" "tier" {
  for_each      = var.tiers
  category_id   = data.vsla_tag_category.sla.id
  name          = each.key
  force_destroy = var.force_destroy
}

resource "vsla_tag_association" "tier" {
  for_each   = var.tiers
  tag_id     = vsla_tag.tier[each.key].id
  object_ids = each.value
  ownership  = var.ownership
}
