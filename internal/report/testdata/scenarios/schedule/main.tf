# Groups with different promises on one link: six by day and night, and forty with long names on a link
# that is too small.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

locals {
  office_hours = [for h in range(24) : h >= 8 && h < 18 ? 5 : 1]
  night        = [for h in range(24) : h < 5 ? 20 : 1]
}

data "vsla_replication_schedule" "headquarters" {
  throughput_mbps = 400
  days            = 2
  groups = {
    "gold, databases"           = { vm_count = 20, vm_size_gib = 100, daily_change_percent = 8, rpo_minutes = 15, hourly_weights = local.office_hours }
    "gold, web"                 = { vm_count = 30, vm_size_gib = 40, daily_change_percent = 4, rpo_minutes = 15 }
    "silver, file servers"      = { vm_count = 12, vm_size_gib = 900, daily_change_percent = 3, rpo_minutes = 60, hourly_weights = local.office_hours }
    "silver, mail"              = { vm_count = 8, vm_size_gib = 500, daily_change_percent = 6, rpo_minutes = 60 }
    "bronze, batch"             = { vm_count = 25, vm_size_gib = 120, daily_change_percent = 20, rpo_minutes = 240, hourly_weights = local.night }
    "<script>alert(1)</script>" = { vm_count = 5, vm_size_gib = 60, daily_change_percent = 5, rpo_minutes = 480 }
  }
}

data "vsla_replication_schedule" "all_sites" {
  hourly_throughput_mbps = [for h in range(24) : h >= 8 && h < 18 ? 120 : 600]
  max_concurrent_syncs   = 40
  groups = { for i in range(40) : format(
    "site-%02d production oracle and middleware cluster, %s, tier %s", i,
    ["Frankfurt am Main", "Singapore", "São Paulo", "Montréal"][i % 4], ["gold", "silver", "bronze"][i % 3],
    ) => {
    vm_count             = 4 + i % 9
    vm_size_gib          = 60 + 15 * (i % 7)
    daily_change_percent = 3 + i % 5
    rpo_minutes          = [30, 120, 480][i % 3]
    hourly_weights       = i % 2 == 0 ? local.office_hours : null
  } }
}

data "vsla_replication_schedule" "small_and_fine" {
  throughput_mbps = 1000
  groups = {
    gold = { vm_count = 3, vm_size_gib = 50, daily_change_percent = 2, rpo_minutes = 30 }
  }
}
