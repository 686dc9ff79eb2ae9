data "vsla_tag_category" "sla" {
  name = "sla"
}
