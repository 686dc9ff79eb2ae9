output "tiers" {
  description = "Whether each promise holds, which VMs break it, and what would make it hold."
  value       = { for name, promise in data.vsla_sla_plan.sites.promises : name => promise.summary }
}

output "together" {
  description = "Summary of all promises and the throughput that they need."
  value       = data.vsla_sla_plan.sites.summary
}

output "target_gib" {
  description = "Space of all replicas at the target, in GiB."
  value       = data.vsla_sla_plan.sites.targets["recovery"].needed_gib
}

output "migration" {
  description = "Duration of the migration of all VMs."
  value       = data.vsla_migration_plan.all.summary
}

output "left_out" {
  description = "Number of skipped rows of the file, by reason."
  value = {
    for row in flatten([for found in data.vsla_inventory_file.tier : found.skipped]) : row.reason => row.name...
  }
}
