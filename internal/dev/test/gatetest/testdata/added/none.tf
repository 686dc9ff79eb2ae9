data "vsla_replication_estimate" "none" {
  count                = 0
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = 15
}
