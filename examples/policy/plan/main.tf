# An example for the gate: two tiers of replicated VMs, their link, the vMotions over it, and the limits of the product.
# It needs no vCenter. In a real configuration, the sizes are from data.vsla_virtual_machines. checks.tf and
# preconditions.tf have conditions, and promises.tftest.hcl has tests.

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
  description = "Promises and VMs of each tier."
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
  description = "Number of vMotions that share the link."
  type        = number
  default     = 4
}

variable "replication_rpo_minutes" {
  description = "Configured RPO of the replications of each tier."
  type        = map(number)
  default     = { gold = 15, silver = 60 }
}

data "vsla_link_throughput" "metro" {
  bandwidth_mbps     = var.link_mbps
  efficiency_percent = 70
}

# Both tiers on the link. The change rate of the busiest hours is three times the mean.
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

# All verdicts. OpenTofu omits outputs from a partial plan (-target), which the gate detects.
output "verdicts" {
  value = merge(
    { for tier, promise in data.vsla_sla_plan.estate.promises : tier => promise.verdict },
    { move = data.vsla_vmotion_estimate.move.verdict },
    { limits = data.vsla_configuration_limits.replication.verdict == "meets" ? "ok" : "exceeded" },
  )
}
