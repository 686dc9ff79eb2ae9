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

func newPlan(t *testing.T, tiers string) (promise.Plan, error) {
	t.Helper()
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(tiers))
	if err != nil {
		return promise.Plan{}, err
	}
	found, err := inventoryfile.Read(strings.NewReader(inventory), inventoryfile.Options{KeepColumns: file.Columns()})
	require.NoError(t, err)
	r, err := estate.Prepare("inventory.csv", found, file)
	if err != nil {
		return promise.Plan{}, err
	}
	return r.Plan, nil
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

const inventory = `VM,Powerstate,In Use MiB,Change
db-1,poweredOn,102400,5
db-2,poweredOn,51200,
web,poweredOn,30720,3
`

func TestPrepare_arguments(t *testing.T) {
	t.Parallel()
	got, err := newPlan(t, sites)
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
	want, err := promise.Definition.Decode(toFloatMap(arguments))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	a, err := promise.Compute(t.Context(), got)
	require.NoError(t, err)
	b, err := promise.Compute(t.Context(), want)
	require.NoError(t, err)
	assert.Equal(t, b, a)
}

func toFloatMap(v any) map[string]any {
	m, _ := toFloats(v).(map[string]any)
	return m
}

func toFloats(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = toFloats(e)
		}
		return list
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, e := range v {
			all[key] = toFloats(e)
		}
		return all
	}
	return v
}

// TestPrepare_short checks that the short form defines a single link, and that a column sets the change rate of each
// VM. A change of 5 GiB per day on a 100 GiB VM is a rate of 5%. If a cell is empty, the VM has the change rate of its
// tier.
func TestPrepare_short(t *testing.T) {
	t.Parallel()
	p, err := newPlan(t, `
throughput_mbps: {low: 60, likely: 225, high: 230}
throughput_basis: transfer
schedule: {per_sync_mbps: 60}
defaults: {daily_change_percent: 10, change: {column: Change, unit: gib}}
tiers: [{name: gold, match: {}, rpo_minutes: 15}]
`)
	require.NoError(t, err)
	link, gold := p.Links[promise.DefaultLinkName], p.Tiers["gold"]
	assert.Equal(t, 225.0, *link.ThroughputMbps)
	assert.Equal(t, promise.Ends{Low: 60, High: 230}, link.Ranges["throughput_mbps"])
	assert.Equal(t, "transfer", link.ThroughputBasis)
	assert.Equal(t, 60.0, *gold.PerSyncMbps)
	assert.Len(t, gold.VirtualMachines, 3)
	got := gold.VirtualMachines["db-1"].DailyChangePercent
	require.NotNil(t, got)
	assert.Equal(t, 5.0, *got)
	assert.Nil(t, gold.VirtualMachines["db-2"].DailyChangePercent)
}

// TestPrepare_rangeOfLink verifies that a range of one of several links is read like that of a single link.
func TestPrepare_rangeOfLink(t *testing.T) {
	t.Parallel()
	p, err := newPlan(t, `
links: {metro: {throughput_mbps: {low: 60, likely: 225, high: 230}}}
defaults: {daily_change_percent: 10}
tiers: [{name: gold, match: {}, rpo_minutes: 15}]
`)
	require.NoError(t, err)
	metro := p.Links["metro"]
	assert.Equal(t, new(225.0), metro.ThroughputMbps)
	assert.Equal(t, promise.Ends{Low: 60, High: 230}, metro.Ranges["throughput_mbps"])
}

// Both 1,200 in an English file and 1.200 in a German file are 1,200 GiB: 60% of 2,000 GiB.
func TestPrepare_change(t *testing.T) {
	t.Parallel()
	const tiers = "throughput_mbps: 100\ntiers: [{name: gold, match: {}, rpo_minutes: 15, daily_change_percent: 5, " +
		"change: {column: Change, unit: %s}}]\n"
	for name, run := range map[string]struct{ rows, unit, says string }{
		"English":         {`a,"16,384","2,048,000","1,200"`, "gib", ""},
		"German":          {`a;16.384;2.048.000,0;1.200`, "gib", ""},
		"percent":         {`a,"16,384",1,60 %`, "percent", ""},
		"by another cell": {"a;1;2048000;1.200\nb;1;2048;1,5", "gib", ""},
		"ambiguous": {
			`a;1;2048000;1.200`, "gib",
			`row 2, column "Change", VM "a": "1.200" is ambiguous: 1200 with a thousands`,
		},
		"opposite": {`a;16.384;2048000;1.2`, "gib", "has the opposite"},
		"percent, not GiB": {
			"a,1,1,900%", "gib",
			`must contain numbers in GiB: row 2, column "Change", VM "a": must be a number, got "900%"`,
		},
	} {
		header := "VM,Memory,In Use MiB,Change\n"
		if strings.Contains(run.rows, ";") {
			header = strings.ReplaceAll(header, ",", ";")
		}
		file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(fmt.Sprintf(tiers, run.unit)))
		require.NoError(t, err, name)
		found, err := inventoryfile.Read(strings.NewReader(header+run.rows),
			inventoryfile.Options{KeepColumns: file.Columns()})
		require.NoError(t, err, name)
		r, err := estate.Prepare("inventory.csv", found, file)
		if run.says != "" {
			require.ErrorContains(t, err, run.says, name)
			continue
		}
		require.NoError(t, err, name)
		assert.InDelta(t, 60, *r.Plan.Tiers["gold"].VirtualMachines["a"].DailyChangePercent, 1e-9, name)
	}
}

func TestPrepare_problems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"no such link": {
			"link: north", "link: east",
			"tiers.yaml:9: tiers[0].link must be the name of a link (north, south)",
		},
		"swapped range": {"{low: 1, high: 4}", "{low: 4, high: 1}", "tiers.yaml:11: tiers[1].ranges"},
		"not between":   {"low: 80", "low: 110", "tiers.yaml:4: links.north.ranges"},
		"two ways": {
			"size: used_gib", "throughput_mbps: 5",
			"tiers.yaml:2: throughput_mbps must not be set together",
		},
		"unknown unit": {
			"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Change, unit: kib},",
			"change.unit must be",
		},
		"not a number": {
			"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Powerstate},",
			"column must contain numbers",
		},
		"unknown target": {"hub: {free_gib: 900", "hub: {free: 900", "tiers.yaml:6: targets.hub.free"},
	} {
		_, err := newPlan(t, strings.Replace(sites, test.from, test.to, 1))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

func TestPrepare_moves(t *testing.T) {
	t.Parallel()
	const windows = "window_hours: 2, window_start_hour: 23, window_weekdays: [SAT, SUN]}\n"
	p, err := newPlan(t, sites+"migration: {link: north, share_percent: 40, "+windows)
	require.NoError(t, err)
	want := make([]float64, 24)
	want[0], want[23] = 40, 40
	got, other := p.Links["north"].HourlyMovesPercent, p.Links["south"].HourlyMovesPercent
	require.Equal(t, want, got)
	assert.Nil(t, other)
	// The only link does not have to be named. Its own share of 60% at 23:00 is larger than that of the migration.
	own := "schedule: {hourly_moves_percent: [" + strings.Repeat("0, ", 23) + "60]}\n"
	for text, first := range map[string]float64{"share_percent: 40, ": 40, "throughput_mbps: 400, ": 0} {
		p, err := newPlan(t, gold+own+"migration: {"+text+windows)
		require.NoError(t, err)
		want[0], want[23] = first, 60
		assert.Equal(t, want, p.Links[promise.DefaultLinkName].HourlyMovesPercent, text)
	}
	for text, want := range map[string]string{
		"migration: {link: west, ":                         "migration.link must be the name of a link",
		"migration: {link: north, throughput_mbps: 1000, ": "migration.link must not be set together with a throughput",
	} {
		_, err := newPlan(t, sites+text+windows)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}
