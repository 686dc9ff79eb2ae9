# Compares the promises of the tiers with the replications. It is read in every plan, before anything is repaired, which
# is where drift shows. Only the first apply reads it afterwards, because the tags have no ids before.

locals {
  # References to associations and replications make the first read wait for them. They go through locals because
  # Terraform defers a data source until apply if it refers to a changing resource, directly or in depends_on. That
  # would hide drift.
  tags    = { for name, association in vsla_tag_association.tier : name => association.tag_id }
  pairing = one(distinct(concat([local.sites.id], [for r in vsla_replication.vm : r.pairing_id])))
}

data "vsla_sla_compliance" "estate" {
  pairing_id = local.pairing
  tiers = {
    for name, tier in var.tiers : name => {
      tag_id      = local.tags[name]
      rpo_minutes = tier.rpo_minutes
    }
  }
}

# Only warns, because the plan repairs most of it. A pipeline that has to stop reads the output.
check "promises" {
  assert {
    condition     = data.vsla_sla_compliance.estate.compliant == true
    error_message = data.vsla_sla_compliance.estate.summary
  }
  assert {
    condition     = data.vsla_sla_compliance.estate.vm_count > 0
    error_message = "No VM carries a tier's tag, so nothing was checked."
  }
}
