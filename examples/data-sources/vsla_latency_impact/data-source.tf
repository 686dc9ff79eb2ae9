# An application whose database would move to a site with a round trip of 40 ms. A test system completed 65 operations/s
# next to its database and 10 at that latency. From this, the round trips of an operation are calculated.
data "vsla_latency_impact" "measured" {
  users             = 5
  think_seconds     = 0.02
  rtt_before_ms     = 0
  rtt_after_ms      = 40
  throughput_before = 65
  throughput_after  = 10
}

# The same application with a round trip of 5 ms. Responses may take twice as long.
data "vsla_latency_impact" "nearer" {
  users                     = 5
  think_seconds             = 0.02
  rtt_before_ms             = 0
  rtt_after_ms              = 5
  throughput_before         = 65
  round_trips_per_operation = data.vsla_latency_impact.measured.round_trips_per_operation
  max_response_ratio        = 2
}

output "move_together" {
  value = data.vsla_latency_impact.nearer.move_together
}
