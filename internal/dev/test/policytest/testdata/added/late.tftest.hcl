run "late" {
  command = plan
  assert {
    condition     = data.vsla_replication_estimate.late.verdict == "meets"
    error_message = "Misses."
  }
}
