data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

data "vsla_virtual_machines" "gold" {
  tag_ids     = [data.vsla_tag.gold.id]
  power_state = "poweredOn"
}

output "gold" {
  value = {
    vm_count = data.vsla_virtual_machines.gold.vm_count
    used_gib = data.vsla_virtual_machines.gold.total_used_gib
    without_changed_block_tracking = [
      for vm in data.vsla_virtual_machines.gold.virtual_machines : vm.path if !vm.changed_block_tracking
    ]
  }
}
