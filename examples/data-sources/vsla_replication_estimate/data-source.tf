variable "configured_rpo_minutes" {
  description = "RPO of the replications, in minutes. If null, the estimate suggests it."
  type        = number
  default     = 8
}

data "vsla_replication_estimate" "gold" {
  vm_count               = 15
  vm_size_gib            = 95.37
  daily_change_percent   = 5
  throughput_mbps        = 901
  throughput_basis       = "network"
  rpo_minutes            = 15
  configured_rpo_minutes = var.configured_rpo_minutes
}

output "gold" {
  value = data.vsla_replication_estimate.gold.summary
}

# Evaluated during plan, before anything is created.
check "gold" {
  assert {
    condition     = data.vsla_replication_estimate.gold.verdict == "meets"
    error_message = data.vsla_replication_estimate.gold.summary
  }
}
