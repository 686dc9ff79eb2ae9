# Three tiers on a link with less throughput during office hours, when most of the data changes.
locals {
  office_hours = [for hour in range(24) : hour >= 8 && hour < 18 ? 5 : 1]
}

data "vsla_replication_schedule" "tiers" {
  groups = {
    gold = {
      vm_count             = 20
      vm_size_gib          = 100
      daily_change_percent = 5
      rpo_minutes          = 15
      hourly_weights       = local.office_hours
    }
    silver = {
      vm_count             = 40
      vm_size_gib          = 80
      daily_change_percent = 3
      rpo_minutes          = 60
      hourly_weights       = local.office_hours
    }
    bronze = {
      vm_count             = 90
      vm_size_gib          = 60
      daily_change_percent = 2
      rpo_minutes          = 240
    }
  }
  hourly_throughput_mbps = [for hour in range(24) : hour >= 8 && hour < 18 ? 200 : 800]
}

output "tiers" {
  value = {
    verdict    = data.vsla_replication_schedule.tiers.verdict
    compliance = { for name, group in data.vsla_replication_schedule.tiers.groups : name => group.compliance_percent }
    needs_mbps = data.vsla_replication_schedule.tiers.throughput_for_target_mbps
  }
}
