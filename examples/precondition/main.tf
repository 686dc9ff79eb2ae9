# A tier is created only if the link can keep its promise: otherwise the plan fails and says by how much. The
# calculator decides, without a connection to vCenter.

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
