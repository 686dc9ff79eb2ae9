data "vsla_replication_pairing" "sites" {}

data "vsla_replication_vm" "database" {
  pairing_id = data.vsla_replication_pairing.sites.id
  name       = "db-0003"
}

output "smallest_rpo_minutes" {
  value = data.vsla_replication_vm.database.capability.min_rpo_minutes
}

# Keys for `disks` of vsla_replication.
output "disk_keys" {
  value = { for disk in data.vsla_replication_vm.database.disks : disk.key => disk.label }
}
