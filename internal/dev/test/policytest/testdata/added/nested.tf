check "nested" {
  data "vsla_replication_estimate" "nested" {
    vm_count             = 15
    vm_size_gib          = 100
    daily_change_percent = 5
    throughput_mbps      = 630
    rpo_minutes          = 15
  }
  assert {
    condition     = data.vsla_replication_estimate.nested.meets_rpo
    error_message = "Misses."
  }
}
