package estate_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/simulation"
)

// TestNewReview_poweredOff checks that the maximum downtime applies only to running VMs. Copying the 1,024 GiB of the
// powered-off VM at 1,000 Mbit/s would take 8,796 s, which is more than the maximum downtime of 10 minutes. The
// replicated VM has its own daily change: 5 GiB of its 100 GiB are 5%.
func TestNewReview_poweredOff(t *testing.T) {
	t.Parallel()
	found, err := inventoryfile.Read(strings.NewReader(inventory+"old,poweredOff,1048576,\n"),
		inventoryfile.Options{KeepColumns: []string{"Change"}})
	require.NoError(t, err)
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(`size: used_gib
throughput_mbps: 1000
defaults: {rpo_minutes: 60, daily_change_percent: 10}
tiers:
  - {name: db, match: {name: ^db-1}, method: replication, change: {column: Change, unit: gib}}
  - {name: all, match: {}}
migration: {max_downtime_minutes: 10, setup_seconds: 0}
`))
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "inventory.csv", found, file)
	require.NoError(t, err)
	moves := resultValues(t, r, "migration_plan", "all moves")
	assert.NotContains(t, moves["reasons"], migration.DowntimeExceeded)
	assert.NotEqual(t, "old", moves["worst_downtime_virtual_machine"])
	replicated, _ := moves["virtual_machines"].(map[string]any)["db-1"].(map[string]any)
	assert.InDelta(t, 5, replicated["daily_change_percent"], 1e-9)
	off, _ := moves["virtual_machines"].(map[string]any)["old"].(map[string]any)
	assert.Nil(t, off["downtime_seconds"])
}

// TestNewReview_moves checks that a migration uses its share of the link's usable throughput in each hour, and that it
// uses the link's round-trip time. vSphere does not support round-trip times above 150 ms.
func TestNewReview_moves(t *testing.T) {
	t.Parallel()
	// 100 Mbit/s at 0:00, 200 Mbit/s at 1:00, and so on.
	var hours []string
	for h := range 24 {
		hours = append(hours, strconv.Itoa(100*(h+1)))
	}
	for name, test := range map[string]struct {
		link, migration string
		throughput      any
		first           any
	}{
		"efficiency": {"throughput_mbps: 1000\nefficiency_percent: 70", "{}", 700.0, nil},
		"share":      {"throughput_mbps: 1000\nefficiency_percent: 70", "{share_percent: 50}", 350.0, nil},
		"own": {
			"throughput_mbps: 1000\nefficiency_percent: 70",
			"{throughput_mbps: 400, share_percent: 50}", 200.0, nil,
		},
		"hours": {
			"throughput_mbps: 1\nefficiency_percent: 50\nschedule: {hourly_throughput_mbps: [" +
				strings.Join(hours, ", ") + "]}",
			"{window_hours: 8, window_start_hour: 0}", nil, 50.0,
		},
		"path": {"link: {bandwidth_mbps: 1000, share_percent: 10}", "{}", 100.0, nil},
	} {
		r, err := newReview(t,
			strings.Replace(gold, "throughput_mbps: 1000", test.link, 1)+"migration: "+test.migration+"\n")
		require.NoError(t, err, name)
		got := resultValues(t, r, "migration_plan", "all moves")
		list, _ := got["hourly_throughput_mbps"].([]any)
		if got["throughput_mbps"] != test.throughput || len(list) > 0 != (test.first != nil) ||
			len(list) > 0 && list[0] != test.first {
			t.Errorf("%s: got %v Mbit/s, %v, want %v, %v first", name, got["throughput_mbps"], list, test.throughput,
				test.first)
		}
	}
	r, err := newReview(t, strings.Replace(gold, "throughput_mbps: 1000",
		"link: {bandwidth_mbps: 10000, rtt_ms: 151, streams: 32}", 1)+"migration: {}\n")
	require.NoError(t, err)
	plan := resultValues(t, r, "migration_plan", "all moves")
	assert.Equal(t, 151.0, plan["rtt_ms"])
	assert.Equal(t, "unsupported", plan["verdict"])
	_, err = newReview(t, strings.Replace(gold, "throughput_mbps: 1000",
		"links: {a: {throughput_mbps: 1}, b: {throughput_mbps: 1}}\ndefaults: {link: a}", 1)+"migration: {}\n")
	const several = "migration must set link or throughput_mbps, because there are several links"
	require.Error(t, err)
	assert.Contains(t, err.Error(), several)
}

func TestNewReview_migration(t *testing.T) {
	t.Parallel()
	r, err := newReview(t, gold+"migration: {tiers: [gold], window_hours: 8}\n")
	require.NoError(t, err)
	plan := resultValues(t, r, "migration_plan", "all moves")
	moves, _ := plan["virtual_machines"].(map[string]any)
	for name, want := range map[string]string{
		"web-2":         "map[disk_gib:8 host:h1 memory_gib:8 method:cold]",
		"file-1 (vm-6)": "map[disk_gib:32 host:h2 memory_gib:8 method:vmotion]",
	} {
		vm, _ := moves[name].(map[string]any)
		got := map[string]any{}
		for key := range vm {
			if slices.Contains([]string{"memory_gib", "disk_gib", "host", "method"}, key) {
				got[key] = vm[key]
			}
		}
		assert.Equal(t, want, fmt.Sprint(got), name)
	}
	require.Len(t, moves, 7)
	assert.Equal(t, 1000.0, plan["throughput_mbps"], "%d VMs at %v Mbit/s", len(moves), plan["throughput_mbps"])
	r, err = newReview(t, gold+"migration: {with_storage: false, throughput_mbps: 500}\n")
	require.NoError(t, err)
	plan = resultValues(t, r, "migration_plan", "all moves")
	vm, _ := plan["virtual_machines"].(map[string]any)["rest"].(map[string]any)
	disk := vm["disk_gib"]
	if disk != nil {
		require.Zero(t, disk)
	}
	assert.Equal(t, 500.0, plan["throughput_mbps"], "%v at %v Mbit/s", vm, plan["throughput_mbps"])
}

func TestNewReview_noMemory(t *testing.T) {
	t.Parallel()
	tiers, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold+
		"migration: {deadline_hours: 24, max_downtime_minutes: 5, setup_seconds: 0}\n"))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader("VM,In Use MiB\na,1024\nb,1024\n"), inventoryfile.Options{})
	require.NoError(t, err)
	runs := 0
	ctx := simulation.WithProgress(t.Context(), func(int, int) { runs++ })
	r, err := estate.NewReview(ctx, "vms.csv", found, tiers)
	require.NoError(t, err)
	assert.Positive(t, runs)
	inventory := resultValues(t, r, "inventory_file", "inventory")
	memory, provisioned := inventory["total_memory_gib"], inventory["total_provisioned_gib"]
	require.Nil(t, memory)
	assert.Nil(t, provisioned)
	require.Len(t, r.OpenPoints, 2)
	assert.Equal(t, "memory of 2 VMs", r.OpenPoints[0].Name)
	assert.Equal(t, "memory changes of 2 VMs", r.OpenPoints[1].Name)
	moves := resultValues(t, r, "migration_plan", "all moves")
	assert.Equal(t, "at_risk", moves["verdict"])
	assert.Contains(t, moves["reasons"], "memory_unknown")
	assumed := func(input, at string, value float64, decides bool) map[string]any {
		return map[string]any{
			"input":       input,
			"at":          at,
			"value":       value,
			"worse_value": nil,
			"decides":     decides,
			"source":      nil,
		}
	}
	assert.Equal(t, []any{
		assumed("resume_seconds", "", 0.2, false),
		assumed("memory_dirty_mbps", "a", 0, true),
		assumed("memory_dirty_mbps", "b", 0, true),
	}, moves["assumed"])
}
