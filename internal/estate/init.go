// Initial tiers file for --init.

package estate

import (
	"fmt"
	"io"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// WriteTiers writes a commented tiers file for an inventory file that can be reviewed without changes.
func WriteTiers(w io.Writer, path, command string, found inventoryfile.Inventory) error {
	_, err := fmt.Fprintf(w, tiersText, path, plan.Count(float64(len(found.VMs)), "VM"),
		quantity.Size(found.UsedBytes), command, clusterLines(found))
	return err
}

func clusterLines(found inventoryfile.Inventory) string {
	const most = 20
	var b strings.Builder
	clusters := Clusters(found)
	for i, c := range clusters {
		if i == most {
			fmt.Fprintf(&b, "#   and %s more\n", plan.Thousands(float64(len(clusters)-most), 0))
			break
		}
		name := fmt.Sprintf("%q", c.Name)
		if c.Name == "" {
			name = "no cluster"
		}
		fmt.Fprintf(&b, "#   %s: %s, %s\n", name, plan.Count(float64(c.VMs), "VM"), quantity.Size(c.UsedBytes))
	}
	return b.String()
}

const tiersText = `# Tiers for %q: %s, %s in use.
# Change what is below, then write the review:
#   %s

# What the size of a VM is taken from: used_gib, guest_used_gib (what the guest's file systems use; on vSAN used_gib
# counts copies), provisioned_gib or disk_gib.
size: used_gib

# What replication can use of the link, in Mbit/s: measured, or a nominal rate with an efficiency below 100.
throughput_mbps: 1000
efficiency_percent: 70
# How it is known: transfer (whole transfers were measured), network (a benchmark of the network) or nominal. It decides
# how far off times usually are.
throughput_basis: nominal

# In place of both, a link from which the throughput is computed, with the inputs of "estimate link":
# link:
#   bandwidth_mbps: 10000
#   share_percent: 20
#   rtt_ms: 12
#   streams: 8

# In place of all, several links and the storages of the replicas, which tiers name with link and target:
# links: { metro: { throughput_mbps: 1000, throughput_basis: transfer } }
# targets: { dr: { free_gib: 60000, write_mbps: 8000 } }

# How much all data grows in a year: the review then has until when each promise holds.
# growth_percent_per_year: 20

# Inputs of all tiers that have none of their own. Every input of a tier of "estimate plan" can be here or in a tier.
defaults:
  # How much of the data changes in a day. Measure it where you can: data source vsla_change_rates.
  daily_change_percent: 5
  # An assumption: the busiest time of the day changes three times as much as the mean. Measure it: vsla_change_rates.
  peak_factor: 3
  # compression_ratio: 1.5

# From top to bottom: a VM is in the first tier whose conditions all hold. Conditions: name and column are regular
# expressions (Go syntax) that match anywhere, folder includes the folders below it, cluster, datacenter and power_state
# are compared as a whole.
#
# Clusters of the file:
%stiers:
  - name: gold
    match:
      name: "(?i)(sql|ora|db)"
    rpo_minutes: 15
    daily_change_percent: 10
  # - name: silver
  #   match:
  #     cluster: Production
  #     folder: /Datacenter/vm/web
  #     column: { Tier: "^silver$" }
  #   rpo_minutes: 60
  - name: bronze
    match: {} # every VM that no tier above has
    rpo_minutes: 240

# VMs that are not replicated at all, by the same conditions.
exclude:
  - name: "^vCLS"

# The simulated days, with inputs of "estimate plan".
# schedule:
#   days: 7
#   max_concurrent_syncs: 20

# Migration waves, with inputs of "estimate migration"; throughput_mbps is the usable part of the link if it is not
# given.
# migration:
#   tiers: [gold, bronze] # all without it
#   with_storage: true
#   window_weekdays: [SAT, SUN] # each day without it
#   window_start_hour: 0
#   window_hours: 24
#   max_windows: 2 # a promise, as deadline_hours and max_downtime_minutes are; without one there is no verdict
#   max_downtime_minutes: 30
#   setup_seconds: 60 # fixed cost of a move
#   cold_transport: udt # copies of VMs that are off, from vSphere 8 on; nfc without it
#   share_percent: 50 # of the link
`
