# The RPOs with which vSphere Replication is configured, also for rpo_minutes of the replications. If they are null, the
# plan suggests them.
variable "configured_rpo_minutes" {
  type    = object({ gold = optional(number), bronze = optional(number) })
  default = { gold = 8, bronze = 120 }
}

# Two tiers that share a link and a target.
data "vsla_sla_plan" "estate" {
  links = {
    metro = { throughput_mbps = 1000, efficiency_percent = 70, throughput_basis = "nominal" }
  }
  targets = {
    dr = { free_gib = 60000, write_mbps = 8000 }
  }
  tiers = {
    gold = {
      # From vCenter: for vm in data.vsla_virtual_machines.gold.virtual_machines : vm.name => { size_gib = vm.used_gib }
      virtual_machines = {
        db-01    = { size_gib = 300 }
        db-02    = { size_gib = 250, daily_change_percent = 3 }
        files-01 = { size_gib = 2048 }
      }
      link                   = "metro"
      target                 = "dr"
      rpo_minutes            = 15
      configured_rpo_minutes = var.configured_rpo_minutes.gold
      daily_change_percent   = 10
      peak_factor            = 4
      per_sync_mbps          = 200
      ranges                 = { daily_change_percent = { low = 5, high = 20 } }
    }
    bronze = {
      vm_count               = 110
      vm_size_gib            = 64
      link                   = "metro"
      target                 = "dr"
      rpo_minutes            = 240
      configured_rpo_minutes = var.configured_rpo_minutes.bronze
      daily_change_percent   = 5
      peak_factor            = 4
    }
  }
  growth_percent_per_year = 20
}

output "promises" {
  value = {
    for tier, promise in data.vsla_sla_plan.estate.promises : tier => {
      verdict  = promise.verdict
      holds_by = promise.holds_by
      suggest  = promise.suggested_rpo_minutes
      late     = [for vm in promise.late_virtual_machines : vm.name]
      remedies = [for remedy in promise.remedies : remedy.sentence]
    }
  }
}

output "links" {
  value = {
    for name, link in data.vsla_sla_plan.estate.links : name => {
      needs_mbps = link.throughput_needed_mbps
      limited_by = link.needed_limited_by
    }
  }
}
