data "vsla_replication_pairing" "sites" {}

data "vsla_replication_vm" "database" {
  pairing_id = data.vsla_replication_pairing.sites.id
  name       = "db-0003"
}

data "vsla_replication_site" "recovery" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}

resource "vsla_replication" "database" {
  pairing_id          = data.vsla_replication_pairing.sites.id
  vm_id               = data.vsla_replication_vm.database.id
  target_datastore_id = data.vsla_replication_site.recovery.datastores[0].id

  rpo_minutes         = 60
  network_compression = true
  point_in_time       = { instances_per_day = 3, days = 5 }

  # Keep the replica as a seed after a destroy.
  retain_replica_disks_on_destroy = true

  timeouts = { create = "1h" }
}
