package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccMigrationPlan_twoWeekends: 1,200 VMs of 343.75 s each at 1,000 Mbit/s, one by one; 10 % of a weekend of 48
// hours stay free, so that each holds 43.2 * 3600 / 343.75 = 452 of them.
func TestAccMigrationPlan_twoWeekends(t *testing.T) {
	t.Parallel()
	acctest.Offline(t, resource.TestStep{
		Config: `
data "vsla_migration_plan" "evacuation" {
  virtual_machines = {
    for i in concat(range(1000), range(1000, 1200)) : format("vm-%04d", i) => {
      memory_gib = 0, disk_gib = 343.75 * 1000000000 / 8589934592, method = "cold"
    }
  }
  throughput_mbps   = 1000
  max_concurrent    = 1
  window_weekdays   = ["SAT", "SUN"]
  window_start_hour = 0
  window_hours      = 24
}

locals {
  weekends = { for name, move in data.vsla_migration_plan.evacuation.virtual_machines : move.window => name... }
}

output "windows" {
  value = data.vsla_migration_plan.evacuation.windows_needed
}

output "names" {
  value = join(" ", [for w in ["1", "2", "3"] : "${length(local.weekends[w])} ${sort(local.weekends[w])[0]}"])
}
`,
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckOutput("windows", "3"),
			resource.TestCheckOutput("names", "452 vm-0000 452 vm-0452 296 vm-0904"),
		),
	})
}

// TestAccMigrationPlan_downtimes: 1,000 GiB are 8,589.93 Gbit. A VM that is off has 1.3 Gbit/s by NFC. Replicated at
// 1 Gbit/s, 20 % a day are 143.17 Gbit in two hours, sent while it is off, with 10 minutes to switch it: 743.2 s. After
// one more synchronization 2.85 Gbit are left, 602.8 s; ten at once share the link, 2,031.7 s.
func TestAccMigrationPlan_downtimes(t *testing.T) {
	t.Parallel()
	acctest.Offline(t, resource.TestStep{
		Config: `
locals {
  vm = { memory_gib = 0, disk_gib = 1000, method = "replication", daily_change_percent = 20, switchover_minutes = 10 }
}

data "vsla_migration_plan" "cold" {
  virtual_machines = { one = { memory_gib = 0, disk_gib = 1000, method = "cold" } }
  throughput_mbps  = 10000
  deadline_hours   = 2
}

data "vsla_migration_plan" "last" {
  virtual_machines     = { for i in range(1) : "vm-${i}" => local.vm }
  throughput_mbps      = 1000
  max_concurrent       = 10
  online_sync_first    = false
  max_downtime_minutes = 30
}

data "vsla_migration_plan" "online" {
  virtual_machines     = { for i in range(1) : "vm-${i}" => local.vm }
  throughput_mbps      = 1000
  max_concurrent       = 10
  online_sync_first    = true
  max_downtime_minutes = 30
}

data "vsla_migration_plan" "ten" {
  virtual_machines     = { for i in range(10) : "vm-${i}" => local.vm }
  throughput_mbps      = 1000
  max_concurrent       = 10
  online_sync_first    = false
  max_downtime_minutes = 30
}

locals {
  plans = [data.vsla_migration_plan.last, data.vsla_migration_plan.online, data.vsla_migration_plan.ten]
}

output "cold" {
  value = "${data.vsla_migration_plan.cold.verdict} ${format("%.1f", data.vsla_migration_plan.cold.duration_seconds)}"
}

output "stops" {
  value = join(" ", [for p in local.plans : "${p.verdict} ${format("%.1f", p.worst_downtime_seconds)}"])
}
`,
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckOutput("cold", "meets 6607.6"),
			resource.TestCheckOutput("stops", "meets 743.2 meets 602.8 misses 2031.7"),
		),
	})
}
