# What the tiers promise, compared with what runs. It is read at every plan, before anything is repaired: that is where drift
# shows. Only in the first apply, where the tags have no ids before, it is read after them.

locals {
  # By way of associations and replications, so that the first reading waits for them; and by way of locals, because a data
  # source that refers to a resource itself, or names it in depends_on, is not read at a plan that changes the resource. That
  # would hide the drift which it is there to show.
  tags    = { for name, association in vsla_tag_association.tier : name => association.tag_id }
  pairing = one(distinct(concat([data.vsla_replication_pairing.sites.id], [for r in vsla_replication.vm : r.pairing_id])))
}

data "vsla_sla_compliance" "estate" {
  pairing_id = local.pairing
  tiers = {
    for name, tier in var.tiers : name => {
      tag_id               = local.tags[name]
      rpo_minutes          = tier.rpo_minutes
      daily_change_percent = tier.daily_change_percent
    }
  }
  throughput_mbps = var.throughput_mbps
  peak_factor     = var.peak_factor
}

# Warns, and lets the plan go on: the plan is what repairs most of it. A pipeline that has to stop reads the output.
check "promises" {
  assert {
    condition     = data.vsla_sla_compliance.estate.compliant
    error_message = data.vsla_sla_compliance.estate.summary
  }
  assert {
    condition     = data.vsla_sla_compliance.estate.vm_count > 0
    error_message = "No machine carries a tier's tag, so nothing was checked."
  }
}
