data "vsla_inventory_file" "db" {
  path       = "${path.module}/RVTools_tabvInfo.csv"
  name_regex = "^db-"
}

data "vsla_replication_estimate" "db" {
  vm_count             = data.vsla_inventory_file.db.vm_count
  vm_size_gib          = data.vsla_inventory_file.db.mean_used_gib
  daily_change_percent = 5
  throughput_mbps      = 900
  rpo_minutes          = 60
}
