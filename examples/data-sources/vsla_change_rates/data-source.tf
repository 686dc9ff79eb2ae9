data "vsla_virtual_machines" "db" {
  name_regex  = "^db-"
  power_state = "poweredOn"
}

# Writes of the last day, in five-minute samples. vCenter stores them only at statistics level 2 or higher.
# interval_seconds = 20 works at every level, but covers only the last hour.
data "vsla_change_rates" "db" {
  vm_ids            = data.vsla_virtual_machines.db.ids
  interval_seconds  = 300
  lookback_hours    = 24
  coalescing_factor = 0.6 # measured: 40% of the writes change blocks that have already changed
}

# Each VM has its own size and change rate. The hourly weights are in UTC. For VMs without samples, 5% a day is assumed.
data "vsla_sla_plan" "db" {
  links = { metro = { throughput_mbps = 1000 } }
  tiers = {
    db = {
      virtual_machines = {
        for id, vm in data.vsla_change_rates.db.virtual_machines : id => {
          size_gib             = vm.size_gib > 0 ? vm.size_gib : null
          daily_change_percent = vm.daily_change_percent
        }
      }
      daily_change_percent = 5
      rpo_minutes          = 60
      hourly_weights       = data.vsla_change_rates.db.total_hourly_weights
    }
  }
}

output "link_for_the_writes_mbps" {
  value = data.vsla_change_rates.db.total_p95_write_mbps
}
