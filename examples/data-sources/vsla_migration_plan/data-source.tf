# A datacenter that is evacuated in two weekends, from Saturday at 6 to Monday at 6, 10 % of which stay in reserve: VMs
# and sizes from the inventory, over 2 Gbit/s.
data "vsla_virtual_machines" "all" {}

data "vsla_migration_plan" "evacuation" {
  virtual_machines = {
    for id, vm in data.vsla_virtual_machines.all.virtual_machines : vm.name => {
      memory_gib = vm.memory_gib
      disk_gib   = vm.used_gib
      host       = vm.host_id
      datastore  = one(slice(vm.datastore_ids, 0, 1))
    }
  }
  throughput_mbps   = 2000
  window_weekdays   = ["SAT", "SUN"]
  window_start_hour = 6
  window_hours      = 24
}

# Names of the VMs that move on each weekend.
output "weekends" {
  value = {
    for name, move in data.vsla_migration_plan.evacuation.virtual_machines : "weekend ${move.window}" => name...
  }
}

check "two_weekends" {
  assert {
    condition     = data.vsla_migration_plan.evacuation.windows_needed <= 2
    error_message = data.vsla_migration_plan.evacuation.summary
  }
}

check "supported" {
  assert {
    condition     = data.vsla_migration_plan.evacuation.verdict == "ok"
    error_message = data.vsla_migration_plan.evacuation.summary
  }
}
