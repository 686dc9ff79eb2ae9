variable "inventory" {
  description = "Path of an export of RVTools (xlsx or CSV) or Live Optics (xlsx). Null for the example in this folder."
  type        = string
  default     = null
}

variable "tiers" {
  description = "Promises of the tiers, and their VMs by name."
  type = map(object({
    name_regex           = string
    rpo_minutes          = number
    daily_change_percent = number
    point_in_time        = optional(object({ instances_per_day = number, days = number }))
  }))
  default = {
    gold = {
      name_regex           = "^(sql|ora)-"
      rpo_minutes          = 15
      daily_change_percent = 8
      point_in_time        = { instances_per_day = 3, days = 5 }
    }
    silver = { name_regex = "^(web|app|file)-", rpo_minutes = 60, daily_change_percent = 3 }
    bronze = { name_regex = "^test-", rpo_minutes = 240, daily_change_percent = 2 }
  }

  validation {
    condition     = alltrue([for tier in values(var.tiers) : tier.rpo_minutes >= 1 && tier.rpo_minutes <= 1440])
    error_message = "An RPO must be between 1 and 1,440 minutes."
  }
}

variable "bandwidth_mbps" {
  description = "Rate of the link between the sites, in Mbit/s."
  type        = number
  default     = 1000
}

variable "rtt_ms" {
  description = "Round-trip time between the sites, in milliseconds."
  type        = number
  default     = 10
}

variable "growth_percent_per_year" {
  description = "Growth of the data in a year, in percent."
  type        = number
  default     = 20
}
