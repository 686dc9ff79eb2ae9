# Conditions in the configuration. A check block only warns, and the exit code stays 0. The policies read its status and
# stop the pipeline. A precondition fails the plan.

variable "today" {
  description = "Current day for waivers, such as 2026-11-21. Set by the pipeline."
  type        = string
  default     = null

  validation {
    condition     = var.today == null || can(timeadd("${var.today}T00:00:00Z", "0s"))
    error_message = "Must be a date such as 2026-11-21."
  }
}

variable "waivers" {
  description = "Waivers for tiers that may be at risk for a limited time, by tier."
  type = map(object({
    name        = string
    reason      = string
    approved_by = string
    expires     = string
  }))
  default = {}

  validation {
    condition = alltrue([
      for w in values(var.waivers) : alltrue([for text in [w.name, w.reason, w.approved_by] : trimspace(text) != ""])
    ])
    error_message = "A waiver has a name, a reason and an approver."
  }
  validation {
    condition     = alltrue([for w in values(var.waivers) : can(timeadd("${w.expires}T00:00:00Z", "0s"))])
    error_message = "expires must be a date such as 2027-01-31."
  }
}

locals {
  # A waiver is valid up to and including its last day, and only if today is set.
  waived = {
    for tier, w in var.waivers :
    tier => var.today == null ? false : timecmp("${var.today}T00:00:00Z", "${w.expires}T00:00:00Z") <= 0
  }

  weaker_tiers = [
    for tier, minutes in var.replication_rpo_minutes : tier if !try(minutes <= var.tiers[tier].rpo_minutes, false)
  ]

  # Each condition requires the good result. Null or another type fails.
  promise_held = { for tier, promise in data.vsla_sla_plan.estate.promises : tier =>
    promise.verdict == "meets" || (promise.verdict == "at_risk" && lookup(local.waived, tier, false))
  }
  broken_promises = [for tier, held in local.promise_held : tier if !held]

  per_migration_mbps = data.vsla_link_throughput.metro.throughput_mbps / var.concurrent_migrations
}

check "promises" {
  assert {
    condition     = length(local.broken_promises) == 0
    error_message = "Tiers that miss their RPO, or are at risk without a waiver: ${join(", ", local.broken_promises)}."
  }
}

check "vmotion_floor" {
  assert {
    condition     = local.per_migration_mbps >= 250
    error_message = "${floor(local.per_migration_mbps)} Mbit/s for each concurrent migration; vSphere asks for 250."
  }
}

check "limits" {
  assert {
    condition     = data.vsla_configuration_limits.replication.verdict == "meets"
    error_message = data.vsla_configuration_limits.replication.summary
  }
}

check "tiers" {
  assert {
    condition     = length(local.weaker_tiers) == 0
    error_message = "Replications that are weaker than their tier: ${join(", ", local.weaker_tiers)}."
  }
}
