# A branch office on a VPN with a nominal 1 Gbit/s, one tunnel of 1.25 Gbit/s, a round trip of 40 ms and the default
# window.
data "vsla_link_throughput" "branch" {
  bandwidth_mbps      = 1000
  throughput_basis    = "nominal" # the rate of the line, not a measured one
  efficiency_percent  = 70
  rtt_ms              = 40
  window_kib          = 512
  streams             = 4
  per_flow_limit_mbps = 1250
}

output "branch" {
  value = data.vsla_link_throughput.branch.summary
}

# The estimate uses the throughput of the link, which already includes its efficiency.
data "vsla_replication_estimate" "branch" {
  vm_count             = 12
  vm_size_gib          = 80
  daily_change_percent = 3
  throughput_mbps      = data.vsla_link_throughput.branch.throughput_mbps
  rpo_minutes          = 240
}
