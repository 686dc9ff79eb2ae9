output "change_a_day" {
  value = provider::vsla::replication_calibration({
    last_sync_size_bytes       = 2 * pow(2, 30)
    last_sync_duration_seconds = 300
    rpo_minutes                = 15
    vm_size_gib                = 1000
  }).effective_daily_change_percent # 32
}
