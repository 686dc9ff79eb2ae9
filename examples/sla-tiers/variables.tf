variable "tiers" {
  description = "Promises by tier. name_regex selects the VMs. A VM must not match several tiers."
  type = map(object({
    rpo_minutes            = number           # promised: maximum age of the newest recovery point
    configured_rpo_minutes = optional(number) # RPO of the replications; the plan suggests it if it is null
    daily_change_percent   = number           # vsla_change_rates returns an upper bound
    name_regex             = string
  }))
  nullable = false
  validation {
    condition     = length(var.tiers) > 0
    error_message = "There must be at least one tier."
  }
}

variable "category" {
  description = "Name of the tag category of the tiers. This module creates it."
  type        = string
  default     = "sla"
}

variable "throughput_mbps" {
  description = "Throughput of the link for replication, in Mbit/s (10^6 bit/s)."
  type        = number
}

variable "peak_factor" {
  description = "Change rate of the busiest time as a multiple of the daily mean. Null if it is not known."
  type        = number
  default     = 3
}

variable "target_datastore" {
  description = "Name of the datastore at the recovery site for the replicas. It must be unique there."
  type        = string
}
