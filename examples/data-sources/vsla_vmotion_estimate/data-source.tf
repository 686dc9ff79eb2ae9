# A VM with 64 GiB of memory to a hybrid cloud 40 ms away, over a link that carries 500 to 900 Mbit/s.
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
