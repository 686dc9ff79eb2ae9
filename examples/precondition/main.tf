# A tier is only created when its promise can hold: the plan of a tier whose RPO is too short for the link fails, and
# says by how much. Nothing but the calculator is asked; no vCenter is needed to find out.

terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

provider "vsla" {}

variable "rpo_minutes" {
  description = "How many minutes of data the tier may lose."
  type        = number
  default     = 15
}

data "vsla_replication_estimate" "gold" {
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = 440
  rpo_minutes          = var.rpo_minutes
}

resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}

resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
  description = "Loses at most ${var.rpo_minutes} minutes of data"

  lifecycle {
    precondition {
      condition     = data.vsla_replication_estimate.gold.violation_free
      error_message = "Tier gold promises what this link cannot keep. ${data.vsla_replication_estimate.gold.summary}"
    }
  }
}
