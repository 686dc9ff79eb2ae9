output "gold_spread" {
  value = provider::vsla::replication_estimate({
    vm_count = 1, vm_size_gib = 1, daily_change_percent = 1, rpo_minutes = 15, throughput_mbps = 7000
  })
}
