# What the tiers promise, compared with what runs. It is read at every plan, before anything is repaired: that is where drift
# shows. Only in the first apply, where the tags have no ids before, it is read after them.
data "vsla_sla_compliance" "estate" {
  # By way of the replications and associations, so that the first reading waits for them. depends_on would put every later
  # reading off whenever one of them has drifted, and hide what it is there to show.
  pairing_id = one(distinct(concat([data.vsla_replication_pairing.sites.id], [for r in vsla_replication.vm : r.pairing_id])))
  tiers = {
    for name, tier in var.tiers : name => {
      tag_id               = vsla_tag_association.tier[name].tag_id
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
