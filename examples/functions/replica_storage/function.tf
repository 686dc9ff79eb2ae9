# Space of each tier at the target.
locals {
  tiers = {
    gold   = { vms = 20, per_day = 6, days = 4, rpo = 15 }
    silver = { vms = 40, per_day = 1, days = 7, rpo = 60 }
  }
}

output "target_gib" {
  value = {
    for name, tier in local.tiers : name => provider::vsla::replica_storage({
      vm_count             = tier.vms
      used_gib             = 100
      daily_change_percent = 5
      rpo_minutes          = tier.rpo
      point_in_time        = { instances_per_day = tier.per_day, days = tier.days }
    }).target_gib
  }
}
