# Tests several RPOs with a `for` expression.
locals {
  sweep = {
    for rpo in [5, 15, 60] : rpo => provider::vsla::sla_plan({
      links = { metro = { throughput_mbps = 200 } }
      tiers = {
        gold = {
          virtual_machines     = { db-01 = { size_gib = 300 }, db-02 = { size_gib = 250 }, files-01 = { size_gib = 2048 } }
          rpo_minutes          = rpo
          daily_change_percent = 5
          overhead_seconds     = 60
        }
      }
    })
  }
}

output "sweep" {
  value = { for rpo, plan in local.sweep : rpo => plan.promises["gold"].verdict }
}
