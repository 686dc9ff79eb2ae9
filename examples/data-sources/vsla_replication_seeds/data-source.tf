data "vsla_replication_pairing" "sites" {}

data "vsla_replication_vm" "database" {
  pairing_id = data.vsla_replication_pairing.sites.id
  name       = "db-0003"
}

data "vsla_replication_site" "recovery" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

data "vsla_replication_seeds" "copied" {
  pairing_id   = data.vsla_replication_pairing.sites.id
  datastore_id = data.vsla_replication_site.recovery.datastores[0].id
  vm_ids       = [data.vsla_replication_vm.database.id]
}

# The disks with exactly one seed, for `disks` of vsla_replication.
output "disks" {
  value = {
    for key, paths in data.vsla_replication_seeds.copied.seeds[data.vsla_replication_vm.database.id] :
    key => { seed_path = one(paths) } if length(paths) == 1
  }
}
