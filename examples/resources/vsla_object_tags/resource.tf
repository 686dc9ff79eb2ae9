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

  # Detaches other tags of the category sla from this VM. "exclusive" would detach all other tags.
  ownership = "category"
}
