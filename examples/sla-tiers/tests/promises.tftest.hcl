# The promises that the link can keep. Nothing is applied, so there are no replications to compare.

run "the_link_carries_both_tiers" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers, vsla_tag_association.tier, vsla_replication.vm]
  }

  assert {
    condition     = join(" ", keys(data.vsla_sla_plan.tiers.promises)) == "gold silver"
    error_message = "A tier has no verdict."
  }
  assert {
    condition     = data.vsla_sla_plan.tiers.verdict == "meets"
    error_message = "A tier does not meet its RPO."
  }
  assert {
    condition     = sort(distinct([for r in vsla_replication.vm : r.rpo_minutes])) == sort(["12", "45"])
    error_message = "The replications do not have the configured RPOs of their tiers."
  }
}

run "a_thin_link_is_refused" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers, vsla_tag_association.tier, vsla_replication.vm]
  }
  variables {
    throughput_mbps = 0.000001
  }
  expect_failures = [vsla_tag_association.tier]
}

run "a_tier_without_a_setting_is_refused" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers, vsla_tag_association.tier, vsla_replication.vm]
  }
  variables {
    tiers = { gold = { rpo_minutes = 15, daily_change_percent = 2, name_regex = "^db-000" } }
  }
  expect_failures = [vsla_tag_association.tier]
}

run "the_promised_rpo_is_too_long_to_configure" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers]
  }
  variables {
    tiers = {
      gold = { rpo_minutes = 15, configured_rpo_minutes = 20, daily_change_percent = 2, name_regex = "^db-000" }
    }
  }
  assert {
    condition     = data.vsla_sla_plan.tiers.verdict == "misses"
    error_message = "An RPO that is longer than the promise was accepted."
  }
}

run "a_vm_of_two_tiers_is_refused" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers, vsla_tag_association.tier, vsla_replication.vm]
  }
  variables {
    tiers = {
      gold   = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2, name_regex = "^db-000" }
      silver = { rpo_minutes = 60, configured_rpo_minutes = 45, daily_change_percent = 2, name_regex = "^db-0003" }
    }
  }
  expect_failures = [vsla_tag_association.tier, vsla_replication.vm]
}

run "a_tier_without_vms_promises_nothing" {
  command = plan
  plan_options {
    target = [data.vsla_sla_plan.tiers, vsla_tag_association.tier, vsla_replication.vm]
  }
  variables {
    tiers = {
      gold   = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2, name_regex = "^db-000" }
      bronze = { rpo_minutes = 240, configured_rpo_minutes = 180, daily_change_percent = 2, name_regex = "^nothing-is-called-so$" }
    }
  }
  assert {
    condition     = output.verdicts == { gold = "meets", bronze = "empty" }
    error_message = "A tier without VMs has a verdict."
  }
}
