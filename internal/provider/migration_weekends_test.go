package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccMigrationPlan_twoWeekends migrates 1,200 VMs at 1,000 Mbit/s, one at a time. Each VM takes 343.75 s. Each
// window lasts 48 hours. A reserve of 10% leaves 43.2 hours, which is enough for 452 VMs (43.2 * 3600 / 343.75 =
// 452.4).
func TestAccMigrationPlan_twoWeekends(t *testing.T) {
	t.Parallel()
	acctest.RunOffline(t, resource.TestStep{
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
