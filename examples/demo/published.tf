# The published example of VMware: 15 VMs of 102,400 MB each, a daily change of 5%, an RPO of 15 minutes and two
# networks.

locals {
  networks = {
    "10 GbE, measured 112.625 MB/s" = "112.625 MB/s"
    "1 GbE, measured 55 MB/s"       = "55 MB/s"
  }
}

data "vsla_replication_estimate" "published" {
  for_each             = local.networks
  vm_count             = 15
  vm_size_gib          = provider::vsla::parse_size_gib("102400 MB")
  daily_change_percent = 5
  throughput_mbps      = provider::vsla::parse_rate_mbps(each.value)
  throughput_basis     = "network"
  rpo_minutes          = 15
}
