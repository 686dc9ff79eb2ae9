data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

# What replication did to the VMs of tier gold in the last 30 days, by vCenter's event log.
data "vsla_replication_history" "gold" {
  tag_id = data.vsla_tag.gold.id
}

output "compliance_percent" {
  value = data.vsla_replication_history.gold.total.compliance_percent
}

# The measured profile goes into the schedule unchanged. Where nothing was measured, 5 GiB a day are assumed.
data "vsla_replication_schedule" "gold" {
  throughput_mbps = 1000
  groups = {
    gold = {
      vm_count       = max(1, length(data.vsla_replication_history.gold.virtual_machines))
      vm_size_gib    = 100
      rpo_minutes    = 15
      change_curve   = coalesce(data.vsla_replication_history.gold.total.change_curve, { 1440 = 5 })
      hourly_weights = data.vsla_replication_history.gold.total.hourly_weights
    }
  }
}
