terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

variable "throughput_mbps" {
  type = number
}

data "vsla_replication_estimate" "tier" {
  for_each             = { gold = 15, silver = 60 }
  vm_count             = 20 * each.value / 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = var.throughput_mbps
  rpo_minutes          = each.value
}

output "verdicts" {
  value = { for name, e in data.vsla_replication_estimate.tier : name => e.verdict }
}
