# The replications. A VM in virtual_machines.json has one if it has "replication", even an empty one: the settings there
# take precedence over the tier's RPO and over replication_defaults.

locals {
  # The tiers that promise an RPO.
  promised = { for name, tier in local.tiers : name => tier if can(tier.rpo_minutes) }

  replications = {
    for name, vm in local.virtual_machines : name => merge(
      local.replication_defaults,
      { vm_id = vm.id, tier = try(vm.tier, "none"), rpo_minutes = try(local.promised[vm.tier].rpo_minutes, null) },
      vm.replication,
    ) if can(vm.replication)
  }
}

resource "vsla_replication" "vm" {
  for_each = local.replications

  pairing_id               = each.value.pairing_id
  vm_id                    = "VirtualMachine:${each.value.vm_id}:${local.vcenter_id}"
  target_datastore_id      = each.value.target_datastore_id
  target_storage_policy_id = each.value.target_storage_policy_id
  disk_format              = each.value.disk_format
  rpo_minutes              = each.value.rpo_minutes
  network_compression      = each.value.network_compression
  network_encryption       = each.value.network_encryption
  enhanced_replication     = each.value.enhanced_replication
  quiesce_guest            = each.value.quiesce_guest
  auto_replicate_new_disks = each.value.auto_replicate_new_disks
  replicate_vm_data_sets   = each.value.replicate_vm_data_sets
  point_in_time            = each.value.point_in_time
  disks                    = each.value.disks

  lifecycle {
    precondition {
      condition = each.value.rpo_minutes != null
      error_message = join(" ", [
        "VM ${each.key} has no rpo_minutes: set it for tier ${each.value.tier} in tiers.tf,",
        "or for this VM in virtual_machines.json.",
      ])
    }
  }
}
