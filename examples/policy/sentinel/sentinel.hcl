policy "vsla" {
  source            = "./vsla.sentinel"
  enforcement_level = "advisory"
  params = {
    expected = [
      "data.vsla_replication_estimate.tier",
      "data.vsla_vmotion_estimate.move",
      "data.vsla_configuration_limits.replication",
    ]
    bounds = {
      "data.vsla_replication_estimate.tier" = {
        vm_count             = [15, 1000]
        vm_size_gib          = [100, 10000]
        daily_change_percent = [5, 1000]
        throughput_mbps      = [0, 7000]
      }
    }
    approvers     = ["capacity-board"]
    latest_expiry = "2027-02-19"
    waivers       = []
    today         = "2026-11-21"
  }
}
