data "vsla_replication_pairing" "sites" {}

data "vsla_replication_site" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  read            = ["datastores", "servers", "storage_policies"]
  accessible_only = true
}

output "free_gib" {
  value = {
    for d in data.vsla_replication_site.recovery.datastores :
    d.id => { name = d.name, free_gib = floor(d.free_bytes / pow(2, 30)) }
  }
}

output "usable_servers" {
  value = [for s in data.vsla_replication_site.recovery.servers : s.id if s.connected && !s.decommissioned]
}

output "policy_ids" {
  value = { for p in data.vsla_replication_site.recovery.storage_policies : p.name => p.id }
}
