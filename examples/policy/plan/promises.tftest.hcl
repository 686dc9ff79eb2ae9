# Run with `terraform test`: checks the promises of this configuration, and a failure of each condition. An assert on an
# unknown or null value fails. Nothing is applied.

run "promises_hold" {
  command = plan

  assert {
    condition     = data.vsla_sla_plan.estate.verdict == "meets"
    error_message = "A tier does not meet its RPO."
  }
  assert {
    condition     = join(" ", keys(data.vsla_sla_plan.estate.promises)) == "gold silver"
    error_message = "A tier has no promise."
  }
  assert {
    condition     = data.vsla_vmotion_estimate.move.verdict == "meets"
    error_message = "vMotion is not what vSphere supports."
  }
  assert {
    condition     = data.vsla_link_throughput.metro.throughput_mbps / var.concurrent_migrations >= 250
    error_message = "The link is not enough for the vMotions that share it."
  }
  assert {
    condition     = data.vsla_configuration_limits.replication.verdict == "meets"
    error_message = "A limit is exceeded."
  }
}

run "missed_rpo_is_refused" {
  command = plan
  variables {
    link_mbps             = 900
    concurrent_migrations = 1
  }
  expect_failures = [check.promises, terraform_data.tier]
}

run "risk_without_a_waiver_is_refused" {
  command = plan
  variables {
    link_mbps = 4000
  }
  expect_failures = [check.promises, terraform_data.tier]
}

run "risk_with_a_waiver_passes" {
  command = plan
  variables {
    link_mbps = 4000
    today     = "2026-12-31"
    waivers = {
      gold   = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
      silver = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
    }
  }
  assert {
    condition     = contains(values(output.verdicts), "at_risk")
    error_message = "Nothing is at risk, so the waiver was not needed and nothing was tested."
  }
}

run "an_expired_waiver_is_refused" {
  command = plan
  variables {
    link_mbps = 4000
    today     = "2027-01-01"
    waivers = {
      gold   = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
      silver = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
    }
  }
  expect_failures = [check.promises, terraform_data.tier]
}

run "a_waiver_without_a_day_is_refused" {
  command = plan
  variables {
    link_mbps = 4000
    waivers = {
      gold   = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
      silver = { name = "second link", reason = "it is ordered", approved_by = "capacity-board", expires = "2026-12-31" }
    }
  }
  expect_failures = [check.promises, terraform_data.tier]
}

run "a_waiver_without_a_reason_is_refused" {
  command = plan
  variables {
    waivers = { gold = { name = "second link", reason = " ", approved_by = "capacity-board", expires = "2026-12-31" } }
  }
  expect_failures = [var.waivers]
}

run "a_link_below_the_floor_is_refused" {
  command = plan
  variables {
    concurrent_migrations = 29 # 7,000 / 29 = 241 Mbit/s
  }
  expect_failures = [check.vmotion_floor, terraform_data.tier]
}

run "a_replication_weaker_than_its_tier_is_refused" {
  command = plan
  variables {
    replication_rpo_minutes = { gold = 30, silver = 60 }
  }
  expect_failures = [check.tiers, terraform_data.tier]
}

run "exceeded_limits_are_refused" {
  command = plan
  variables {
    tiers = {
      gold   = { rpo_minutes = 15, vm_count = 15, vm_size_gib = 1000, daily_change_percent = 5 }
      silver = { rpo_minutes = 60, vm_count = 3986, vm_size_gib = 1, daily_change_percent = 1 } # 4,001 replications
    }
  }
  expect_failures = [check.limits, check.promises, terraform_data.tier]
}
