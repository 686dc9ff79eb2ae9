policy "vsla" {
  source            = "./vsla.sentinel"
  enforcement_level = "advisory"
  params = {
    expected = [
      "data.vsla_replication_estimate.tier",
      "data.vsla_vmotion_estimate.move",
      "data.vsla_configuration_limits.replication",
    ]
    waivers = []
    today   = "2026-11-21"
  }
}
