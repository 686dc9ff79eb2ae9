# A tier is created only if the link can keep its promise. Otherwise the plan fails with the throughput that it needs.
# The calculation needs no connection to vCenter.

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
  description = "RPO of the tier, in minutes."
  type        = number
  default     = 15
}

data "vsla_sla_plan" "estate" {
  links = { metro = { throughput_mbps = 440 } }
  tiers = {
    gold = {
      vm_count             = 15
      vm_size_gib          = 1000
      rpo_minutes          = var.rpo_minutes
      daily_change_percent = 5
      peak_factor          = 3
    }
  }
}

locals {
  gold = data.vsla_sla_plan.estate.promises["gold"]
}

resource "vsla_tag_category" "sla" {
  name        = "promise"
  cardinality = "SINGLE"
}

resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
  description = "Loses at most ${var.rpo_minutes} minutes of data"

  lifecycle {
    precondition {
      condition = local.gold.verdict == "meets"
      error_message = join(" ", concat(
        ["Tier gold promises what this link cannot keep.", local.gold.summary], local.gold.explanations,
      ))
    }
  }
}
