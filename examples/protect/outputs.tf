# The state of the replications. These outputs change without a change of the configuration: `terraform plan` shows
# them as changes to outputs, and `terraform apply` records them.

data "vsla_replications" "outgoing" {
  pairing_id = local.sites.id
  direction  = "outgoing"
  depends_on = [vsla_replication.vm] # so that the listing includes replications that the same apply creates
}

locals {
  ids = [for r in vsla_replication.vm : r.replication_id]
  now = [for r in data.vsla_replications.outgoing.replications : r if contains(local.ids, r.replication_id)]

  by_status = { for r in local.now : r.status => r.name... }

  # Percent of each initial sync: 100 once a recovery point exists, 0 before the sync begins.
  synced = [for r in local.now : r.last_sync_time != null ? 100 : try(r.sync_progress.progress_percent, 0)]
}

output "predicted_initial_sync" {
  value = provider::vsla::format_duration(sum([for e in data.vsla_replication_estimate.tier : e.initial_sync_seconds]))
}

output "protection" {
  value = {
    vm_count             = length(local.now)
    initial_sync_percent = floor(sum(concat([0], local.synced)) / max(1, length(local.synced)))
    status               = { for status, names in local.by_status : status => length(names) }
    late                 = [for r in local.now : r.name if r.rpo_violation]
  }
}
