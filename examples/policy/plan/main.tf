# A plan to be gated: two tiers of replicated VMs, the link that they share, the vMotions over it, and the limits of
# the product. It needs no vCenter; in a real configuration the sizes come from data.vsla_virtual_machines.
# checks.tf and preconditions.tf have conditions on it, promises.tftest.hcl its tests.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {}

variable "tiers" {
  description = "What each tier promises, and what it covers."
  type = map(object({
    rpo_minutes          = number
    vm_count             = number
    vm_size_gib          = number
    daily_change_percent = number
  }))
  default = {
    gold   = { rpo_minutes = 15, vm_count = 15, vm_size_gib = 1000, daily_change_percent = 5 }
    silver = { rpo_minutes = 60, vm_count = 60, vm_size_gib = 1000, daily_change_percent = 5 }
  }
}

variable "link_mbps" {
  description = "Nominal rate of the link between the sites, in Mbit/s."
  type        = number
  default     = 10000
}

variable "concurrent_migrations" {
  description = "How many vMotions share the link."
  type        = number
  default     = 4
}

variable "replication_rpo_minutes" {
  description = "The RPO that the replications of each tier are configured with."
  type        = map(number)
  default     = { gold = 15, silver = 60 }
}

data "vsla_link_throughput" "metro" {
  bandwidth_mbps     = var.link_mbps
  efficiency_percent = 70
}

# Both tiers on the link, the busiest hours three times the mean.
data "vsla_sla_plan" "estate" {
  links = {
    metro = { throughput_mbps = data.vsla_link_throughput.metro.throughput_mbps, throughput_basis = "nominal" }
  }
  tiers = { for name, tier in var.tiers : name => merge(tier, { peak_factor = 3 }) }
}

data "vsla_vmotion_estimate" "move" {
  memory_gib            = 16
  memory_dirty_mbps     = 100
  rtt_ms                = 5
  throughput_mbps       = data.vsla_link_throughput.metro.throughput_mbps
  concurrent_migrations = var.concurrent_migrations
}

data "vsla_configuration_limits" "replication" {
  product = "vsphere_replication"
  version = "9.0"
  counts = {
    replications = sum([for t in var.tiers : t.vm_count])
  }
}

# Every verdict in one place. OpenTofu leaves an output out of a plan that is partial (-target): so the gate can tell.
output "verdicts" {
  value = merge(
    { for tier, promise in data.vsla_sla_plan.estate.promises : tier => promise.verdict },
    { move = data.vsla_vmotion_estimate.move.verdict },
    { limits = data.vsla_configuration_limits.replication.verdict == "meets" ? "ok" : "exceeded" },
  )
}
