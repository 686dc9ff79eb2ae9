data "vsla_replication_pairing" "sites" {}

data "vsla_replications" "late" {
  pairing_id    = data.vsla_replication_pairing.sites.id
  direction     = "outgoing"
  rpo_violation = true
  read_issues   = true
}

output "minutes_past_the_deadline" {
  value = { for r in data.vsla_replications.late.replications : r.name => r.current_rpo_violation_minutes }
}

output "issues" {
  value = { for r in data.vsla_replications.late.replications : r.name => r.issues[*].description }
}
