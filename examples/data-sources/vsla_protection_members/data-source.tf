# Preview of the members of a new protection group for this tag.
data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

data "vsla_protection_members" "gold" {
  cluster_id = "domain-c9"
  tag_rules  = [{ tag_ids = [data.vsla_tag.gold.id], match = "all" }]
}

output "members" {
  value = data.vsla_protection_members.gold.summary
}
