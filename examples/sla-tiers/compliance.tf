# Compares the promises of the tiers with the replications. It is read in every plan, before drift is repaired. Only in
# the first run it is read during apply, because the tags do not exist during plan.

locals {
  # References to associations and replications make the first read wait for them. They are in locals, because Terraform
  # defers a data source to the apply if it refers to a changing resource, directly or in depends_on. This would hide
  # drift.
  tags    = { for name, association in vsla_tag_association.tier : name => association.tag_id }
  pairing = one(distinct(concat([local.sites.id], [for r in vsla_replication.vm : r.pairing_id])))
}

data "vsla_sla_compliance" "estate" {
  pairing_id = local.pairing
  tiers = {
    for name, tier in var.tiers : name => {
      tag_id                 = local.tags[name]
      rpo_minutes            = tier.rpo_minutes
      configured_rpo_minutes = tier.configured_rpo_minutes
    }
  }
}

# Only warns, because the apply repairs most drift. To stop a pipeline, read the output.
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
