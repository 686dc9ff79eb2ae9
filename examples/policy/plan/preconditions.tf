# If a promise does not hold, the plan of its resources fails. terraform_data.tier represents the vsla_replication of
# the tier. If a value is unknown during plan, the condition is evaluated during apply, before the resource is created.

resource "terraform_data" "tier" {
  for_each = var.replication_rpo_minutes
  input    = each.value

  lifecycle {
    precondition {
      condition = local.promise_held[each.key]
      error_message = join(" ", concat(
        ["Tier ${each.key} promises what this link cannot keep.", data.vsla_sla_plan.estate.promises[each.key].summary],
        data.vsla_sla_plan.estate.promises[each.key].explanations,
      ))
    }
    precondition {
      condition = each.value <= var.tiers[each.key].rpo_minutes
      error_message = join(" ", [
        "The replication of tier ${each.key} has an RPO of ${each.value} minutes,",
        "weaker than the tier's ${var.tiers[each.key].rpo_minutes}.",
      ])
    }
    precondition {
      condition = local.per_migration_mbps >= 250
      error_message = join(" ", [
        "The link has ${floor(local.per_migration_mbps)} Mbit/s for each concurrent migration;",
        "vSphere asks for 250.",
      ])
    }
    precondition {
      condition     = data.vsla_configuration_limits.replication.verdict == "meets"
      error_message = data.vsla_configuration_limits.replication.summary
    }
  }
}
