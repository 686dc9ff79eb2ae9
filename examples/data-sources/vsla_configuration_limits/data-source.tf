data "vsla_configuration_limits" "replication" {
  product = "vsphere_replication"
  version = "9.0"
  counts = {
    replications    = 1200
    servers         = 4
    min_rpo_minutes = 15
  }
}

output "verdict" {
  value = data.vsla_configuration_limits.replication.verdict
}
