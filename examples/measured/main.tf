# From an empty folder to a verdict without a typed rate, size or change. Sizes and changes are from vCenter, and the
# throughput is what the appliances measured.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

data "vsla_virtual_machines" "all" {
  power_state = "poweredOn"
}

# Writes of the last day. vCenter stores them only at statistics level 2 or higher.
data "vsla_change_rates" "all" {
  vm_ids           = data.vsla_virtual_machines.all.ids
  interval_seconds = 300
  lookback_hours   = 24
}

data "vsla_replication_pairing" "sites" {}

# A read starts no test. The action vsla_replication_link_test does.
data "vsla_replication_link" "metro" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

data "vsla_sla_plan" "estate" {
  links = { metro = { measured = data.vsla_replication_link.metro } }
  tiers = {
    all = {
      # A VM without samples has no change, so the plan is refused until its change is set here.
      virtual_machines = {
        for id, vm in data.vsla_change_rates.all.virtual_machines : id => {
          id                   = id
          size_gib             = vm.size_gib
          daily_change_percent = vm.daily_change_percent
        }
      }
      hourly_weights = data.vsla_change_rates.all.total_hourly_weights
      rpo_minutes    = 60 # the promise
    }
  }
}

output "verdict" {
  value = data.vsla_sla_plan.estate.promises["all"].verdict
}

output "why" {
  value = data.vsla_sla_plan.estate.promises["all"].summary
}

# The link's throughput, with its source and its age.
output "assumed" {
  value = data.vsla_sla_plan.estate.assumed
}
