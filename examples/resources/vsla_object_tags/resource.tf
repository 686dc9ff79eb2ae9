data "vsla_tags" "sla" {
  category_name = "sla"
}

data "vsla_virtual_machines" "database" {
  name_regex = "^db-0003$"
  read_disks = false
}

resource "vsla_object_tags" "database" {
  object_id = one(data.vsla_virtual_machines.database.ids)
  tag_ids   = [data.vsla_tags.sla.ids["gold"]]

  # Owns the category sla on this VM: another tag of it is taken off. "exclusive" would own every tag.
  ownership = "category"
}
