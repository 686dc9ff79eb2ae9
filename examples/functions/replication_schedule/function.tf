# Tests several throughputs with a `for` expression.
locals {
  sweep = {
    for mbps in [100, 200, 400] : mbps => provider::vsla::replication_schedule({
      throughput_mbps = mbps
      groups = {
        gold   = { vm_count = 20, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 }
        silver = { vm_count = 40, vm_size_gib = 80, daily_change_percent = 3, rpo_minutes = 60 }
      }
    })
  }
}

output "sweep" {
  value = { for mbps, schedule in local.sweep : mbps => schedule.verdict }
}
