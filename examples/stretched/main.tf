# A cluster stretched across two availability zones: the throughput of one vMotion stream between the zones, the
# duration of the largest VM's vMotion, and the effect on an application whose database is in the other zone.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

locals {
  # One flow is limited to 10 Gbit/s within a zone, and to 5 Gbit/s across zones.
  paths = {
    within = { rtt_ms = 0.2, per_flow_limit_mbps = 10000 }
    across = { rtt_ms = 1.0, per_flow_limit_mbps = 5000 }
  }
}

data "vsla_link_throughput" "zone" {
  for_each            = local.paths
  bandwidth_mbps      = 25000
  rtt_ms              = each.value.rtt_ms
  per_flow_limit_mbps = each.value.per_flow_limit_mbps
}

data "vsla_vmotion_estimate" "largest" {
  for_each          = local.paths
  memory_gib        = 256
  memory_dirty_mbps = 2000
  throughput_mbps   = data.vsla_link_throughput.zone[each.key].throughput_mbps
  rtt_ms            = each.value.rtt_ms
}

output "review" {
  value = {
    for name, e in data.vsla_vmotion_estimate.largest : name => join(", ", [
      e.verdict,
      provider::vsla::format_duration(e.duration_seconds),
      "switchover ${provider::vsla::format_duration(e.switchover_seconds)}",
    ])
  }
}

# The database in the other zone.
output "application" {
  value = provider::vsla::latency_impact({
    users                     = 50
    think_seconds             = 0.1
    rtt_before_ms             = local.paths.within.rtt_ms
    rtt_after_ms              = local.paths.across.rtt_ms
    throughput_before         = 300
    round_trips_per_operation = 10
  }).summary
}
