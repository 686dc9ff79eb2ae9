package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccMigrationPlan_downtimes migrates 1,000 GiB VMs (8,589.93 Gbit each). A cold migration runs over NFC at 1.3
// Gbit/s and takes 6,607.6 s. Replication runs at 1 Gbit/s and syncs every two hours by default. At a change rate of
// 20% per day, 143.17 Gbit changes between two syncs. Sending this data takes 143.2 s and the switchover takes 600 s,
// so the downtime is 743.2 s. With one more sync before the switchover, only 2.85 Gbit remains, and the downtime is
// 602.8 s. If ten VMs share the link, sending their data takes ten times as long, and the downtime is 2,031.7 s.
func TestAccMigrationPlan_downtimes(t *testing.T) {
	t.Parallel()
	acctest.RunOffline(t, resource.TestStep{
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

func TestAccSLAPlan_tiersFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tiers.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
links:
  metro: {throughput_mbps: 400, throughput_basis: transfer}
  wan: {network: {bandwidth_mbps: 1000, efficiency_percent: 70, rtt_ms: 20, streams: 4}}
targets:
  dr: {free_gib: 9000, write_mbps: 2000}
growth_percent_per_year: 20
tiers:
  - name: gold
    match: {folder: /DC/vm/prod}
    rpo_minutes: 15
    daily_change_percent: 8
    peak_factor: 3
    link: metro
    target: dr
    point_in_time: {instances_per_day: 3, days: 5}
  - name: bronze
    match: {cluster: C-TEST}
    rpo_minutes: 240
    daily_change_percent: 2
    link: wan
    deadline_hours: 48
`), 0o600))
	acctest.RunOffline(t, resource.TestStep{
		Config: fmt.Sprintf(`
locals {
  file = yamldecode(file(%q))
  vms = {
    gold   = { for i in range(12) : "db-${i}" => { size_gib = 100 + 50 * i } }
    bronze = { for i in range(30) : "app-${i}" => { size_gib = 64 } }
  }
}

data "vsla_sla_plan" "file" {
  links   = local.file.links
  targets = local.file.targets
  tiers = {
    for tier in local.file.tiers : tier.name => merge(
      { for key, value in tier : key => value if !contains(["name", "match"], key) },
      { virtual_machines = local.vms[tier.name] },
    )
  }
  growth_percent_per_year = local.file.growth_percent_per_year
}

data "vsla_sla_plan" "written" {
  links = {
    metro = { throughput_mbps = 400, throughput_basis = "transfer" }
    wan   = { network = { bandwidth_mbps = 1000, efficiency_percent = 70, rtt_ms = 20, streams = 4 } }
  }
  targets = { dr = { free_gib = 9000, write_mbps = 2000 } }
  tiers = {
    gold = {
      virtual_machines = local.vms.gold
      rpo_minutes      = 15, daily_change_percent = 8, peak_factor = 3, link = "metro", target = "dr"
      point_in_time    = { instances_per_day = 3, days = 5 }
    }
    bronze = {
      virtual_machines = local.vms.bronze
      rpo_minutes      = 240, daily_change_percent = 2, link = "wan", deadline_hours = 48
    }
  }
  growth_percent_per_year = 20
}

output "differences" {
  value = join(" ", [
    for name, value in data.vsla_sla_plan.written : name
    if jsonencode(value) != jsonencode(data.vsla_sla_plan.file[name])
  ])
}

output "promises" {
  value = join(" ", [for name, promise in data.vsla_sla_plan.file.promises : "${name} ${promise.vm_count}"])
}
`, file),
		Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckOutput("differences", ""),
			resource.TestCheckOutput("promises", "bronze 30 gold 12")),
	})
}
