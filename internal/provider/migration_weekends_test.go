package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccMigrationPlan_twoWeekends migrates 1,200 VMs of 343.75 s each at 1,000 Mbit/s, one at a time. 10 % of each 48
// h window is reserved, so that it fits 43.2 * 3600 / 343.75 = 452 VMs.
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
		Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckOutput("windows", "3"),
			resource.TestCheckOutput("names", "452 vm-0000 452 vm-0452 296 vm-0904")),
	})
}

// TestAccMigrationPlan_downtimes migrates a VM of 1,000 GiB, which are 8,589.93 Gbit. A cold migration runs at 1.3
// Gbit/s over NFC. With replication at 1 Gbit/s, a change rate of 20 % per day leaves 143.17 Gbit after two hours,
// which are sent during the downtime; the switchover takes 10 minutes: 743.2 s. After one more synchronization 2.85
// Gbit remain, 602.8 s. Ten VMs at once share the link: 2,031.7 s.
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
		Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckOutput("cold", "meets 6607.6"),
			resource.TestCheckOutput("stops", "meets 743.2 meets 602.8 misses 2031.7")),
	})
}
