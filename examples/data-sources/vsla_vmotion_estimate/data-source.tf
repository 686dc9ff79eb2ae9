# A VM with 64 GiB of memory moves to a hybrid cloud over a link of 500 to 900 Mbit/s with a round trip of 40 ms.
data "vsla_vmotion_estimate" "database" {
  for_each              = { slow = 500, fast = 900 }
  memory_gib            = 64
  memory_dirty_mbps     = 80
  disk_gib              = 200
  disk_write_mbps       = 20
  throughput_mbps       = each.value
  rtt_ms                = 40
  concurrent_migrations = 1
}

output "range" {
  value = {
    for name, e in data.vsla_vmotion_estimate.database :
    name => "${provider::vsla::format_duration(e.duration_seconds)}, ${e.verdict}"
  }
}
