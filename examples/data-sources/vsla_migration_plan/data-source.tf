# A datacenter that is evacuated in two weekends of 30 hours each: VMs and sizes from the inventory, over 2 Gbit/s.
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
  throughput_mbps = 2000
  window_hours    = 30
}

output "weekends" {
  value = data.vsla_migration_plan.evacuation.windows_needed
}

check "two_weekends" {
  assert {
    condition     = data.vsla_migration_plan.evacuation.windows_needed <= 2
    error_message = data.vsla_migration_plan.evacuation.summary
  }
}
