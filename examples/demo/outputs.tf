locals {
  estimates = merge(
    { for name, e in data.vsla_replication_estimate.tier : name => e },
    { for name, e in data.vsla_replication_estimate.published : name => e },
  )
  row = "%-30s %5s %9s %14s %12s %8s  %-8s %s"
}

# A table for the review.
output "review" {
  value = join("\n", concat(
    [format(local.row, "tier or network", "VMs", "GiB", "initial sync", "delta", "RPO", "verdict", "reason")],
    [for name in concat(["gold", "silver", "bronze"], keys(local.networks)) : trimspace(format(local.row,
      name,
      local.estimates[name].vm_count,
      format("%.0f", local.estimates[name].total_gib),
      provider::vsla::format_duration(local.estimates[name].initial_sync_seconds),
      provider::vsla::format_duration(local.estimates[name].ongoing_sync_seconds),
      "${local.estimates[name].rpo_minutes} min",
      local.estimates[name].verdict,
      join(", ", local.estimates[name].reasons),
    ))],
  ))
}

# The verdicts alone, for a policy in a pipeline.
output "verdicts" {
  value = { for name, e in local.estimates : name => e.verdict }
}

output "summaries" {
  value = { for name, e in local.estimates : name => e.summary }
}
