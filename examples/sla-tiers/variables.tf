variable "tiers" {
  description = "The promises, by the name of the tier. name_regex says which machines get them; no machine may fit two tiers."
  type = map(object({
    rpo_minutes          = number # how old the newest recovery point may be
    daily_change_percent = number # how much of the data changes in a day; data source vsla_change_rates gives a bound of it
    name_regex           = string
  }))
  nullable = false
  validation {
    condition     = length(var.tiers) > 0
    error_message = "There has to be a tier."
  }
}

variable "category" {
  description = "Name of the tag category that holds the tiers. It is made by this module."
  type        = string
  default     = "sla"
}

variable "throughput_mbps" {
  description = "What the link carries for replication, in Mbit/s (10^6 bit/s)."
  type        = number
}

variable "peak_factor" {
  description = "How many times the daily mean the busiest cycle sees. Null is the worst case: the whole day's change in one cycle."
  type        = number
  default     = 3
}

variable "target_datastore" {
  description = "Name of the datastore at the recovery site that receives the replicas. It must be unique there."
  type        = string
}
