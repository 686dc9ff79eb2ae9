data "vsla_replication_pairing" "sites" {}

data "vsla_replication_servers" "recovery" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

output "usable" {
  value = [for s in data.vsla_replication_servers.recovery.servers : s.id if s.connected && !s.decommissioned]
}
