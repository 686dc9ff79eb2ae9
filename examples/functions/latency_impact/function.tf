output "throughput_after" {
  value = provider::vsla::latency_impact({
    users                     = 5
    think_seconds             = 0.02
    rtt_before_ms             = 0
    rtt_after_ms              = 40
    throughput_before         = 65
    round_trips_per_operation = 1
  }).throughput_after # 42.8
}
