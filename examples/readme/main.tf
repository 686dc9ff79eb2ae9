terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

data "vsla_virtual_machines" "db" {
  name_regex = "^db-"
}

data "vsla_sla_plan" "db" {
  links = { metro = { throughput_mbps = provider::vsla::parse_rate_mbps("1 Gbit/s") } }
  tiers = {
    gold = {
      virtual_machines = {
        for vm in data.vsla_virtual_machines.db.virtual_machines : vm.name => { size_gib = vm.used_gib }
      }
      rpo_minutes          = 60
      daily_change_percent = 5
      peak_factor          = 3
    }
  }
}

output "verdict" {
  value = data.vsla_sla_plan.db.summary
}
