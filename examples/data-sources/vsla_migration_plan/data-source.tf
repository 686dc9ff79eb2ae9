# The evacuation of a datacenter over 2 Gbit/s on two weekends, from Saturday at 6 to Monday at 6, with a reserve of
# 10%. VMs and sizes are from the inventory. Powered-off VMs are copied by NFC. The promises are two weekends and a
# downtime of at most one minute for running VMs.
data "vsla_virtual_machines" "all" {}

data "vsla_migration_plan" "evacuation" {
  virtual_machines = {
    for id, vm in data.vsla_virtual_machines.all.virtual_machines : vm.name => {
      method               = vm.power_state == "poweredOn" ? "vmotion" : "cold"
      memory_gib           = vm.memory_gib
      disk_gib             = vm.used_gib
      host                 = vm.host_id
      datastore            = one(slice(vm.datastore_ids, 0, 1))
      max_downtime_minutes = vm.power_state == "poweredOn" ? 1 : null
    }
  }
  throughput_mbps   = 2000
  window_weekdays   = ["SAT", "SUN"]
  window_start_hour = 6
  window_hours      = 24
  setup_seconds     = 20
  max_windows       = 2
}

# Names of the VMs that move on each weekend. VMs that do not fit into a weekend are in unplanned.
output "weekends" {
  value = {
    for name, move in data.vsla_migration_plan.evacuation.virtual_machines :
    "weekend ${move.window}" => name... if move.window != null
  }
}

check "evacuated" {
  assert {
    condition     = data.vsla_migration_plan.evacuation.verdict == "meets"
    error_message = data.vsla_migration_plan.evacuation.summary
  }
}
