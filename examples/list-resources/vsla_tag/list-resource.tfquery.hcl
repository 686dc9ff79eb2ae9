# Every tag of one category.
list "vsla_tag" "tier" {
  provider = vsla
  limit    = 1000

  config {
    category_name = "tier"
  }
}
