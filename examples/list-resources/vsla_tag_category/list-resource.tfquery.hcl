list "vsla_tag_category" "all" {
  provider = vsla
  limit    = 1000
}
