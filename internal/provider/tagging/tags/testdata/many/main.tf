terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}

# 3,000 tags three times: the third batch exceeds what vCenter supports.
resource "vsla_tags" "sla" {
  count       = 3
  category_id = vsla_tag_category.sla.id
  tags        = merge([for k in range(3) : {
    for i in range(1000) : format("tag-%d-%d-%03d", count.index, k, i) => ""
  }]...)
}
