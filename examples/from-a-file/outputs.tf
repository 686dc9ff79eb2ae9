output "tiers" {
  description = "Whether each promise holds, for which VMs not, and what makes it hold."
  value       = { for name, promise in data.vsla_sla_plan.sites.promises : name => promise.summary }
}

output "together" {
  description = "All promises, and the need of the link."
  value       = data.vsla_sla_plan.sites.summary
}

output "target_gib" {
  description = "Space for all replicas at the target, in GiB."
  value       = data.vsla_sla_plan.sites.targets["recovery"].needed_gib
}

output "migration" {
  description = "How long it takes to move everything."
  value       = data.vsla_migration_plan.all.summary
}

output "left_out" {
  description = "Rows of the file that are no VM of the review, by reason."
  value = {
    for row in flatten([for found in data.vsla_inventory_file.tier : found.skipped]) : row.reason => row.name...
  }
}
