# 20 VMs with 6 recovery points a day, kept for 4 days. Blocks that are rewritten count once in each recovery point.
data "vsla_replica_storage" "gold" {
  vm_count        = 20
  used_gib        = 100
  change_curve    = { 15 = 1.6, 240 = 2.8, 1440 = 7 }
  rpo_minutes     = 15
  point_in_time   = { instances_per_day = 6, days = 4 }
  target_free_gib = 4096
}

output "gold" {
  value = data.vsla_replica_storage.gold.summary
}
