data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}
