# The shortest of these RPOs that is violation-free with a probability of 95%.
output "rpo_minutes" {
  value = min([
    for rpo in [15, 30, 60, 120, 240] : rpo if provider::vsla::replication_confidence({
      vm_count             = 15
      vm_size_gib          = 100
      daily_change_percent = { low = 3, likely = 5, high = 8 }
      throughput_mbps      = { low = 400, likely = 700, high = 901 }
      peak_factor          = { low = 1, likely = 3, high = 8 }
      rpo_minutes          = rpo
    }).probability_violation_free_percent >= 95
  ]...)
}
