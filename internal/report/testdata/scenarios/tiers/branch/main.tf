terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

data "vsla_replication_estimate" "site" {
  count                = 2
  vm_count             = 6
  vm_size_gib          = 120
  daily_change_percent = 4
  rpo_minutes          = [30, 120][count.index]
  throughput_mbps      = 200
  overhead_seconds     = 20
  compression_ratio    = 1.5
}
