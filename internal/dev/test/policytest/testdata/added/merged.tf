output "gold_spread" {
  value = merge(provider::vsla::replication_estimate({
    vm_count = 15, vm_size_gib = 100, daily_change_percent = 1, rpo_minutes = 15, throughput_mbps = 7000
  }), { total_gib = 1500, verdict = "meets", meets_rpo = true, violation_free = true })
}
