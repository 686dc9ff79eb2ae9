package migration_test

import (
	"fmt"
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

func estate(n, hosts int, gib float64) migration.PlanInput {
	in := onLink(1000)
	for i := range n {
		in.VMs[fmt.Sprintf("vm-%04d", i)] = migration.VM{
			MemoryGiB:       gib,
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
	for want, in := range map[string]migration.PlanInput{
		"50 VMs are migrated one by one in 4h 46m 28s. No plan can be shorter than 4h 46m 28s. The link limits " +
			"the plan: " +
			"sending all data at the full rate takes that long.": onLink(1000),
		"50 VMs are migrated one by one in 19h 5m 50s. No plan can be shorter than 19h 5m 50s. max_concurrent " +
			"limits the " +
			"plan: more concurrent migrations can make it shorter.": func() migration.PlanInput {
			in := onLink(1000)
			in.MaxConcurrent, in.PerMigrationMbps = new(1.0), new(250.0)
			return in
		}(),
	} {
		for i := range 50 {
			in.VMs[fmt.Sprintf("vm-%02d", i)] = at1000(343.75)
		}
		r := planned(t, in)
		assert.Equal(t, want, r.Summary)
		require.Len(t, r.Findings, 1)
		assert.True(t, strings.HasSuffix(want, " "+r.Findings[0].Sentence), want)
	}
}

func TestPlan_sharedLink(t *testing.T) {
	t.Parallel()
	in := estate(10, 4, 10)
	in.MaxConcurrent = new(4.0)
	r := planned(t, in)
	assert.InDelta(t, 100*gibAt1000, r.DurationSeconds, 1e-6)
	assert.InDelta(t, 100*gibAt1000, *r.LowerBoundSeconds, 1e-6)
	assert.Equal(t, migration.LimitedByLink, r.LimitedBy)
	assert.Nil(t, r.WindowsNeeded)
	// There are three waves of four, four and two VMs. Each wave lasts until all its VMs have arrived.
	require.Len(t, r.Waves, 3)
	assert.Len(t, r.Waves[0].VMs, 4)
	assert.Len(t, r.Waves[2].VMs, 2)
	assert.InDelta(t, 40*gibAt1000, r.Waves[1].StartSeconds, 1e-6)
	assert.InDelta(t, 20*gibAt1000, r.Waves[2].DurationSeconds, 1e-6)
	assert.EqualValues(t, 3, r.Waves[2].Number)
}

func TestPlan_costs(t *testing.T) {
	t.Parallel()
	fast := func(change func(*migration.VM)) migration.PlanInput {
		in := estate(16, 1, 10)
		*in.ThroughputMbps, in.MaxConcurrent = 10000, new(16.0) // fast enough for eight slots per network adapter
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
	in := fast(func(*migration.VM) {})
	in.MaxConcurrent = new(3.0)
	assert.Len(t, planned(t, in).Waves[0].VMs, 3)
	in.MaxConcurrent, in.HostSlots = new(16.0), new(7.0)
	assert.Len(t, planned(t, in).Waves[0].VMs, 7)
}

// TestPlan_perMigration checks that migrations limited to 1 Gbit/s on a 10 Gbit/s link take four times as long if a
// host has slots for two migrations instead of eight.
func TestPlan_perMigration(t *testing.T) {
	t.Parallel()
	in := estate(8, 1, 10)
	*in.ThroughputMbps, in.PerMigrationMbps = 10000, new(1000.0)
	assert.InDelta(t, float64(10*gibAt1000), planned(t, in).DurationSeconds, 1e-6)
	for name, m := range in.VMs {
		m.MemoryGiB, m.DiskGiB = 5, 5
		in.VMs[name] = m
	}
	r := planned(t, in)
	assert.InDelta(t, 40*gibAt1000, r.DurationSeconds, 1e-6)
	assert.InDelta(t, 40*gibAt1000, *r.LowerBoundSeconds, 1e-6)
	assert.Equal(t, migration.LimitedByHost, r.LimitedBy)
}

func TestPlan_groups(t *testing.T) {
	t.Parallel()
	in := estate(9, 3, 10)
	shop := []string{"vm-0001", "vm-0005", "vm-0008"}
	for _, name := range shop {
		m := in.VMs[name]
		m.MoveGroup, m.MemoryGiB = "shop", 5
		in.VMs[name] = m
	}
	waves := planned(t, in).Waves
	at := slices.IndexFunc(waves, func(w migration.Wave) bool { return slices.Contains(w.VMs, shop[0]) })
	require.NotEqual(t, -1, at)
	assert.Subset(t, waves[at].VMs, shop)
}

// TestPlan_windows checks an evacuation in two windows. 8 VMs of 100 GiB take 6,872 s at 1 Gbit/s, and four of them fit
// in a window of one hour.
func TestPlan_windows(t *testing.T) {
	t.Parallel()
	in := estate(8, 4, 100)
	in.WindowHours, in.MaxConcurrent = new(1.0), new(4.0)
	r := planned(t, in)
	assert.EqualValues(t, 2, *r.WindowsNeeded)
	require.Len(t, r.Waves, 2)
	assert.InDelta(t, 3600.0, r.Waves[1].StartSeconds, 1e-6)
	assert.Contains(t, r.Summary, "2 windows of 1 hour")
	// Of three VMs that each take 45% of a window, two fit in the first window and one in the second, so the windows
	// prolong the plan.
	in = estate(3, 3, 3600*0.45/gibAt1000)
	in.WindowHours = new(1.0)
	r = planned(t, in)
	assert.EqualValues(t, 2, *r.WindowsNeeded)
	assert.Equal(t, migration.LimitedByWindow, r.LimitedBy)
	assert.InDelta(t, 3600*1.45, r.DurationSeconds, 1e-6)
}
