output "tiers" {
  description = "What each tier takes, in words."
  value       = { for name, estimate in data.vsla_replication_estimate.tier : name => estimate.summary }
}

output "together" {
  description = "All tiers on the link."
  value       = data.vsla_replication_schedule.sites.summary
}

output "target_gib" {
  description = "Space for all replicas at the target, in GiB."
  value       = sum([for storage in data.vsla_replica_storage.tier : storage.target_gib])
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
