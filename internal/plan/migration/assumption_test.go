package migration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

// TestVMotion_dirtyRateUnknown checks that the guest stops for at least the round trip and 0.2 s. Without changes, no
// memory is left to send in the stop.
func TestVMotion_dirtyRateUnknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rtt, resume, stop float64
		dirty             *float64
		verdict           string
	}{
		"unknown":                 {0, 0, 0.2, nil, "at_risk"},
		"unknown, 100 ms":         {100, 0, 0.3, nil, "at_risk"},
		"unknown, short resume":   {100, 0.1, 0.3, nil, "at_risk"},
		"unknown, long resume":    {100, 0.3, 0.4, nil, "at_risk"},
		"idle":                    {100, 0, 0.1, new(0.0), "meets"},
		"idle, with its own stop": {100, 0.1, 0.2, new(0.0), "meets"},
	} {
		in := migration.VMotionDefaults()
		in.MemoryGiB = 8
		in.ThroughputMbps = 1000
		in.MemoryDirtyMbps = test.dirty
		in.RTTMs, in.ResumeSeconds = test.rtt, test.resume
		r := vmotion(t, in)
		assert.InDelta(t, test.stop, *r.SwitchoverSeconds, 1e-9, name)
		assert.Equal(t, test.verdict, r.Verdict, name)
		assert.Equal(t, test.dirty == nil, len(r.Findings) == 1 && r.Findings[0].Code == "dirty_rate_unknown", name)
	}
}

func TestConcurrencyNotMeasured(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		concurrent int
		setup      float64
		reasons    string
		verdict    string
	}{
		"4 at a time":            {4, 10, "", "meets"},
		"5 at a time":            {5, 10, "concurrency_not_measured", "at_risk"},
		"5 without a fixed cost": {5, 0, "", "meets"},
	} {
		one := migration.VMotionDefaults()
		one.MemoryGiB = 8
		one.ThroughputMbps = 10000
		one.MemoryDirtyMbps = new(0.0)
		one.ConcurrentMigrations, one.SetupSeconds = float64(test.concurrent), test.setup
		r := vmotion(t, one)
		assert.Equal(t, test.verdict, r.Verdict, name)
		assert.Equal(t, test.reasons, strings.Join(plan.Codes(r.Findings), ","), name)

		in := of(10000, 8, migration.VM{MemoryGiB: 8, MemoryDirtyMbps: new(0.0)})
		in.MaxConcurrent, in.SetupSeconds = new(float64(test.concurrent)), &test.setup
		in.NetworkSlots, in.DeadlineHours = new(8.0), new(1.0)
		all := planned(t, in)
		assert.Equal(t, test.verdict, all.Verdict, name)
		assert.Equal(t, test.reasons, reasons(all), name)
	}
}

// TestPlan_dirtyRateUnknown checks one VM of 512 GiB at 10 Gbit/s, whose stop counts as 0.2 s.
func TestPlan_dirtyRateUnknown(t *testing.T) {
	t.Parallel()
	unknown := migration.VM{MemoryGiB: 512}
	idle := migration.VM{MemoryGiB: 512, MemoryDirtyMbps: new(0.0)}
	for name, test := range map[string]struct {
		vm       migration.VM
		promised *float64
		verdict  string
	}{
		"no downtime":      {unknown, new(0.0), "misses"},
		"a minute":         {unknown, new(1.0), "at_risk"},
		"a minute, idle":   {idle, new(1.0), "meets"},
		"nothing promised": {unknown, nil, "no_promise"},
	} {
		in := of(10000, 1, test.vm)
		in.MaxDowntimeMinutes = test.promised
		r := planned(t, in)
		assert.Equal(t, test.verdict, r.Verdict, name)
		assert.Equal(t, test.vm.MemoryDirtyMbps == nil, strings.Contains(reasons(r), "dirty_rate_unknown"), name)
	}
	// A fixed cost of 30 s for each of the two VMs is less than 10% of the 4,398 s for 5,120 GiB, so it decides
	// nothing.
	in := of(10000, 1, migration.VM{MemoryGiB: 5120})
	in.MaxDowntimeMinutes = new(1.0)
	in.VMs["copied"] = migration.VM{Method: migration.MethodReplication, DiskGiB: 1}
	in.SetupSeconds = nil
	r := planned(t, in)
	assert.InDelta(t, 0.2, *r.Moves["vm-00"].DowntimeSeconds, 1e-6)
	assert.Equal(t, []plan.Assumption{
		{Input: "resume_seconds", Value: 0.2},
		{Input: "setup_seconds", WorseValue: new(30.0)},
		{Input: "daily_change_percent", At: "copied", Decides: true},
		{Input: "memory_dirty_mbps", At: "vm-00", Decides: true},
	}, r.Assumed)
	assert.Empty(t, planned(t, of(10000, 1, idle)).Assumed)
}

// TestPlan_methodsThatCanBeTyped checks a VM of 100 GiB that is down for 859 s at 1 Gbit/s, while 5 minutes are
// promised. With the method replication, it is down for less than a second, in which 1/12 GiB is sent.
func TestPlan_methodsThatCanBeTyped(t *testing.T) {
	t.Parallel()
	idle := func(v *migration.VM, _ *migration.PlanInput) { v.MemoryDirtyMbps = new(0.0) }
	for name, test := range map[string]struct {
		change  func(*migration.VM, *migration.PlanInput)
		want    map[string]string
		summary string
	}{
		"vmotion": {
			idle, map[string]string{"vm-00": "vmotion"}, "as promised with method vmotion for vm-00.",
		},
		"dirty rate unknown": {func(*migration.VM, *migration.PlanInput) {}, map[string]string{}, ""},
		"switchover": {func(v *migration.VM, in *migration.PlanInput) {
			idle(v, in)
			v.SwitchoverMinutes = 1
		}, map[string]string{}, ""},
		"profile without vmotion": {func(v *migration.VM, in *migration.PlanInput) {
			idle(v, in)
			in.Profile = migration.ProfileHCXBulk
		}, map[string]string{}, ""},
		"replication": {func(v *migration.VM, in *migration.PlanInput) {
			v.DailyChangePercent, in.Profile = new(1.0), migration.ProfileHCXBulk
		}, map[string]string{"vm-00": "replication"}, "as promised with method replication for vm-00."},
	} {
		v := off(100)
		v.MemoryGiB = 4
		in := of(1000, 0, v)
		in.MaxDowntimeMinutes = new(5.0)
		test.change(&v, &in)
		in.VMs["vm-00"] = v
		r := planned(t, in)
		require.Equal(t, "misses", r.Verdict, name)
		assert.Equal(t, test.want, r.MethodsForDowntime, name)
		assert.Contains(t, r.Summary, test.summary, name)
	}
}
