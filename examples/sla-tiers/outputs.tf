locals {
  compliance = data.vsla_sla_compliance.estate
}

output "verdicts" {
  description = "Whether the promise of each tier holds, with all tiers on the link. Known in the first plan."
  value       = { for name, promise in local.promises : name => promise.verdict }
}

output "summaries" {
  description = "Summary of each promise: which VMs break it, and what would make it hold."
  value       = { for name, promise in local.promises : name => promise.summary }
}

output "suggested_rpo_minutes" {
  description = "Longest configured RPO that keeps the promise of each tier. Null if there is none."
  value       = { for name, promise in local.promises : name => promise.suggested_rpo_minutes }
}

output "throughput_mbps" {
  description = "Smallest throughput with which all promises hold, with settings of its own. Null if there is none."
  value       = data.vsla_sla_plan.tiers.links["replication"].throughput_needed_mbps
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
