# Change these values: the promises, their VMs, and the link.
tiers = {
  gold   = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2, name_regex = "^db-000" }
  silver = { rpo_minutes = 60, configured_rpo_minutes = 45, daily_change_percent = 4, name_regex = "^app-000" }
}

throughput_mbps  = 10000
target_datastore = "LocalDS_0"
