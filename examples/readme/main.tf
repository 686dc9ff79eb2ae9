terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

data "vsla_virtual_machines" "db" {
  name_regex = "^db-"
}

data "vsla_replication_estimate" "db" {
  vm_count             = data.vsla_virtual_machines.db.vm_count
  vm_size_gib          = data.vsla_virtual_machines.db.mean_used_gib
  daily_change_percent = 5
  throughput_mbps      = provider::vsla::parse_rate_mbps("1 Gbit/s")
  rpo_minutes          = 60
}

output "verdict" {
  value = data.vsla_replication_estimate.db.summary
}
