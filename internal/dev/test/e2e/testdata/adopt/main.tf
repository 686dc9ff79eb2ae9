terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

variable "adopt_existing" {
  type    = bool
  default = false
}

variable "vm" {
  type = string
}

resource "vsla_tag_category" "marks" {
  name           = "marks"
  cardinality    = "MULTIPLE"
  adopt_existing = var.adopt_existing
}

resource "vsla_tag" "mark" {
  count          = 30
  category_id    = vsla_tag_category.marks.id
  name           = "mark-${count.index}"
  adopt_existing = var.adopt_existing
}

resource "vsla_tag_association" "mark" {
  count      = 30
  tag_id     = vsla_tag.mark[count.index].id
  object_ids = [var.vm]
}
