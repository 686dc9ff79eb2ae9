# All tags of a category.
list "vsla_tag" "tier" {
  provider = vsla
  limit    = 1000

  config {
    category_name = "tier"
  }
}
