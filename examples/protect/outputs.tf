# How the replications stand. These outputs change while nobody changes anything: `terraform plan` shows them as changes to
# outputs, and `terraform apply -refresh-only` writes them down.

data "vsla_replications" "outgoing" {
  pairing_id = data.vsla_replication_pairing.sites.id
  direction  = "outgoing"
  depends_on = [vsla_replication.tier] # so that those are listed which the same apply makes
}

locals {
  outgoing = { for r in data.vsla_replications.outgoing.replications : r.vm_id => r }
  now      = [for r in vsla_replication.tier : local.outgoing[r.vm_id]]
}

output "predicted_first_copy" {
  value = provider::vsla::format_duration(data.vsla_replication_estimate.tier.initial_sync_seconds)
}

output "protection" {
  value = {
    machines           = length(local.now)
    first_copy_percent = floor(sum([for r in local.now : r.last_sync_time != null ? 100 : try(r.sync_progress.progress_percent, 0)]) / length(local.now))
    status             = { for status, each in { for r in local.now : r.status => r.name... } : status => length(each) }
    late               = [for r in local.now : r.name if r.rpo_violation]
  }
}
