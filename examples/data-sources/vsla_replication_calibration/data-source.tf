data "vsla_replication_pairing" "sites" {}

data "vsla_replications" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

# The assumptions of the plan, compared with the last sync of each VM.
data "vsla_replication_calibration" "each" {
  for_each = { for r in data.vsla_replications.all.replications : r.name => r }

  last_sync_size_bytes       = each.value.last_sync_size_bytes
  last_sync_duration_seconds = each.value.last_sync_duration_seconds
  rpo_minutes                = each.value.rpo_minutes
  vm_size_gib                = 100
  throughput_mbps            = 200
  daily_change_percent       = 5
}

output "optimistic" {
  value = { for name, c in data.vsla_replication_calibration.each : name => c.explanations if c.optimistic == true }
}
