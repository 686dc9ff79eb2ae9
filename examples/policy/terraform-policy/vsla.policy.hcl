# The gate for Terraform Policy (Terraform 1.17, HCP Terraform). It was written from the public reference of Terraform
# Policy and HAS NEVER BEEN RUN by it: neither `tfpolicy` nor Terraform 1.17 was available. The tests of this repository
# parse it, compare its names with the provider's schemas, and evaluate its expressions with a reading of their own.
# Try it on a workspace that is not needed before you rely on it.
#
# Policies do not see the data sources of a configuration. They call them: the inputs below are the arguments of the
# calculators, by a name of your choice, set in the policy set and not in the configuration that is judged. A resource
# is needed all the same: a plan without any resource of vsla is not judged.
#
# What a waiver of the Rego gate may name has the level mandatory_overridable here, all else mandatory.
#
# Codes of the Rego gate that have no counterpart:
# - input_out_of_bounds, input_source, unbounded, forged: inputs come from the policy set, results from the calculators.
# - missing, no_result, settings: Terraform Policy fails on an input or a result that is not there.
# - unknown: a result that is missing or null is not good, so that the rule that reads it fails. An attribute of a
#   resource that is unknown during plan is judged after apply, because Terraform Policy works that way.
# - errored, not_a_plan, partial, destroys: a policy sees resources, not the plan as a whole.
# - check_failed: a policy does not see check blocks.
# - unknown_time: a warning of the Rego gate.
# - link_exceeded: there is no function that adds up a list. Describe the link by a schedule.

policy {
  terraform_config {
    required_version = ">= 1.17.0"
  }
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# --- inputs

input "estimates" {
  description = "Arguments of vsla_replication_estimate, by name."
  type        = any
  default     = {}
}

input "schedules" {
  description = "Arguments of vsla_replication_schedule, by name."
  type        = any
  default     = {}
}

input "confidences" {
  description = "Arguments of vsla_replication_confidence, by name."
  type        = any
  default     = {}
}

input "storages" {
  description = "Arguments of vsla_replica_storage, by name."
  type        = any
  default     = {}
}

input "vmotions" {
  description = "Arguments of vsla_vmotion_estimate, by name."
  type        = any
  default     = {}
}

input "migrations" {
  description = "Arguments of vsla_migration_plan, by name."
  type        = any
  default     = {}
}

input "limits" {
  description = "Arguments of vsla_configuration_limits, by name."
  type        = any
  default     = {}
}

input "latencies" {
  description = "Arguments of vsla_latency_impact, by name."
  type        = any
  default     = {}
}

input "calibrations" {
  description = "Arguments of vsla_replication_calibration, by name."
  type        = any
  default     = {}
}

input "compliances" {
  description = "Arguments of vsla_sla_compliance, by name. It needs a connection to vCenter and vSphere Replication."
  type        = any
  default     = {}
}

input "histories" {
  description = "Arguments of vsla_replication_history, by name. It needs a connection to vCenter."
  type        = any
  default     = {}
}

input "promises" {
  description = "The RPO in minutes that each replicated VM is promised, by managed object id (vm-42)."
  type        = map(number)
  default     = {}
}

input "min_confidence_percent" {
  description = "How sure an RPO has to be."
  type        = number
  default     = 95
}

input "min_headroom_percent" {
  description = "How much of the free space of a datastore replicas have to leave."
  type        = number
  default     = 15
}

input "min_compliance_percent" {
  description = "How much of its known time each history has to be within the RPO; 0 for any."
  type        = number
  default     = 0
}

input "holds_months" {
  description = "How many months each verdict has to last when data grows; 0 for today only."
  type        = number
  default     = 0
}

input "max_removes" {
  description = "How many tags each vsla_tag_association and vsla_object_tags may take off."
  type        = number
  default     = 0
}

input "max_uncovered" {
  description = "How many VMs may be without a tier and a replication; below 0 for any number."
  type        = number
  default     = -1
}

input "providers" {
  description = "Addresses of the provider."
  type        = list(string)
  default     = ["registry.terraform.io/vsla/vsla"]
}

# --- results

locals {
  estimates = {
    for name, config in input.estimates : name => core::getdatasource("vsla_replication_estimate", config)
  }
  schedules = {
    for name, config in input.schedules : name => core::getdatasource("vsla_replication_schedule", config)
  }
  confidences = {
    for name, config in input.confidences : name => core::getdatasource("vsla_replication_confidence", config)
  }
  storages = {
    for name, config in input.storages : name => core::getdatasource("vsla_replica_storage", config)
  }
  vmotions = {
    for name, config in input.vmotions : name => core::getdatasource("vsla_vmotion_estimate", config)
  }
  migrations = {
    for name, config in input.migrations : name => core::getdatasource("vsla_migration_plan", config)
  }
  limits = {
    for name, config in input.limits : name => core::getdatasource("vsla_configuration_limits", config)
  }
  latencies = {
    for name, config in input.latencies : name => core::getdatasource("vsla_latency_impact", config)
  }
  calibrations = {
    for name, config in input.calibrations : name => core::getdatasource("vsla_replication_calibration", config)
  }
  compliances = {
    for name, config in input.compliances : name => core::getdatasource("vsla_sla_compliance", config)
  }
  histories = {
    for name, config in input.histories : name => core::getdatasource("vsla_replication_history", config)
  }

  # The link that vSphere asks for, for each concurrent vMotion, in Mbit/s.
  vmotion_floor_mbps = 250
}

# --- what has to hold

resource_policy "vsla_*" "promises" {
  enforcement_level = "mandatory"

  locals {
    missed = [
      for name, e in local.estimates : name if !core::try(core::contains(["meets", "at_risk"], e.verdict), false)
    ]
    late = [
      for name, s in local.schedules : name if !core::try(core::contains(["meets", "at_risk"], s.verdict), false)
    ]
    violated    = [for name, c in local.compliances : name if !core::try(core::length(c.in_violation) == 0, false)]
    rpos_missed = core::concat(local.missed, local.late, local.violated)
    unlikely = [
      for name, c in local.confidences : name
      if !core::try(c.probability_meets_rpo_percent >= input.min_confidence_percent, false)
    ]
    too_large   = [for name, s in local.storages : name if !core::try(s.fits != false, false)]
    unsupported = [
      for name, v in local.vmotions : name if !core::try(core::contains(["ok", "at_risk"], v.verdict), false)
    ]
    exceeded = [
      for name, l in local.limits : name if !core::try(l.within_limits && core::length(l.counts) > 0, false)
    ]
    lossy       = [for name, l in local.latencies : name if !core::try(l.move_together == false, false)]
    optimistic  = [for name, c in local.calibrations : name if !core::try(c.optimistic != true, false)]
    unprotected = [for name, c in local.compliances : name if !core::try(core::length(c.unprotected) == 0, false)]
    weaker = [
      for name, c in local.compliances : name if !core::try(core::length(c.weaker_than_promised) == 0, false)
    ]
    several = [for name, c in local.compliances : name if !core::try(core::length(c.several_tiers) == 0, false)]
  }

  enforce {
    condition     = core::length(local.rpos_missed) == 0
    error_message = "An RPO is missed: ${core::join(", ", local.rpos_missed)} (code rpo_missed)."
  }
  enforce {
    condition     = core::length(local.unlikely) == 0
    error_message = "Not sure enough of the RPO: ${core::join(", ", local.unlikely)} (code low_confidence)."
  }
  enforce {
    condition     = core::length(local.too_large) == 0
    error_message = "Replicas do not fit their datastore: ${core::join(", ", local.too_large)} (code storage_exceeded)."
  }
  enforce {
    condition     = core::length(local.unsupported) == 0
    error_message = "Unsupported vMotion: ${core::join(", ", local.unsupported)} (code unsupported)."
  }
  enforce {
    condition     = core::length(local.exceeded) == 0
    error_message = "A limit is exceeded: ${core::join(", ", local.exceeded)} (code limit_exceeded)."
  }
  enforce {
    condition     = core::length(local.lossy) == 0
    error_message = "Latency costs too much throughput: ${core::join(", ", local.lossy)} (code latency_loss)."
  }
  enforce {
    condition     = core::length(local.optimistic) == 0
    error_message = "More is assumed than was measured: ${core::join(", ", local.optimistic)} (code plan_optimistic)."
  }
  enforce {
    condition     = core::length(local.unprotected) == 0
    error_message = "VMs of a tier are not replicated: ${core::join(", ", local.unprotected)} (code unprotected)."
  }
  enforce {
    condition     = core::length(local.weaker) == 0
    error_message = "Weaker than their tier: ${core::join(", ", local.weaker)} (code weaker_than_tier)."
  }
  enforce {
    condition     = core::length(local.several) == 0
    error_message = "VMs are of several tiers: ${core::join(", ", local.several)} (code several_tiers)."
  }
}

resource_policy "vsla_*" "vmotion_floor" {
  enforcement_level = "mandatory"

  locals {
    # What one vMotion has of the link.
    each_vmotion = {
      for name, v in local.vmotions :
      name => core::try(v.throughput_mbps / (v.concurrent_migrations == null ? 1 : v.concurrent_migrations), 0)
    }
    # The VMs that move at the busiest moment of a plan. A link by the hour has no one rate: its reasons count.
    moving = {
      for name, m in local.migrations : name => m.max_concurrent != null ? m.max_concurrent : core::max([
        for wave in m.waves : core::length(core::flatten([
          for other in m.waves : other.virtual_machines
          if other.start_seconds <= wave.start_seconds &&
          other.start_seconds + other.duration_seconds > wave.start_seconds + 0.000001
        ]))
      ]...)
    }
    each_migration = {
      for name, m in local.migrations : name => m.throughput_mbps == null ? local.vmotion_floor_mbps : core::min(
        core::try(m.throughput_mbps / local.moving[name], 0),
        m.per_migration_mbps == null ? m.throughput_mbps : m.per_migration_mbps,
      )
    }
    slow = core::concat(
      [for name, mbps in local.each_vmotion : name if mbps < local.vmotion_floor_mbps],
      [for name, mbps in local.each_migration : name if mbps < local.vmotion_floor_mbps],
      [
        for name, v in local.vmotions : name
        if core::try(core::contains(v.reasons, "below_250_mbps_per_migration"), true)
      ],
      [
        for name, m in local.migrations : name
        if core::try(core::contains(m.reasons, "below_250_mbps_per_migration"), true)
      ],
    )
  }

  enforce {
    condition     = core::length(local.slow) == 0
    error_message = "Less than 250 Mbit/s each: ${core::join(", ", local.slow)} (code below_vmotion_floor)."
  }
}

# --- what may be accepted for a time, by an override

resource_policy "vsla_*" "risks" {
  enforcement_level = "mandatory_overridable"

  locals {
    at_risk = core::concat(
      [for name, e in local.estimates : name if e.verdict == "at_risk"],
      [for name, s in local.schedules : name if s.verdict == "at_risk"],
      [for name, v in local.vmotions : name if v.verdict == "at_risk"],
      [
        for name, c in local.confidences : name
        if c.probability_meets_rpo_percent >= input.min_confidence_percent &&
        c.probability_violation_free_percent < input.min_confidence_percent
      ],
    )
    uncovered = [
      for name, c in local.compliances : name if input.max_uncovered >= 0 && core::try(
        core::length(c.uncovered) + core::length(c.uncovered_unknown) > input.max_uncovered, true
      )
    ]
    nearly_full = [
      for name, s in local.storages : name
      if s.fits == true && core::try(
        100 * (s.target_free_gib - s.target_gib) < input.min_headroom_percent * s.target_free_gib, true
      )
    ]
    # How long the verdict of today lasts; null for longer than the horizon, which is 36 months where none is given.
    lasting = core::merge(
      {
        for name, e in local.estimates : "estimate ${name}" => {
          growth  = e.growth_percent_per_year
          months  = e.verdict == "at_risk" ? e.months_until_miss : e.months_until_at_risk
          horizon = e.horizon_months == null ? 36 : e.horizon_months
        } if e.verdict != "misses"
      },
      {
        for name, s in local.storages : "storage ${name}" => {
          growth  = s.growth_percent_per_year
          months  = s.months_until_full
          horizon = s.horizon_months == null ? 36 : s.horizon_months
        }
      },
    )
    exhausted = [
      for name, l in local.lasting : name
      if input.holds_months > 0 && (l.growth == null || (l.months == null ? l.horizon : l.months) < input.holds_months)
    ]
    # What a period was below its promise cannot be put right any more. Without lookback_hours there are no periods.
    broken = [
      for name, c in local.compliances : name
      if !core::try(
        core::length([for tier, p in c.periods : tier if p.verdict == "broken"]) == 0, c.periods == null, false
      )
    ]
    low = [
      for name, h in local.histories : name
      if core::try(h.total.compliance_percent < input.min_compliance_percent, false)
    ]
    unmeasured = core::concat(
      [for name, c in local.calibrations : name if c.optimistic == null],
      [for name, s in local.storages : name if s.fits == null],
      [
        for name, c in local.compliances : name
        if core::try(core::length([for tier, p in c.periods : tier if p.verdict == "unknown"]) > 0, false)
      ],
      [for name, h in local.histories : name if !core::try(h.total.compliance_percent != null, false)],
    )
  }

  enforce {
    condition     = core::length(local.uncovered) == 0
    error_message = "VMs without a tier and a replication: ${core::join(", ", local.uncovered)} (code uncovered)."
  }
  enforce {
    condition     = core::length(local.at_risk) == 0
    error_message = "At risk: ${core::join(", ", local.at_risk)} (code at_risk)."
  }
  enforce {
    condition     = core::length(local.nearly_full) == 0
    error_message = "A datastore is nearly full: ${core::join(", ", local.nearly_full)} (code low_headroom)."
  }
  enforce {
    condition     = core::length(local.exhausted) == 0
    error_message = "Ends too soon: ${core::join(", ", local.exhausted)} (code exhausts_before)."
  }
  enforce {
    condition     = core::length(local.broken) == 0
    error_message = "A tier broke its promise: ${core::join(", ", local.broken)} (code period_broken)."
  }
  enforce {
    condition     = core::length(local.low) == 0
    error_message = "Measured compliance is too low: ${core::join(", ", local.low)} (code low_compliance)."
  }
  enforce {
    condition     = core::length(local.unmeasured) == 0
    error_message = "Nothing to compare with: ${core::join(", ", local.unmeasured)} (code not_measured)."
  }
}

# --- replications

resource_policy "vsla_replication" "as_promised" {
  enforcement_level = "mandatory"

  locals {
    vm = core::try(core::split(":", attrs.vm_id)[1], "")
    promised = core::concat(
      [for id, minutes in input.promises : minutes if id == local.vm],
      core::flatten([
        for c in local.compliances : [
          for id, vm in c.virtual_machines : vm.promised_rpo_minutes
          if id == local.vm && vm.promised_rpo_minutes != null
        ] if c.pairing_id == attrs.pairing_id
      ]),
    )
    shorter = [for minutes in local.promised : minutes if !core::try(attrs.rpo_minutes <= minutes, false)]
  }

  enforce {
    condition     = core::length(local.promised) > 0
    error_message = "The replication of ${local.vm} is of no tier: nothing says what it has to keep (code no_promise)."
  }
  enforce {
    condition     = core::length(local.shorter) == 0
    error_message = "The replication of ${local.vm} has a longer RPO than promised (code weaker_than_tier)."
  }
  enforce {
    condition     = attrs.paused != true
    error_message = "The replication of ${local.vm} is paused: then no RPO holds (code weaker_than_tier)."
  }
}

# A replication that is replaced is removed, too. Forgetting one (a removed block) is no operation and is not seen.
resource_policy "vsla_replication" "kept" {
  operations        = ["delete"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = false
    error_message = "The replication of ${prior_attrs.vm_id} is removed (code protection_removed)."
  }
}

# --- tags

resource_policy "vsla_tag_association" "tags_kept" {
  operations        = ["create", "update"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = core::length(attrs.removes) + core::length(attrs.replaces) <= input.max_removes
    error_message = "The plan takes off more than ${input.max_removes} tags: ${attrs.summary} (code tags_removed)."
  }
}

resource_policy "vsla_tag_association" "not_destroyed" {
  operations        = ["delete"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = core::length(prior_attrs.object_ids) <= input.max_removes
    error_message = "The plan takes the tag off ${core::length(prior_attrs.object_ids)} objects (code tags_removed)."
  }
}

resource_policy "vsla_object_tags" "tags_kept" {
  operations        = ["create", "update"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = core::length(attrs.removes) <= input.max_removes
    error_message = "The plan takes off ${core::length(attrs.removes)} tags of an object (code tags_removed)."
  }
}

resource_policy "vsla_object_tags" "not_destroyed" {
  operations        = ["delete"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = core::length(prior_attrs.tag_ids) <= input.max_removes
    error_message = "The plan takes ${core::length(prior_attrs.tag_ids)} tags off an object (code tags_removed)."
  }
}

# --- the provider

provider_policy "vsla" "source" {
  enforcement_level = "mandatory"

  enforce {
    condition     = core::contains(input.providers, meta.source)
    error_message = "${meta.source} is not a known address of the provider (code foreign_provider)."
  }
}
