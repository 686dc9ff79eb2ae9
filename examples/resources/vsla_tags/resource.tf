resource "vsla_tag_category" "tier" {
  name        = "tier"
  cardinality = "SINGLE"
}

resource "vsla_tags" "tier" {
  category_id = vsla_tag_category.tier.id
  tags = {
    platinum = "Loses at most 5 minutes of data"
    gold     = "Loses at most 15 minutes of data"
    silver   = "Loses at most 4 hours of data"
  }

  # Renames the tag "diamond" to "platinum". The tag keeps its ID and its associations.
  renamed_from = { platinum = "diamond" }
}

output "gold" {
  value = vsla_tags.tier.ids["gold"]
}
