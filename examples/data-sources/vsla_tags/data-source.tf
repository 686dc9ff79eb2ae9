data "vsla_tags" "sla" {
  category_name = "sla"
}

output "gold" {
  value = data.vsla_tags.sla.ids["gold"]
}
