# Every plan compares the tiers with the replications that run, and warns of VMs that are not as protected as their tier
# promises.

data "vsla_sla_compliance" "estate" {
  for_each = {
    for id in compact([try(local.replication_defaults.pairing_id, "")]) : id => local.promised
    if length(local.promised) > 0
  }

  pairing_id = each.key
  tiers = {
    for name, tier in each.value : name => {
      tag_id      = vsla_tags.category[local.tier_category].ids[name]
      rpo_minutes = tier.rpo_minutes
    }
  }
}

check "promises" {
  assert {
    condition     = alltrue([for estate in data.vsla_sla_compliance.estate : estate.compliant == true])
    error_message = join("\n", [for estate in data.vsla_sla_compliance.estate : estate.summary])
  }
}
