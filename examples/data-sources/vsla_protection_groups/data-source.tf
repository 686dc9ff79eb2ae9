# The protection groups of a cluster that are not active.
data "vsla_protection_groups" "cluster" {
  cluster_id = "domain-c9"
}

output "not_active" {
  value = [for g in data.vsla_protection_groups.cluster.groups : "${g.name}: ${g.status}" if g.status != "ACTIVE"]
}
