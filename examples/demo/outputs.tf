locals {
  promises  = data.vsla_sla_plan.estate.promises
  estimates = data.vsla_replication_estimate.published
  row       = "%-30s %5s %9s %14s %8s %10s  %-8s %s"
}

# The results by tier.
output "review" {
  value = join("\n", concat(
    [format(local.row, "tier or network", "VMs", "GiB", "initial sync", "RPO", "configure", "verdict", "reason")],
    [for name in keys(local.tiers) : trimspace(format(local.row,
      name,
      local.promises[name].vm_count,
      format("%.0f", local.promises[name].total_gib),
      provider::vsla::format_duration(local.promises[name].initial_sync_minutes * 60),
      "${local.tiers[name].rpo_minutes} min",
      "${coalesce(local.tiers[name].configured_rpo_minutes, local.promises[name].suggested_rpo_minutes, 0)} min",
      local.promises[name].verdict,
      join(", ", local.promises[name].reasons),
    ))],
    [for name, e in local.estimates : trimspace(format(local.row,
      name,
      e.vm_count,
      format("%.0f", e.total_gib),
      provider::vsla::format_duration(e.initial_sync_seconds),
      "${e.rpo_minutes} min",
      try("${e.suggested_rpo_minutes} min", ""),
      e.verdict,
      join(", ", e.reasons),
    ))],
  ))
}

# The verdicts, for a policy in a pipeline.
output "verdicts" {
  value = merge(
    { for name, promise in local.promises : name => promise.verdict },
    { for name, e in local.estimates : name => e.verdict },
  )
}

output "summaries" {
  value = merge(
    { for name, promise in local.promises : name => promise.summary },
    { for name, e in local.estimates : name => e.summary },
  )
}
