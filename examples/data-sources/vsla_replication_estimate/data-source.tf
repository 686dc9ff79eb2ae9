data "vsla_replication_estimate" "gold" {
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = 901
  rpo_minutes          = 15
}

output "gold" {
  value = data.vsla_replication_estimate.gold.summary
}

# Evaluated during plan, before anything is created.
check "gold" {
  assert {
    condition     = data.vsla_replication_estimate.gold.meets_rpo
    error_message = data.vsla_replication_estimate.gold.summary
  }
}
