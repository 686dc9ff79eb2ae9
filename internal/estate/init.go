package estate

import (
	"fmt"
	"io"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// WriteTiers writes a commented tiers file that can be used without changes to review the inventory. Each group is a
// tier.
func WriteTiers(w io.Writer, path, command string, found inventoryfile.Inventory, groups Grouping) error {
	_, err := fmt.Fprintf(w, tiersText, path, plan.Count(float64(len(found.VMs)), "VM"),
		sizeText(found), command, found.Sizes[0]+"_gib", clusterLines(found), groups.Label(), groups.tierLines())
	return err
}

func sizeText(found inventoryfile.Inventory) string {
	switch {
	case found.UsedBytes != nil:
		return quantity.Size(*found.UsedBytes).String() + " in use"
	case found.ProvisionedBytes != nil:
		return quantity.Size(*found.ProvisionedBytes).String() + " provisioned"
	}
	return "used space unknown"
}

func clusterLines(found inventoryfile.Inventory) string {
	const maxClusters = 20
	var b strings.Builder
	clusters := Clusters(found)
	for i, c := range clusters {
		if i == maxClusters {
			fmt.Fprintf(&b, "#   and %s more\n", plan.Thousands(float64(len(clusters)-maxClusters), 0))
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

const tiersText = `# Tiers for %q: %s, %s.
# Adjust the values below, then run the review:
#   %s

# Size of a VM: used_gib, guest_used_gib (used space of the guest's file systems; on vSAN, used_gib includes copies),
# provisioned_gib or disk_gib. In a list such as [used_gib, provisioned_gib], the first known size of a VM applies.
size: %s

# Throughput of the link for replication, in Mbit/s: measured, or a nominal rate with an efficiency below 100.
throughput_mbps: 1000
efficiency_percent: 70
# Source of the throughput: transfer (measured with whole transfers), network (measured with a network benchmark) or
# nominal. The typical error of durations depends on it.
throughput_basis: nominal

# Alternatively, compute the throughput from a link, with the inputs of "estimate link":
# link:
#   bandwidth_mbps: 10000
#   share_percent: 20
#   rtt_ms: 12
#   streams: 8

# Alternatively, define several links and targets, and set link and target in each tier:
# links: { metro: { throughput_mbps: 1000, throughput_basis: transfer } }
# targets: { dr: { free_gib: 60000, write_mbps: 8000 } }

# Annual growth of all data, in percent. The review then shows how long each promise holds.
# growth_percent_per_year: 20

# Default inputs of all tiers. Every input of a tier of "estimate plan" can be set here or in a tier.
defaults:
  # Daily change rate, in percent. Measure it with the data source vsla_change_rates if possible.
  daily_change_percent: 5
  # Change rate of the busiest time as a multiple of the daily mean. 3 is an assumption. Measure it with
  # vsla_change_rates.
  peak_factor: 3
  # Values above that are not known. While a name is listed, a promise that rests on the value is at risk, and the
  # review shows how large the value may be. Remove a name when its value is measured. A value in a tier is known.
  assumed_inputs: [daily_change_percent, peak_factor]
  # compression_ratio: 1.5

# A VM belongs to the first tier whose conditions it meets. name and column are regular expressions (Go syntax) that can
# match anywhere. folder includes its subfolders. cluster, datacenter and power_state must match exactly.
#
# Clusters of the file:
%s#
# The tiers are those of: %s. Set the RPO that is promised to each.
tiers:
%s
# VMs that are not replicated, selected by the same conditions.
exclude:
  - name: "^vCLS"
  - power_state: poweredOff

# Settings of the simulation: inputs of "estimate plan".
# schedule:
#   max_concurrent_syncs: 20

# Migration waves: inputs of "estimate migration". throughput_mbps defaults to the usable throughput of the link.
# migration:
#   share_percent: 50 # of the link; the rest is for replication
#   tiers: [gold, bronze] # defaults to all
#   with_storage: true
#   window_weekdays: [SAT, SUN] # defaults to every day
#   window_start_hour: 0
#   window_hours: 24
#   max_windows: 2 # a promise, like deadline_hours and max_downtime_minutes; without a promise there is no verdict
#   max_downtime_minutes: 30
#   setup_seconds: 60 # fixed cost of a move
#   cold_transport: udt # for powered-off VMs, requires vSphere 8; defaults to nfc
`
