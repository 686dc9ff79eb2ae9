data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

# The replications of the gold tier in the last 30 days, from vCenter's event log.
data "vsla_replication_history" "gold" {
  tag_id = data.vsla_tag.gold.id
}

output "compliance_percent" {
  value = data.vsla_replication_history.gold.total.compliance_percent
}

# Each VM has its own size and change rate, and the measured hourly profile. For VMs without syncs, 5% a day is assumed.
data "vsla_sla_plan" "gold" {
  links = { metro = { throughput_mbps = 1000 } }
  tiers = {
    gold = {
      virtual_machines = {
        for id, vm in data.vsla_replication_history.gold.virtual_machines : id => {
          size_gib             = vm.size_gib > 0 ? vm.size_gib : null
          daily_change_percent = vm.daily_change_percent
        }
      }
      daily_change_percent = 5
      rpo_minutes          = 15
      hourly_weights       = data.vsla_replication_history.gold.total.hourly_weights
    }
  }
}
