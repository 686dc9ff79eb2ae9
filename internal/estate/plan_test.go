package estate_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/promise"
)

func planOf(t *testing.T, tiers string) (promise.Plan, error) {
	t.Helper()
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(tiers))
	if err != nil {
		return promise.Plan{}, err
	}
	found, err := inventoryfile.Read(strings.NewReader(inventory), inventoryfile.Options{Keep: file.Columns()})
	require.NoError(t, err)
	return file.Plan(found)
}

const sites = `
size: used_gib
links:
  north: {throughput_mbps: 100, efficiency_percent: 70, ranges: {throughput_mbps: {low: 80, high: 120}}}
  south: {hourly_throughput_mbps: [` + "9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9" + `]}
targets: {hub: {free_gib: 900, write_mbps: 500}}
growth_percent_per_year: 20
tiers:
  - {name: gold, match: {name: db}, link: north, target: hub, rpo_minutes: 15, daily_change_percent: 10}
  - {name: tin, match: {}, link: south, target: hub, rpo_minutes: 240, daily_change_percent: 2,
     ranges: {daily_change_percent: {low: 1, high: 4}}}
`

// inventory has 100, 50 and 30 GiB.
const inventory = `VM,Powerstate,In Use MiB,Change
db-1,poweredOn,102400,5
db-2,poweredOn,51200,
web,poweredOn,30720,3
`

// TestTiers_Plan_arguments: a file in which VMs take the place of match has the arguments of the data source, and every
// number of both answers is the same.
func TestTiers_Plan_arguments(t *testing.T) {
	t.Parallel()
	got, err := planOf(t, sites)
	require.NoError(t, err)
	var arguments map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(sites), &arguments))
	delete(arguments, "size")
	list, _ := arguments["tiers"].([]any)
	tiers := map[string]any{}
	for i, element := range list {
		tier, _ := element.(map[string]any)
		tier = maps.Clone(tier)
		name := fmt.Sprint(tier["name"])
		delete(tier, "name")
		delete(tier, "match")
		tier["virtual_machines"] = []map[string]any{
			{"db-1": map[string]any{"size_gib": 100}, "db-2": map[string]any{"size_gib": 50}},
			{"web": map[string]any{"size_gib": 30}},
		}[i]
		tiers[name] = tier
	}
	arguments["tiers"] = tiers
	want, err := promise.Definition.Decode(asNumbers(arguments))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	a, err := promise.Compute(t.Context(), got)
	require.NoError(t, err)
	b, err := promise.Compute(t.Context(), want)
	require.NoError(t, err)
	assert.Equal(t, b, a)
}

func asNumbers(v any) map[string]any {
	m, _ := plainOf(v).(map[string]any)
	return m
}

func plainOf(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plainOf(e)
		}
		return list
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, e := range v {
			all[key] = plainOf(e)
		}
		return all
	}
	return v
}

// TestTiers_Plan_short: the short form is one link, and a column has the change of each VM: 5 GiB of 100 are 5 %, an
// empty cell leaves that of the tier.
func TestTiers_Plan_short(t *testing.T) {
	t.Parallel()
	p, err := planOf(t, `
throughput_mbps: {low: 60, likely: 225, high: 230}
throughput_basis: transfer
schedule: {per_sync_mbps: 60, days: 8}
defaults: {daily_change_percent: 10, change: {column: Change, unit: gib}}
tiers: [{name: gold, match: {}, rpo_minutes: 15}]
`)
	require.NoError(t, err)
	link, gold := p.Links[promise.OnlyLink], p.Tiers["gold"]
	if *link.ThroughputMbps != 225 || link.Ranges["throughput_mbps"] != (promise.Ends{Low: 60, High: 230}) ||
		link.ThroughputBasis != "transfer" {
		t.Errorf("got the link %+v, want 225 Mbit/s of 60 to 230, measured by transfers", link)
	}
	if *gold.PerSyncMbps != 60 || *p.Days != 8 || len(gold.VirtualMachines) != 3 {
		t.Errorf("got %v Mbit/s for a sync in %v days of %d VMs, want 60 in 8 days of 3", *gold.PerSyncMbps, *p.Days,
			len(gold.VirtualMachines))
	}
	got := gold.VirtualMachines["db-1"].DailyChangePercent
	require.NotNil(t, got)
	assert.Equal(t, 5.0, *got)
	assert.Nil(t, gold.VirtualMachines["db-2"].DailyChangePercent)
}

// TestTiers_Plan_problems: errors are at line and key.
func TestTiers_Plan_problems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"no such link":   {"link: north", "link: east", "tiers.yaml:9: tiers[0].link must be one of links (north, south)"},
		"swapped range":  {"{low: 1, high: 4}", "{low: 4, high: 1}", "tiers.yaml:11: tiers[1].ranges"},
		"not between":    {"low: 80", "low: 110", "tiers.yaml:4: links.north.ranges"},
		"two ways":       {"size: used_gib", "throughput_mbps: 5", "tiers.yaml:2: throughput_mbps must not be given together"},
		"unknown unit":   {"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Change, unit: kib},", "change.unit must be"},
		"not a number":   {"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Powerstate},", "column must have numbers"},
		"unknown target": {"hub: {free_gib: 900", "hub: {free: 900", "tiers.yaml:6: targets.hub.free"},
	} {
		_, err := planOf(t, strings.Replace(sites, test.from, test.to, 1))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

// TestTiers_Plan_moves: a migration over a link takes its share in the hours of its windows, from 23:00 to 1:00.
func TestTiers_Plan_moves(t *testing.T) {
	t.Parallel()
	const windows = "window_hours: 2, window_start_hour: 23, window_weekdays: [SAT, SUN]}\n"
	p, err := planOf(t, sites+"migration: {link: north, share_percent: 40, "+windows)
	require.NoError(t, err)
	want := make([]float64, 24)
	want[0], want[23] = 40, 40
	got, other := p.Links["north"].HourlyMovesPercent, p.Links["south"].HourlyMovesPercent
	require.Equal(t, want, got)
	assert.Nil(t, other)
	for text, want := range map[string]string{
		"migration: {link: west, ":                         "migration.link must be the name of a link",
		"migration: {link: north, throughput_mbps: 1000, ": "migration.link must not be given together with a throughput",
	} {
		_, err := planOf(t, sites+text+windows)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}

// TestNewReview_poweredOff checks that the downtime of a plan is that of VMs that run: "old" is powered off, and its
// 1,024 GiB need 1,024 * 2^33 bit / 1,000 Mbit/s = 8,796 s, more than the promised 10 minutes.
func TestNewReview_poweredOff(t *testing.T) {
	t.Parallel()
	found, err := inventoryfile.Read(strings.NewReader(inventory+"old,poweredOff,1048576,\n"), inventoryfile.Options{})
	require.NoError(t, err)
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(`size: used_gib
throughput_mbps: 1000
tiers: [{name: all, match: {}, rpo_minutes: 60, daily_change_percent: 5}]
migration: {max_downtime_minutes: 10, setup_seconds: 0}
`))
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "inventory.csv", found, file)
	require.NoError(t, err)
	moves := values(t, r, "migration_plan", "all moves")
	assert.Equal(t, "meets", moves["verdict"])
	assert.NotEqual(t, "old", moves["worst_downtime_virtual_machine"])
	off, _ := moves["virtual_machines"].(map[string]any)["old"].(map[string]any)
	assert.Nil(t, off["downtime_seconds"])
}
