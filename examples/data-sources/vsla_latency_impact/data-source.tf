# An application whose database would move 40 ms away. A test system did 65 operations/s beside its database and 10 at
# that distance, which calibrates the round trips of an operation.
data "vsla_latency_impact" "measured" {
  users             = 5
  think_seconds     = 0.02
  rtt_before_ms     = 0
  rtt_after_ms      = 40
  throughput_before = 65
  throughput_after  = 10
}

# The same application with a link of 5 ms, and answers that may take twice as long.
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
