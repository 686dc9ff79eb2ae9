# An application whose database would move 40 ms away. Measured once on a test system: 65 operations/s beside the database,
# 10 with the distance in between. That calibrates the number of round trips of an operation.
data "vsla_latency_impact" "measured" {
  users             = 5
  think_seconds     = 0.02
  rtt_before_ms     = 0
  rtt_after_ms      = 40
  throughput_before = 65
  throughput_after  = 10
}

# The same application with a link of 5 ms.
data "vsla_latency_impact" "nearer" {
  users                     = 5
  think_seconds             = 0.02
  rtt_before_ms             = 0
  rtt_after_ms              = 5
  throughput_before         = 65
  round_trips_per_operation = data.vsla_latency_impact.measured.round_trips_per_operation
}

output "move_together" {
  value = data.vsla_latency_impact.nearer.move_together
}
