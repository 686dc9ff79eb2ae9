data "vsla_replication_pairing" "sites" {}

data "vsla_replication_storage_policies" "recovery" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

output "policy_ids" {
  value = { for p in data.vsla_replication_storage_policies.recovery.storage_policies : p.name => p.id }
}
