# Inputs that have not been measured are ranges: the lowest, the most likely and the highest value.
data "vsla_replication_confidence" "gold" {
  vm_count             = 15
  vm_size_gib          = { low = 80, likely = 95, high = 120 }
  daily_change_percent = { low = 3, likely = 5, high = 8 }
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  rpo_minutes          = 30
}

output "gold" {
  value = {
    holds_percent = data.vsla_replication_confidence.gold.probability_violation_free_percent
    needs_mbps    = data.vsla_replication_confidence.gold.throughput_95_percent_confidence_mbps
    measure_first = data.vsla_replication_confidence.gold.drivers
  }
}
