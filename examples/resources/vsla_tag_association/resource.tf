data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

# VMs that this configuration does not manage.
data "vsla_virtual_machines" "databases" {
  name_regex = "^db-"
  read_disks = false
}

resource "vsla_tag_association" "gold" {
  tag_id     = data.vsla_tag.gold.id
  object_ids = data.vsla_virtual_machines.databases.ids

  # Other VMs may have the tag too. "exclusive" would detach it from them.
  ownership = "additive"
}
