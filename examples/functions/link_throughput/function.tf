output "throughput_mbps" {
  value = provider::vsla::link_throughput({
    bandwidth_mbps = 1000
    rtt_ms         = 100
    window_kib     = 64
  }).throughput_mbps # 5.24288
}
