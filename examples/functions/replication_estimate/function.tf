locals {
  links = { vpn = 440, direct = 901 }
}

output "verdicts" {
  value = {
    for name, mbps in local.links : name => provider::vsla::replication_estimate({
      vm_count             = 15
      vm_size_gib          = 100
      daily_change_percent = 5
      throughput_mbps      = mbps
      rpo_minutes          = 15
    }).verdict
  }
}
