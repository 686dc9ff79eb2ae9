output "estimates" {
  description = "The estimate of each tier in words."
  value       = { for name, e in data.vsla_replication_estimate.tier : name => e.summary }
}

output "verdicts" {
  description = "Whether the link can keep each tier's promise: meets, at_risk or misses. Known in the first plan."
  value       = { for name, e in data.vsla_replication_estimate.tier : name => e.verdict }
}

output "compliance" {
  description = "Whether the promises are kept, which VMs break them, and why."
  value = {
    compliant               = data.vsla_sla_compliance.estate.compliant
    summary                 = data.vsla_sla_compliance.estate.summary
    vm_count                = data.vsla_sla_compliance.estate.vm_count
    unprotected             = data.vsla_sla_compliance.estate.unprotected
    weaker_than_promised    = data.vsla_sla_compliance.estate.weaker_than_promised
    in_violation            = data.vsla_sla_compliance.estate.in_violation
    several_tiers           = data.vsla_sla_compliance.estate.several_tiers
    untagged_but_replicated = data.vsla_sla_compliance.estate.untagged_but_replicated
    verdicts                = { for id, vm in data.vsla_sla_compliance.estate.virtual_machines : id => vm.verdict if vm.verdict != "compliant" }
  }
}
