terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}

# Three thousand tags three times: the third goes past what vCenter supports, and only that one.
resource "vsla_tags" "sla" {
  count       = 3
  category_id = vsla_tag_category.sla.id
  tags        = merge([for k in range(3) : {
    for i in range(1000) : format("tag-%d-%d-%03d", count.index, k, i) => ""
  }]...)
}
