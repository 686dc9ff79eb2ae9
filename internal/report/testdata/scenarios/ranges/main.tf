terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# Inputs that have not been measured yet.
data "vsla_replication_confidence" "guessed" {
  vm_count             = 15
  vm_size_gib          = { low = 80, likely = 95.367431640625, high = 120 }
  daily_change_percent = { low = 3, likely = 5, high = 8 }
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  overhead_seconds     = { low = 10, likely = 10, high = 10 }
  rpo_minutes          = 30
}

data "vsla_replication_confidence" "link" {
  vm_count             = 15
  vm_size_gib          = 95.367431640625
  daily_change_percent = 5
  throughput_mbps      = { low = 400, likely = 700, high = 901 }
  rpo_minutes          = 30
}

# A higher throughput does not help, because the source reads only 100 Mbit/s.
data "vsla_replication_confidence" "storage" {
  vm_count         = 15
  vm_size_gib      = 100
  change_curve     = { 15 = 1.6, 240 = 2.8, 1440 = 7 }
  throughput_mbps  = 901
  source_read_mbps = { low = 50, likely = 80, high = 100 }
  rpo_minutes      = 15
}

data "vsla_replication_confidence" "plain" {
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = 901
  rpo_minutes          = 30
}

output "function" {
  value = provider::vsla::replication_confidence({
    vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15, throughput_mbps = 440
  })
}
