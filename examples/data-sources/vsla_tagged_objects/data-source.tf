data "vsla_tags" "sla" {
  category_name = "sla"
}

data "vsla_tagged_objects" "covered" {
  tag_ids   = values(data.vsla_tags.sla.ids)
  tag_match = "any"
}

output "covered" {
  value = length(data.vsla_tagged_objects.covered.objects)
}
