package estate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/estate/onlink"
)

// vms are eight VMs of 1, 2, 4 ... 128 GiB in use.
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

func review(t *testing.T, text string) (*estate.Review, error) {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(text))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{Keep: tiers.Columns()})
	require.NoError(t, err)
	return estate.NewReview("vms.csv", found, tiers)
}

// values returns the result of a data source: of the review, or of the calculators that the page of what-if asks.
func values(t *testing.T, r *estate.Review, kind, name string) map[string]any {
	t.Helper()
	i := slices.IndexFunc(r.Results, func(one estate.Result) bool { return one.Type == "vsla_"+kind && one.Name == name })
	if i >= 0 {
		return r.Results[i].Values
	}
	var found map[string]any
	notes, err := r.Estate.Compute(func(c onlink.Calculation) (map[string]any, error) {
		results, err := c.Calculator.Evaluate(c.Inputs)
		if c.Calculator.DataSource() == "vsla_"+kind && c.Name == name {
			found = maps.Clone(c.Inputs)
			maps.Copy(found, results)
		}
		return results, err
	})
	if err != nil || found == nil {
		t.Fatalf("got no %s %s: %v, %q", kind, name, err, notes)
	}
	return found
}

// TestNewReview_tiers: a VM is in the first tier whose conditions all hold.
func TestNewReview_tiers(t *testing.T) {
	t.Parallel()
	r, err := review(t, `
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
	// db-2; db-1; web-1; web-2; the file-1 in D1; the file-1 in D0: in GiB.
	want := map[string]float64{"column": 2, "name": 1, "folder": 4, "below": 8, "datacenter": 32, "cluster": 16}
	for name, gib := range want {
		if v := values(t, r, "replication_estimate", name); v["vm_count"] != 1.0 || v["vm_size_gib"] != gib {
			t.Errorf("%s: %v VMs of %v GiB, want 1 of %v", name, v["vm_count"], v["vm_size_gib"], gib)
		}
	}
	notes := []string{
		"1 VM was left out by exclude.", "1 VM is in no tier, so that nothing below counts them: rest.",
		"1 VM is off in the tier below and counted, though vSphere Replication sends nothing of a VM that is off.",
		`The tier nobody matches no VM. Its name "nothing" fits no VM; the file has "db-1", "db-2", "file-1", "rest", ` +
			`"vCLS-1", "web-1", "web-2".`,
	}
	if !slices.Equal(r.Notes, notes) {
		t.Errorf("notes %q, want %q", r.Notes, notes)
	}
	groups, _ := values(t, r, "replication_schedule", "all tiers")["groups"].(map[string]any)
	if len(groups) != len(want) {
		t.Errorf("%d groups, want %d", len(groups), len(want))
	}
	tiers, _ := values(t, r, "sla_plan", "estate")["tiers"].(map[string]any)
	if len(tiers) != len(want)+1 || len(r.Results) != 2 {
		t.Errorf("got %d tiers in %d results, want %d in the inventory and the plan", len(tiers), len(r.Results), len(want)+1)
	}
}

// TestNewReview_inputs: what a tier sets replaces the defaults, and each calculator gets the inputs that it has. By
// hand: 1,000 Mbit/s of which 70 % is usable are 700 Mbit/s, and 255 GiB take 255 * 1.073741824 GB * 8 / 0.7 Gbit/s.
func TestNewReview_inputs(t *testing.T) {
	t.Parallel()
	r, err := review(t, `
throughput_mbps: 1000
efficiency_percent: 70
defaults: {rpo_minutes: 60, daily_change_percent: 5, growth_percent_per_year: 20}
schedule: {days: 2}
tiers:
  - name: all
    match: {}
    rpo_minutes: 240
    change_curve: {15: 0.5, 1440: 2}
    point_in_time: {instances_per_day: 3, days: 2}
    target_free_gib: 10
`)
	require.NoError(t, err)
	estimate := values(t, r, "replication_estimate", "all")
	if estimate["rpo_minutes"] != 240.0 || estimate["daily_change_percent"] != nil ||
		estimate["growth_percent_per_year"] != 20.0 {
		t.Errorf("%v", estimate)
	}
	const seconds = 255 * 1.073741824 * 8 / 0.7
	if got, _ := estimate["initial_sync_seconds"].(float64); got < seconds*0.999999 || got > seconds*1.000001 {
		t.Errorf("initial sync of %v s, want %v", got, seconds)
	}
	if fits := values(t, r, "replica_storage", "all")["fits"]; fits != false {
		t.Errorf("fits: %v", fits)
	}
	schedule := values(t, r, "replication_schedule", "all tiers")
	if schedule["days"] != 2.0 {
		t.Errorf("%v days", schedule["days"])
	}
	if efficiency := schedule["efficiency_percent"]; schedule["throughput_mbps"] != 700.0 && efficiency != 70.0 {
		t.Errorf("the schedule has %v Mbit/s of which %v %% is usable", schedule["throughput_mbps"], efficiency)
	}
}

// TestNewReview_link computes the throughput from the link: 10 % of 1,000 Mbit/s.
func TestNewReview_link(t *testing.T) {
	t.Parallel()
	r, err := review(t,
		strings.Replace(gold, "throughput_mbps: 1000", "link: {bandwidth_mbps: 1000, share_percent: 10}", 1))
	require.NoError(t, err)
	if v := values(t, r, "link_throughput", "link")["throughput_mbps"]; v != 100.0 {
		t.Errorf("%v Mbit/s", v)
	}
	if v := values(t, r, "replication_estimate", "gold")["throughput_mbps"]; v != 100.0 {
		t.Errorf("%v Mbit/s in the estimate", v)
	}
}

// TestNewReview_migration moves the VMs of one tier: cold if powered off, and two VMs have the same name.
func TestNewReview_migration(t *testing.T) {
	t.Parallel()
	r, err := review(t, gold+"migration: {tiers: [gold], window_hours: 8}\n")
	require.NoError(t, err)
	plan := values(t, r, "migration_plan", "all moves")
	moves, _ := plan["virtual_machines"].(map[string]any)
	for name, want := range map[string]string{
		"web-2": "map[disk_gib:8 host:h1 memory_gib:8 method:cold]", "file-1 (vm-6)": "map[disk_gib:32 host:h2 memory_gib:8 method:vmotion]",
	} {
		vm, _ := moves[name].(map[string]any)
		got := map[string]any{}
		for key := range vm {
			if slices.Contains([]string{"memory_gib", "disk_gib", "host", "method"}, key) {
				got[key] = vm[key]
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	if len(moves) != 8 || plan["throughput_mbps"] != 1000.0 {
		t.Errorf("%d VMs at %v Mbit/s", len(moves), plan["throughput_mbps"])
	}
	r, err = review(t, gold+"migration: {with_storage: false, throughput_mbps: 500}\n")
	require.NoError(t, err)
	plan = values(t, r, "migration_plan", "all moves")
	vm, _ := plan["virtual_machines"].(map[string]any)["rest"].(map[string]any)
	if disk := vm["disk_gib"]; disk != nil && disk != 0.0 || plan["throughput_mbps"] != 500.0 {
		t.Errorf("%v at %v Mbit/s", vm, plan["throughput_mbps"])
	}
}

// TestNewReview_problems: a calculator's error is told at the place in the file that it is about.
func TestNewReview_problems(t *testing.T) {
	t.Parallel()
	in := func(old, replacement string) string { return strings.Replace(gold, old, replacement, 1) }
	for name, run := range map[string]struct{ text, says string }{
		"range":      {in("rpo_minutes: 15", "rpo_minutes: 0"), "tiers.yaml:5: tiers[0].rpo_minutes must be between 1 and 1,440 minutes"},
		"type":       {in("rpo_minutes: 15", "rpo_minutes: fast"), "tiers.yaml:5: tiers[0].rpo_minutes must be a number"},
		"missing":    {in("    rpo_minutes: 15\n", ""), "tiers.yaml:3: tiers[0].rpo_minutes"},
		"default":    {gold + "defaults: {compression_ratio: 0}\n", "tiers.yaml:7: defaults.compression_ratio must be between"},
		"throughput": {in("1000", "0"), "tiers.yaml:1: throughput_mbps must be"},
		"infinity":   {in("1000", ".inf"), "tiers.yaml:1: throughput_mbps must be"},
		"efficiency": {gold + "efficiency_percent: 101\n", "tiers.yaml:7: efficiency_percent must be"},
		"curve": {
			in("daily_change_percent: 5", "change_curve: {15: -1}"), "tiers.yaml:6: tiers[0].change_curve",
		},
		"group":     {in("daily_change_percent: 5", "daily_change_percent: 5\n    hourly_weights: [1]"), "tiers.yaml:7: tiers[0].hourly_weights"},
		"schedule":  {gold + "schedule:\n  days: 99\n", "tiers.yaml:8: schedule.days must be"},
		"link":      {in("throughput_mbps: 1000", "link: {bandwidth_mbps: 0}"), "tiers.yaml:1: link.bandwidth_mbps must be"},
		"migration": {gold + "migration:\n  window_hours: 0\n", "tiers.yaml:8: migration.window_hours must be"},
		"nobody":    {in("match: {}", "match: {name: nothing}"), "tiers.yaml:2: tiers must match at least one of the 8 VMs of vms.csv"},
		"size":      {gold + "size: guest_used_gib\n", "tiers.yaml:7: size must be one that the file has"},
		"nobody moves": {
			gold + "  - {name: none, match: {name: nothing}, rpo_minutes: 5, daily_change_percent: 1}\n" +
				"migration: {tiers: [none]}\n",
			"tiers.yaml:8: migration must have tiers with VMs",
		},
	} {
		if _, err := review(t, run.text); err == nil || !strings.Contains(err.Error(), run.says) {
			t.Errorf("%s: got %v, want %q", name, err, run.says)
		}
	}
}

// TestWriteTiers: the file that --init writes is read and reviewed as it is, also for names that are markup to YAML.
func TestWriteTiers(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"C0", "", "a: b\n- c", `"quoted" # & *`} {
		found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{})
		require.NoError(t, err)
		for i := range found.VMs {
			found.VMs[i].Cluster = fmt.Sprint(cluster, i)
		}
		var text strings.Builder
		require.NoError(t, estate.WriteTiers(&text, "a \"b\".csv", "t.yaml", found))
		r, err := review(t, text.String())
		if err != nil {
			t.Fatalf("%q: %v\n%s", cluster, err, text.String())
		}
		// Without vCLS-1, two names have db in them.
		if gold := values(t, r, "replication_estimate", "gold"); gold["vm_count"] != 2.0 {
			t.Errorf("%v VMs in gold", gold["vm_count"])
		}
		if bronze := values(t, r, "replication_estimate", "bronze"); bronze["vm_count"] != 5.0 {
			t.Errorf("%v VMs in bronze", bronze["vm_count"])
		}
	}
}

// TestNewReview_columns: an inventory that was read without the columns of the tiers is an error.
func TestNewReview_columns(t *testing.T) {
	t.Parallel()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(
		"throughput_mbps: 1\ntiers: [{name: a, match: {column: {Tier: x}}, rpo_minutes: 5, daily_change_percent: 1}]\n"))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{})
	require.NoError(t, err)
	const want = `without its column "Tier"`
	if _, err := estate.NewReview("vms.csv", found, tiers); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNewReview_units: values have the units that flags take.
func TestNewReview_units(t *testing.T) {
	t.Parallel()
	r, err := review(t, `
throughput_mbps: 1 Gbit/s
defaults: {rpo_minutes: 4h, daily_change_percent: 5 %, overhead_seconds: 1.5min}
tiers:
  - {name: all, match: {column: {Tier: 1GB|}}}
`)
	require.NoError(t, err)
	inputs := values(t, r, "replication_estimate", "all")
	for name, want := range map[string]float64{
		"throughput_mbps": 1000, "rpo_minutes": 240, "daily_change_percent": 5, "overhead_seconds": 90, "vm_count": 8,
	} {
		if got := inputs[name]; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestNewReview_noMemory: what a file does not have is not known, and no 0.
func TestNewReview_noMemory(t *testing.T) {
	t.Parallel()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold+"migration: {}\n"))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader("VM,In Use MiB\na,1024\nb,1024\n"), inventoryfile.Options{})
	require.NoError(t, err)
	r, err := estate.NewReview("vms.csv", found, tiers)
	require.NoError(t, err)
	inventory := values(t, r, "inventory_file", "inventory")
	memory, provisioned := inventory["total_memory_gib"], inventory["total_provisioned_gib"]
	if memory != nil || provisioned != nil {
		t.Errorf("memory %v and provisioned storage %v, want neither", memory, provisioned)
	}
	if len(r.Open) != 1 || r.Open[0].Name != "memory of 2 VMs" {
		t.Errorf("open is %v, want the memory of 2 VMs", r.Open)
	}
}
