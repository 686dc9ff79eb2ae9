# How the replications stand. These outputs change while nobody changes anything: `terraform plan` shows them as changes to
# outputs, and `terraform apply -refresh-only` writes them down.

data "vsla_replications" "outgoing" {
  pairing_id = data.vsla_replication_pairing.sites.id
  direction  = "outgoing"
  depends_on = [vsla_replication.tier] # so that those are listed which the same apply makes
}

locals {
  ids = [for r in vsla_replication.tier : r.replication_id]
  now = [for r in data.vsla_replications.outgoing.replications : r if contains(local.ids, r.replication_id)]

  # Percent of each initial sync: one that is not under way has arrived, or has not begun.
  copied = [for r in local.now : r.last_sync_time != null ? 100 : try(r.sync_progress.progress_percent, 0)]
}

output "predicted_first_copy" {
  value = provider::vsla::format_duration(data.vsla_replication_estimate.tier.initial_sync_seconds)
}

output "protection" {
  value = {
    machines           = length(local.now)
    first_copy_percent = floor(sum(concat([0], local.copied)) / max(1, length(local.copied)))
    status             = { for status, each in { for r in local.now : r.status => r.name... } : status => length(each) }
    late               = [for r in local.now : r.name if r.rpo_violation]
  }
}
