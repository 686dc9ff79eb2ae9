locals {
  compliance = data.vsla_sla_compliance.estate
}

output "estimates" {
  description = "The estimate of each tier, alone on the link, in words."
  value       = { for name, e in data.vsla_replication_estimate.tier : name => e.summary }
}

output "verdicts" {
  description = "Whether the link keeps each tier's promise beside the others. Known in the first plan."
  value       = local.verdicts
}

output "throughput_mbps" {
  description = "The least throughput that keeps the promise to each VM."
  value       = try(local.schedule.throughput_for_target_mbps, null)
}

output "compliance" {
  description = "Whether the promises are kept, which VMs break them, and why."
  value = {
    compliant               = local.compliance.compliant
    summary                 = local.compliance.summary
    vm_count                = local.compliance.vm_count
    unprotected             = local.compliance.unprotected
    weaker_than_promised    = local.compliance.weaker_than_promised
    in_violation            = local.compliance.in_violation
    several_tiers           = local.compliance.several_tiers
    untagged_but_replicated = local.compliance.untagged_but_replicated
    verdicts = {
      for id, vm in local.compliance.virtual_machines : id => vm.verdict if vm.verdict != "compliant"
    }
  }
}
