data "vsla_replication_pairing" "sites" {}

data "vsla_replication_datastores" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}

output "free_gib" {
  value = {
    for d in data.vsla_replication_datastores.recovery.datastores :
    d.id => { name = d.name, free_gib = floor(d.free_bytes / pow(2, 30)) }
  }
}
