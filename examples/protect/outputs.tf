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
    machines       = length(local.now)
    status         = { for status, each in { for r in local.now : r.status => r.name... } : status => length(each) }
    copying        = join(", ", distinct([for r in local.now : "${r.sync_progress.progress_percent} %" if r.sync_progress != null]))
    have_a_replica = length([for r in local.now : r if r.last_sync_time != null])
    late           = length([for r in local.now : r if r.rpo_violation])
  }
}
