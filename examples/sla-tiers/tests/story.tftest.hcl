# Applies and destroys the module. Run it against a lab. The check fails if an initial sync takes longer than the apply.

run "apply" {
  assert {
    condition     = length(vsla_replication.vm) == sum([for found in data.vsla_virtual_machines.tier : found.vm_count])
    error_message = "A VM is not replicated."
  }
  assert {
    condition     = output.compliance.vm_count == length(vsla_replication.vm)
    error_message = "The promises were not all checked."
  }
}

run "kept" {
  command = plan

  assert {
    condition     = output.compliance.compliant && output.compliance.verdicts == {}
    error_message = output.compliance.summary
  }
}

# A stricter promise for existing VMs is not kept before the apply.
run "a_stricter_promise_shows_before_it_is_applied" {
  command = plan
  variables {
    tiers = {
      gold   = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2, name_regex = "^db-000" }
      silver = { rpo_minutes = 30, configured_rpo_minutes = 25, daily_change_percent = 4, name_regex = "^app-000" }
    }
  }
  expect_failures = [check.promises]
  assert {
    condition     = length(output.compliance.weaker_than_promised) == data.vsla_virtual_machines.tier["silver"].vm_count
    error_message = "The weaker replications are not listed."
  }
}
