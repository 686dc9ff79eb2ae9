# The status of the replications. These outputs change without a change of the configuration. `terraform plan` shows the
# changes, and `terraform apply` saves them.

data "vsla_replications" "outgoing" {
  pairing_id = local.sites.id
  direction  = "outgoing"
  depends_on = [vsla_replication.vm] # includes replications of the same apply
}

locals {
  ids = [for r in vsla_replication.vm : r.replication_id]
  now = [for r in data.vsla_replications.outgoing.replications : r if contains(local.ids, r.replication_id)]

  by_status = { for r in local.now : r.status => r.name... }

  # Progress of each initial sync, in percent: 0 before it starts, 100 after it.
  synced = [for r in local.now : r.last_sync_time != null ? 100 : try(r.sync_progress.progress_percent, 0)]
}

# Of the last VM, if all initial syncs start together. It is null if that takes more than 31 days.
output "predicted_initial_sync" {
  value = try(provider::vsla::format_duration(
    60 * max([for promise in data.vsla_sla_plan.estate.promises : promise.initial_sync_minutes]...)
  ), null)
}

output "protection" {
  value = {
    vm_count             = length(local.now)
    initial_sync_percent = floor(sum(concat([0], local.synced)) / max(1, length(local.synced)))
    status               = { for status, names in local.by_status : status => length(names) }
    late                 = [for r in local.now : r.name if r.rpo_violation]
  }
}
