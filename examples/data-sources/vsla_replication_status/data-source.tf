data "vsla_replication_pairing" "sites" {}

data "vsla_replications" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

data "vsla_replication_status" "each" {
  for_each = { for r in data.vsla_replications.all.replications : r.replication_id => r.name }

  pairing_id     = data.vsla_replication_pairing.sites.id
  replication_id = each.key
}

output "errors" {
  value = { for r in data.vsla_replication_status.each : r.name => r.last_group_error if r.last_group_error != null }
}
