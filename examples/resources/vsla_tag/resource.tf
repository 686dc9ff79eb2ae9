resource "vsla_tag_category" "tier" {
  name        = "tier"
  cardinality = "SINGLE"
}

resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.tier.id
  name        = "gold"
  description = "Loses at most 15 minutes of data"
}
