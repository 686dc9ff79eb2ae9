package estate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/promise"
)

// vms is an inventory of eight VMs with 1, 2, 4 ... 128 GiB in use.
const vms = `VM,Powerstate,Memory,In Use MiB,Folder,Cluster,Datacenter,Host,VM ID,Tier
db-1,poweredOn,8192,1024,/prod/db,C0,D0,h1,vm-1,x
db-2,poweredOn,8192,2048,/prod/db,C0,D0,h1,vm-2,gold
web-1,poweredOn,8192,4096,/prod/web,C0,D0,h1,vm-3,gold-plus
web-2,poweredOff,8192,8192,/prod/web/old,C0,D0,h1,vm-4,
file-1,poweredOn,8192,16384,/test,C1,D0,h2,vm-5,
file-1,poweredOn,8192,32768,/test,C1,D1,h2,vm-6,
vCLS-1,poweredOn,8192,65536,/vCLS,C1,D1,h2,vm-7,
rest,poweredOn,8192,131072,/other,C1,D1,h2,vm-8,
`

func newReview(t *testing.T, text string) (*estate.Review, error) {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{KeepColumns: tiers.Columns()})
	require.NoError(t, err)
	return estate.NewReview(t.Context(), "vms.csv", found, tiers)
}

func resultValues(t *testing.T, r *estate.Review, kind, name string) map[string]any {
	t.Helper()
	i := slices.IndexFunc(r.Results,
		func(one estate.Result) bool { return one.Type == "vsla_"+kind && one.Name == name })
	require.GreaterOrEqual(t, i, 0, "got no %s %s", kind, name)
	return r.Results[i].Values
}

func tierSizes(r *estate.Review, tier string) []float64 {
	sizes := []float64{}
	for _, vm := range r.Plan.Tiers[tier].VirtualMachines {
		sizes = append(sizes, *vm.SizeGiB)
	}
	return sizes
}

func TestNewReview_tiers(t *testing.T) {
	t.Parallel()
	r, err := newReview(t, `
throughput_mbps: 1000
defaults: {rpo_minutes: 60, daily_change_percent: 5}
exclude: [{name: ^vCLS}]
tiers:
  - {name: column, match: {column: {Tier: ^gold$}}}
  - {name: name, match: {name: ^db-, cluster: C0}}
  - {name: folder, match: {folder: prod/web, power_state: poweredOn}}
  - {name: below, match: {folder: /prod}}
  - {name: datacenter, match: {datacenter: D1, cluster: C1, name: file}}
  - {name: nobody, match: {name: nothing}}
  - {name: cluster, match: {cluster: C1, folder: test}}
`)
	require.NoError(t, err)
	// Sizes of db-2, db-1, web-1, web-2, file-1 in D1 and file-1 in D0, in GiB.
	want := map[string]float64{"column": 2, "name": 1, "folder": 4, "below": 8, "datacenter": 32, "cluster": 16}
	for name, gib := range want {
		assert.Equal(t, []float64{gib}, tierSizes(r, name), name)
	}
	notes := []string{
		"1 VM was excluded by the exclude list.", "1 VM is in no tier and not included below: rest.",
		`The tier nobody contains no VMs. No VM matches name "nothing"; the file contains "db-1", "db-2", "file-1", ` +
			`"rest", ` +
			`"vCLS-1", "web-1", "web-2".`,
		"1 VM is powered off: 1 in below. The plan includes powered-off VMs, although vSphere Replication does not " +
			"replicate them.",
	}
	assert.Equal(t, notes, r.Notes)
	tiers, _ := resultValues(t, r, "sla_plan", "estate")["tiers"].(map[string]any)
	require.Len(t, tiers, len(want)+1)
	assert.Len(t, r.Results, 2)
}

// The tier misses its promise because replicas of 255 GiB do not fit into 10 GiB.
func TestNewReview_inputs(t *testing.T) {
	t.Parallel()
	r, err := newReview(t, `
throughput_mbps: 1000
efficiency_percent: 70
growth_percent_per_year: 20
targets: {dr: {free_gib: 10}}
defaults: {rpo_minutes: 60, daily_change_percent: 5, target: dr, peak_factor: 3, compression_ratio: 2}
schedule: {per_sync_mbps: 900}
tiers:
  - name: all
    match: {}
    rpo_minutes: 240
    change_curve: {15: 0.5, 1440: 2}
    hourly_weights: [`+strings.Repeat("1, ", 23)+`1]
    point_in_time: {instances_per_day: 3, days: 2}
`)
	require.NoError(t, err)
	p := r.Plan
	all := p.Tiers["all"]
	if all.RPOMinutes != 240 || all.DailyChangePercent != nil || len(all.ChangeCurve) != 2 || all.PeakFactor != nil ||
		all.CompressionRatio != 2 || *all.PerSyncMbps != 900 || all.PointInTime == nil {
		t.Errorf("got the tier %+v", all)
	}
	efficiency := p.Links[promise.DefaultLinkName].EfficiencyPercent
	assert.Equal(t, 20.0, *p.GrowthPercentPerYear)
	assert.Equal(t, 70.0, efficiency)
	promises, _ := resultValues(t, r, "sla_plan", "estate")["promises"].(map[string]any)
	one, _ := promises["all"].(map[string]any)
	require.Equal(t, "misses", one["verdict"], "got %v, %v, want misses, target_full", one["verdict"], one["reasons"])
	assert.Contains(t, fmt.Sprint(one["reasons"]), "target_full")
}

// TestNewReview_link checks that the throughput is computed from the link: 10% of 1,000 Mbit/s.
func TestNewReview_link(t *testing.T) {
	t.Parallel()
	r, err := newReview(t,
		strings.Replace(gold, "throughput_mbps: 1000", "link: {bandwidth_mbps: 1000, share_percent: 10}", 1))
	require.NoError(t, err)
	links, _ := resultValues(t, r, "sla_plan", "estate")["links"].(map[string]any)
	one, _ := links[promise.DefaultLinkName].(map[string]any)
	assert.Equal(t, 100.0, one["mean_throughput_mbps"], "got %v Mbit/s, want 100", one["mean_throughput_mbps"])
}

func TestNewReview_problems(t *testing.T) {
	t.Parallel()
	in := func(old, replacement string) string { return strings.Replace(gold, old, replacement, 1) }
	for name, run := range map[string]struct{ text, says string }{
		"range": {
			in("rpo_minutes: 15", "rpo_minutes: 0"),
			"tiers.yaml:5: tiers[0].rpo_minutes must be between 1 and 1,440 minutes",
		},
		"type": {
			in("rpo_minutes: 15", "rpo_minutes: fast"),
			"tiers.yaml:5: tiers[0].rpo_minutes must be a number",
		},
		"missing": {in("    rpo_minutes: 15\n", ""), "tiers.yaml:3: tiers[0].rpo_minutes"},
		"default": {
			gold + "defaults: {compression_ratio: 0}\n",
			"tiers.yaml:7: defaults.compression_ratio must be between",
		},
		"throughput": {in("1000", "0"), "tiers.yaml:1: throughput_mbps must be"},
		"infinity":   {in("1000", ".inf"), "tiers.yaml:1: throughput_mbps must be"},
		"efficiency": {gold + "efficiency_percent: 101\n", "tiers.yaml:7: efficiency_percent must be"},
		"curve":      {in("daily_change_percent: 5", "change_curve: {15: -1}"), "tiers.yaml:6: tiers[0].change_curve"},
		"group": {
			in("daily_change_percent: 5", "daily_change_percent: 5\n    hourly_weights: [1]"),
			"tiers.yaml:7: tiers[0].hourly_weights",
		},
		"schedule": {gold + "schedule:\n  jitter_percent: 199\n", "tiers.yaml:8: schedule.jitter_percent must be"},
		"link": {
			in("throughput_mbps: 1000", "link: {bandwidth_mbps: 0}"),
			"tiers.yaml:1: link.bandwidth_mbps must be",
		},
		"inverted range of ranges": {
			gold + "defaults:\n  peak_factor: 3\n  ranges: {peak_factor: {low: 9, high: 3}}\n",
			`tiers.yaml:9: defaults.ranges["peak_factor"].low must be at most high`,
		},
		"inverted range": {
			gold + "defaults: {peak_factor: {low: 9, likely: 5, high: 3}}\n",
			"tiers.yaml:7: defaults.peak_factor.low must be at most high",
		},
		"nobody": {
			in("match: {}", "match: {name: nothing}"),
			"tiers.yaml:2: tiers must match at least one of the 8 VMs in vms.csv",
		},
		"size": {
			gold + "size: guest_used_gib\n",
			"tiers.yaml:7: size must be a size that the inventory contains (used_gib), but is guest_used_gib",
		},
		"nobody moves": {
			gold + "  - {name: none, match: {name: nothing}, rpo_minutes: 5, daily_change_percent: 1}\n" +
				"migration: {tiers: [none]}\n",
			"tiers.yaml:8: migration must include a tier with VMs",
		},
	} {
		_, err := newReview(t, run.text)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
}

func TestNewReview_withoutSizes(t *testing.T) {
	t.Parallel()
	found, err := inventoryfile.Read(strings.NewReader("VM,In Use MiB,Provisioned MiB\ndb-1,1024,\nweb-1,1024,2048\n"),
		inventoryfile.Options{})
	require.NoError(t, err)
	review := func(tiers ...string) (*estate.Review, error) {
		text := "throughput_mbps: 1000\nsize: provisioned_gib\ndefaults: {rpo_minutes: 60, daily_change_percent: 5}\n" +
			"tiers: [" + strings.Join(tiers, ", ") + "]\n"
		file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(text))
		require.NoError(t, err)
		return estate.NewReview(t.Context(), "vms.csv", found, file)
	}
	r, err := review("{name: db, match: {name: ^db-}}", "{name: web, match: {name: ^web-}}")
	require.NoError(t, err)
	require.Len(t, r.Notes, 1)
	assert.Contains(t, r.Notes[0], "No size is known of 1 VM, so the promises of the affected tiers are unknown: db-1.")
	_, err = review("{name: db, match: {name: ^db-}, size: disk_gib}")
	want := "tiers.yaml:4: tiers[0].size must be a size that the inventory contains (used_gib, provisioned_gib), " +
		"but is disk_gib"
	assert.EqualError(t, err, want)
}

// TestNewReview_skipped checks that the promise of a tier is unknown if one of its VMs was skipped, unless the VM is
// excluded, occurs again, or has the chosen size: 400,000 GiB * 5% = 20,000 GiB of change per day, and 1,000 Mbit/s
// transfer 10,058 GiB per day. VMs with the same name get different names in the plan.
func TestNewReview_skipped(t *testing.T) {
	t.Parallel()
	const header = "VM,Connection state,In Use MiB,Provisioned MiB,VM ID\n"
	const a = "a,connected,102400,204800,vm-1\n"
	for name, run := range map[string]struct{ rows, add, verdict, note string }{
		"no size":      {a + "big,connected,,409600000,vm-2\n", "", "unknown", "No size is known of 1 VM"},
		"another size": {a + "big,connected,,409600000,vm-2\n", "size: provisioned_gib\n", "misses", ""},
		"disconnected": {a + "big,disconnected,1024,1024,vm-2\n", "", "unknown", "vCenter could not access 1 VM"},
		"excluded": {
			a + "big,not responding,,,vm-2\n",
			"exclude: [{name: big}]\n",
			"meets",
			"1 VM was excluded",
		},
		"also with its size": {"a,disconnected,,,vm-1\n" + a, "", "meets", ""},
		"same names":         {"w,,409600000,,vm-1\nw,,1,,vm-2\nw (vm-1),,1,,vm-3\n", "", "misses", ""},
	} {
		found, err := inventoryfile.Read(strings.NewReader(header+run.rows), inventoryfile.Options{})
		require.NoError(t, err, name)
		file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold+run.add))
		require.NoError(t, err, name)
		r, err := estate.NewReview(t.Context(), "vms.csv", found, file)
		require.NoError(t, err, name)
		promises, _ := resultValues(t, r, "sla_plan", "estate")["promises"].(map[string]any)
		one, _ := promises["gold"].(map[string]any)
		assert.Equal(t, run.verdict, one["verdict"], name)
		assert.Contains(t, strings.Join(r.Notes, "\n"), run.note, name)
	}
}

func TestNewReview_columns(t *testing.T) {
	t.Parallel()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(
		"throughput_mbps: 1\ntiers: [{name: a, match: {column: {Tier: x}}, rpo_minutes: 5, "+
			"daily_change_percent: 1}]\n"))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{})
	require.NoError(t, err)
	const want = `without the column "Tier"`
	_, err = estate.NewReview(t.Context(), "vms.csv", found, tiers)
	require.Error(t, err)
	assert.Contains(t, err.Error(), want)
}

func TestNewReview_units(t *testing.T) {
	t.Parallel()
	r, err := newReview(t, `
throughput_mbps: 1 Gbit/s
defaults: {rpo_minutes: 4h, daily_change_percent: 5 %, overhead_seconds: 1.5min}
tiers:
  - {name: all, match: {column: {Tier: 1GB|}}}
`)
	require.NoError(t, err)
	p := r.Plan
	all, link := p.Tiers["all"], p.Links[promise.DefaultLinkName]
	assert.Equal(t, 1000.0, *link.ThroughputMbps)
	assert.Equal(t, 240.0, all.RPOMinutes)
	assert.Equal(t, 5.0, *all.DailyChangePercent)
	assert.Equal(t, 90.0, all.OverheadSeconds)
	assert.Len(t, all.VirtualMachines, 7) // all except vCLS-1
}

// TestNewReview_fractions verifies that percentages that look like fractions are noted with their line.
func TestNewReview_fractions(t *testing.T) {
	t.Parallel()
	r, err := newReview(t, `throughput_mbps: 1000
efficiency_percent: 0.7
defaults: {daily_change_percent: 0.5, peak_factor: 3}
tiers:
  - {name: gold, match: {}, rpo_minutes: 60, daily_change_percent: 0.05}
`)
	require.NoError(t, err)
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{
		"tiers.yaml:2: efficiency_percent looks like a fraction. The number is in percent: 0.7 means 0.7 %. " +
			"If 70 % is meant, write 70.",
		"tiers.yaml:5: tiers[0].daily_change_percent looks like a fraction. The number is in percent: 0.05 means " +
			"0.05 %. If 5 % is meant, write 5.",
	} {
		assert.Contains(t, notes, want)
	}
	assert.Equal(t, 2, strings.Count(notes, "looks like a fraction"))
}
