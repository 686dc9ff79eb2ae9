output "switchover_seconds" {
  value = provider::vsla::vmotion_estimate({
    memory_gib        = 8
    memory_dirty_mbps = 160
    throughput_mbps   = 900
  }).switchover_seconds
}
