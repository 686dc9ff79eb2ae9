terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

variable "adopt_existing" {
  type    = bool
  default = false
}

data "vsla_tag_category" "sla" {
  name = "sla"
}

resource "vsla_tags" "sla" {
  category_id    = data.vsla_tag_category.sla.id
  tags           = { for i in range(300) : format("tag-%03d", i) => "" }
  adopt_existing = var.adopt_existing
}
