resource "terraform_data" "pending" {
  input            = 15
  triggers_replace = timestamp()
}

data "vsla_replication_estimate" "late" {
  depends_on           = [terraform_data.pending]
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = 15
}
