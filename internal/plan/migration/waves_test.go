package migration_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/migration"
)

// gibAt1000 is the time in seconds that it takes to send 1 GiB (2^33 bit) at 1 Gbit/s.
const gibAt1000 = 8.589934592

func planned(t failing, in migration.PlanInput) migration.PlanResult {
	t.Helper()
	r, err := migration.Plan(in)
	require.NoError(t, err)
	return r
}

func onLink(mbps float64) migration.PlanInput {
	in := migration.PlanDefaults()
	in.ThroughputMbps = &mbps
	in.VMs = map[string]migration.VM{}
	in.WindowReservePercent = 0
	return in
}

func estate(n, hosts int) migration.PlanInput {
	in := onLink(1000)
	for i := range n {
		in.VMs[fmt.Sprintf("vm-%04d", i)] = migration.VM{
			MemoryGiB:       10,
			MemoryDirtyMbps: new(0.0),
			Method:          migration.MethodVMotion,
			Host:            fmt.Sprintf("host-%d", i%hosts),
			Datastore:       "ds",
		}
	}
	return in
}

// TestPlan_oneByOne checks 50 VMs that move one at a time and take 343.75 s each, for a total of 17,187.5 s. Instead of
// listing 50 waves, the summary names the limiting factor: the link, or max_concurrent if each migration is limited to
// a quarter of the link.
func TestPlan_oneByOne(t *testing.T) {
	t.Parallel()
	const one = 1.0
	for want, in := range map[string]migration.PlanInput{
		"50 VMs are migrated one by one in 4h 46m 28s. No plan can be shorter than 4h 46m 28s. The link limits " +
			"the plan: " +
			"sending all data at the full rate takes that long.": onLink(1000),
		"50 VMs are migrated one by one in 19h 5m 50s. No plan can be shorter than 19h 5m 50s. max_concurrent " +
			"limits the " +
			"plan: more concurrent migrations can make it shorter.": func() migration.PlanInput {
			in := onLink(1000)
			in.MaxConcurrent, in.PerMigrationMbps = new(one), new(250.0)
			return in
		}(),
	} {
		for i := range 50 {
			in.VMs[fmt.Sprintf("vm-%02d", i)] = at1000(343.75)
		}
		r := planned(t, in)
		assert.Equal(t, want, r.Summary)
		require.Len(t, r.Findings, 1)
		assert.True(t, strings.HasSuffix(want, " "+r.Findings[0].Sentence),
			"got %q with %+v, want %q with what limits it", r.Summary, r.Findings, want)
	}
}

func TestPlan_sharedLink(t *testing.T) {
	t.Parallel()
	in, four := estate(10, 4), 4.0
	in.MaxConcurrent = &four
	r := planned(t, in)
	total := 100 * gibAt1000
	if math.Abs(r.DurationSeconds-total) > 1e-6 || math.Abs(*r.LowerBoundSeconds-total) > 1e-6 ||
		r.LimitedBy != migration.LimitedByLink ||
		r.WindowsNeeded != nil {
		t.Errorf("%+v", r)
	}
	// There are three waves of four, four and two VMs. Each wave lasts until all its VMs have arrived.
	if len(r.Waves) != 3 || len(r.Waves[0].VMs) != 4 || len(r.Waves[2].VMs) != 2 ||
		math.Abs(r.Waves[1].StartSeconds-40*gibAt1000) > 1e-6 ||
		math.Abs(r.Waves[2].DurationSeconds-20*gibAt1000) > 1e-6 || r.Waves[2].Number != 3 {
		t.Errorf("%+v", r.Waves)
	}
}

func TestPlan_costs(t *testing.T) {
	t.Parallel()
	fast := func(change func(*migration.VM)) migration.PlanInput {
		in := estate(16, 1)
		sixteen := 16.0
		*in.ThroughputMbps, in.MaxConcurrent = 10000, &sixteen // fast enough for eight slots per network adapter
		for name, m := range in.VMs {
			change(&m)
			in.VMs[name] = m
		}
		return in
	}
	for name, test := range map[string]struct {
		change func(*migration.VM)
		first  int
	}{
		"vMotion":               {func(*migration.VM) {}, 8},
		"with storage":          {func(m *migration.VM) { m.DiskGiB = 10 }, 2},
		"with storage, no host": {func(m *migration.VM) { m.DiskGiB, m.Host = 10, "" }, 8}, // all 128 slots
		"with storage, no datastore": {func(m *migration.VM) {
			m.DiskGiB = 10
			m.Host = ""
			m.Datastore = ""
		}, 8},
		"storage only, no host": {
			func(m *migration.VM) {
				m.DiskGiB = 10
				m.MemoryGiB = 0
				m.Host = ""
				m.Datastore = ""
			},
			16,
		},
		"to one host": {
			func(m *migration.VM) { m.Host, m.TargetHost = m.Host+"-"+strconv.Itoa(int(m.DiskGiB)), "target" },
			8,
		},
		"to one host with storage": {func(m *migration.VM) {
			m.DiskGiB = 10
			m.Host = ""
			m.TargetHost = "target"
		}, 2},
		"to one datastore": {func(m *migration.VM) {
			m.DiskGiB = 10
			m.MemoryGiB = 0
			m.Host = ""
			m.Datastore = ""
			m.TargetDatastore = "target"
		}, 8},
		"cold": {
			func(m *migration.VM) {
				m.Method = migration.MethodCold
				m.DiskGiB = 10
				m.TargetDatastore = "target"
			},
			8,
		},
		"replication": {func(m *migration.VM) { m.Method, m.DiskGiB = migration.MethodReplication, 10 }, 16},
	} {
		assert.Len(t, planned(t, fast(test.change)).Waves[0].VMs, test.first, name)
	}
	three, seven := 3.0, 7.0
	in := fast(func(*migration.VM) {})
	in.MaxConcurrent = &three
	assert.Len(t, planned(t, in).Waves[0].VMs, 3)
	sixteen := 16.0
	in.MaxConcurrent, in.HostSlots = &sixteen, &seven
	assert.Len(t, planned(t, in).Waves[0].VMs, 7)
}

// TestPlan_perMigration checks that migrations limited to 1 Gbit/s on a 10 Gbit/s link take four times as long if a
// host has slots for two migrations instead of eight.
func TestPlan_perMigration(t *testing.T) {
	t.Parallel()
	in := estate(8, 1)
	one := 1000.0
	*in.ThroughputMbps, in.PerMigrationMbps = 10000, &one
	assert.InDelta(t, float64(10*gibAt1000), planned(t, in).DurationSeconds, 1e-6)
	for name, m := range in.VMs {
		m.MemoryGiB, m.DiskGiB = 5, 5
		in.VMs[name] = m
	}
	r := planned(t, in)
	if math.Abs(r.DurationSeconds-40*gibAt1000) > 1e-6 || math.Abs(*r.LowerBoundSeconds-40*gibAt1000) > 1e-6 ||
		r.LimitedBy != migration.LimitedByHost {
		t.Errorf("two at a time: %+v", r)
	}
}

func TestPlan_groups(t *testing.T) {
	t.Parallel()
	in := estate(9, 3)
	for _, name := range []string{"vm-0001", "vm-0005", "vm-0008"} {
		m := in.VMs[name]
		m.MoveGroup, m.MemoryGiB = "shop", 5
		in.VMs[name] = m
	}
	r := planned(t, in)
	together := 0
	for _, w := range r.Waves {
		if slices.Contains(w.VMs, "vm-0001") && slices.Contains(w.VMs, "vm-0005") &&
			slices.Contains(w.VMs, "vm-0008") {
			together++
		}
	}
	assert.Equal(t, 1, together, "the group is torn: %+v", r.Waves)
}

// TestPlan_windows checks an evacuation in two windows. 8 VMs of 100 GiB take 6,872 s at 1 Gbit/s, and four of them fit
// in a window of one hour.
func TestPlan_windows(t *testing.T) {
	t.Parallel()
	in := estate(8, 4)
	for name, m := range in.VMs {
		m.MemoryGiB = 100
		in.VMs[name] = m
	}
	hour, four := 1.0, 4.0
	in.WindowHours, in.MaxConcurrent = &hour, &four
	r := planned(t, in)
	assert.EqualValues(t, 2, *r.WindowsNeeded)
	require.Len(t, r.Waves, 2)
	assert.LessOrEqual(t, math.Abs(r.Waves[1].StartSeconds-3600), 1e-6)
	assert.Contains(t, r.Summary, "2 windows of 1 hour")
	// Of three VMs that each take 45% of a window, two fit in the first window and one in the second, so the windows
	// prolong the plan.
	in = estate(3, 3)
	for name, m := range in.VMs {
		m.MemoryGiB = 3600 * 0.45 / gibAt1000
		in.VMs[name] = m
	}
	in.WindowHours = &hour
	if r = planned(t, in); *r.WindowsNeeded != 2 || r.LimitedBy != migration.LimitedByWindow ||
		math.Abs(r.DurationSeconds-3600*1.45) > 1e-6 {
		t.Errorf("%+v", r)
	}
}
