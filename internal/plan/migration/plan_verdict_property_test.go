package migration_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

func promised(t *rapid.T) migration.PlanInput {
	draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
	in := anyPlan(t)
	in.DeadlineHours = new(1.0)
	if r, err := migration.Plan(in); err == nil {
		in.DeadlineHours = new(max(r.DurationSeconds/3600*draw("deadline", 0.3, 1.1), 0.01))
	}
	in.MaxDowntimeMinutes = new(draw("downtime", 0, 20))
	in.OnlineSyncFirst = rapid.Bool().Draw(t, "online")
	if in.WindowHours != nil && *in.WindowHours < 24 && rapid.Bool().Draw(t, "people") {
		in.MaxMovesPerWindow = new(float64(rapid.IntRange(2, 9).Draw(t, "max_moves_per_window")))
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		if v := in.VMs[name]; rapid.Bool().Draw(t, "changes") {
			v.DailyChangePercent = new(draw("daily change", 0, 200))
			in.VMs[name] = v
		}
	}
	return in
}

// queued returns a plan that allows one or two migrations at a time, although the link has capacity for more. Its
// deadline lies between the duration of this plan and the duration without the limit, so that a larger max_concurrent
// often meets the deadline.
func queued(t *rapid.T) migration.PlanInput {
	perMigration := rapid.Float64Range(300, 5000).Draw(t, "per_migration_mbps")
	in := promised(t).WithThroughput(8 * perMigration)
	in.PerMigrationMbps, in.MaxConcurrent = &perMigration, nil
	for name, v := range in.VMs {
		v.MoveGroup = "" // the group needs a slot for each of its VMs
		in.VMs[name] = v
	}
	free, err := migration.Plan(in)
	in.MaxConcurrent = new(float64(rapid.IntRange(1, 2).Draw(t, "max_concurrent")))
	limited, problem := migration.Plan(in)
	if err == nil && problem == nil {
		in.DeadlineHours = new(max(math.Sqrt(free.DurationSeconds*limited.DurationSeconds)/3600, 0.01))
	}
	return in
}

func TestPlan_remediesHold(t *testing.T) {
	t.Parallel()
	applied := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for _, in := range []migration.PlanInput{promised(t), queued(t)} {
			if r, err := migration.Plan(in); err == nil {
				applyRemedies(t, in, r, applied)
			}
		}
	})
	for _, what := range []string{"throughput", "max_concurrent", "windows_needed", "method"} {
		if !testing.Short() {
			assert.Positive(t, applied[what], what)
		}
	}
}

func applyRemedies(t *rapid.T, in migration.PlanInput, r migration.PlanResult, applied map[string]int) {
	meets := func(what string, change func(*migration.PlanInput)) {
		changed := in
		changed.VMs = maps.Clone(in.VMs)
		change(&changed)
		with, err := migration.Plan(changed)
		require.NoError(t, err, what)
		assert.NotContains(t, plan.Codes(with.Findings), "deadline_missed", "with %s: %s", what, with.Summary)
		applied[what]++
	}
	if mbps := r.ThroughputForDeadlineMbps; mbps != nil {
		meets("throughput", func(in *migration.PlanInput) { *in = in.WithThroughput(*mbps) })
	}
	if most := r.MaxConcurrentForDeadline; most != nil {
		meets("max_concurrent", func(in *migration.PlanInput) { in.MaxConcurrent = new(float64(*most)) })
	}
	if r.WindowsNeeded != nil && len(r.Unplanned) == 0 {
		meets("windows_needed", func(in *migration.PlanInput) {
			in.MaxWindows, in.DeadlineHours = new(float64(*r.WindowsNeeded)), nil
		})
	}
	if len(r.MethodsForDowntime) > 0 {
		checkMethods(t, in, r)
		applied["method"]++
	}
}

func checkMethods(t *rapid.T, in migration.PlanInput, r migration.PlanResult) {
	in.VMs = maps.Clone(in.VMs)
	for name, method := range r.MethodsForDowntime {
		v := in.VMs[name]
		if method == migration.TransportUDT {
			v.Transport = method
		} else {
			v.Method = method
		}
		in.VMs[name] = v
	}
	with, err := migration.Plan(in)
	require.NoError(t, err)
	for name, method := range r.MethodsForDowntime {
		off := with.Moves[name].DowntimeSeconds
		require.NotNil(t, off, "%v, %v", name, method)
		assert.LessOrEqual(t, *off, *in.MaxDowntimeMinutes*60+1e-6, "%v, %v", name, method)
	}
}

func TestPlan_peopleInWindows(t *testing.T) {
	t.Parallel()
	in := of(1000, 6, off(10))
	for _, name := range []string{"r1", "r2", "r3", "r4", "r5"} {
		v := replicated()
		v.DiskGiB = 10
		in.VMs[name] = v
	}
	nightly(4)(&in)
	in.MaxMovesPerWindow = new(4.0)
	count := map[int64]int{}
	r := planned(t, in)
	for _, m := range r.Moves {
		count[*m.Window]++
	}
	assert.Equal(t, map[int64]int{1: 4, 2: 4, 3: 3}, count)
	assert.InDelta(t, 2*day, *r.LowerBoundSeconds, 1e-6)
	// Four VMs per window would move 12 VMs in three windows, but two groups of three VMs need a window each.
	in = of(1000, 0, migration.VM{})
	for i := range 12 {
		v := off(10)
		v.MoveGroup = strconv.Itoa(i / 3)
		in.VMs[strconv.Itoa(i)] = v
	}
	nightly(4)(&in)
	in.MaxMovesPerWindow = new(4.0)
	r = planned(t, in)
	assert.EqualValues(t, 4, *r.WindowsNeeded)
	assert.Equal(t, migration.LimitedByPeople, r.LimitedBy)
}

// TestPlan_busyGuestsWait checks a guest whose mean dirty rate is 800 Mbit/s, and whose dirty rate from 8:00 to 18:00
// is four times as high as at night. The nighttime rate is 24 / (10 * 4 + 14) = 0.444 times the mean, or 356 Mbit/s;
// the daytime rate is 1,422 Mbit/s. The plan begins at 17:00 on a 1 Gbit/s link. The guest waits until 18:00 and then
// gets the whole link, although half of it, 500 Mbit/s, would be sufficient.
func TestPlan_busyGuestsWait(t *testing.T) {
	t.Parallel()
	in := of(1000, 0, migration.VM{})
	in.HourlyDirtyWeights = slices.Repeat([]float64{1}, 24)
	for h := 8; h < 18; h++ {
		in.HourlyDirtyWeights[h] = 4
	}
	in.WindowHours, in.WindowStartHour = new(6.0), new(17.0)
	in.VMs["busy"] = migration.VM{MemoryGiB: 10, MemoryDirtyMbps: new(800.0)}
	in.VMs["calm"] = migration.VM{MemoryGiB: 10, MemoryDirtyMbps: new(0.0)}
	r := planned(t, in)
	near(t, "busy starts", *r.Moves["busy"].StartSeconds, 3600, 1e-6)
	near(t, "calm starts", *r.Moves["calm"].StartSeconds, 0, 0)
	// If the guest is equally busy in all hours of a window, it starts immediately, because no hour is better.
	in.WindowStartHour, in.WindowHours = new(9.0), new(2.0)
	near(t, "busy all day", *planned(t, in).Moves["busy"].StartSeconds, 0, 100)
	// Alongside a long migration, the guest would get 500 of the 1,000 Mbit/s, less than its dirty rate of 600 Mbit/s.
	// It waits until the other migration ends.
	in.HourlyDirtyWeights = slices.Repeat([]float64{1}, 24)
	in.MaxConcurrent = new(2.0)
	in.VMs["busy"] = migration.VM{MemoryGiB: 10, MemoryDirtyMbps: new(600.0)}
	in.VMs["calm"] = migration.VM{MemoryGiB: 100, MemoryDirtyMbps: new(0.0)}
	r = planned(t, in)
	near(t, "after the other", *r.Moves["busy"].StartSeconds, 100*gibAt1000, 1e-6)
	in.HourlyDirtyWeights = nil
	near(t, "without weights", *planned(t, in).Moves["busy"].StartSeconds, 0, 0)
}

func TestPlan_profiles(t *testing.T) {
	t.Parallel()
	vm := migration.VM{MemoryGiB: 8, DiskGiB: 100, DailyChangePercent: new(1.0)}
	in := of(5000, 4, vm)
	in.Profile = migration.ProfileHCXBulk
	r := planned(t, in)
	// Sending 400 GiB through one 1,600 Mbit/s appliance takes 2,147.5 s. Each VM is limited to 1,000 Mbit/s.
	require.GreaterOrEqual(t, *r.LowerBoundSeconds, float64(400*gibAt1000/1.6))
	assert.Equal(t, migration.MethodReplication, r.Moves["vm-00"].Method)
	said := strings.Join(r.ProfileValues, "\n")
	for _, want := range []string{
		"method replication (VMware HCX", "sync_interval_minutes 120 (", "per_migration_mbps 1,000 (Broadcom KB 321604",
		"200 migrations", "1,600 Mbit/s (Broadcom KB 321604, HCX 4.7 to 4.9, checked 2026-11-23)",
	} {
		assert.Contains(t, said, want)
	}
	in = of(200, 4, vm)
	in.Profile = migration.ProfileHCXVMotion
	r = planned(t, in)
	require.Equal(t, migration.VerdictNoPromise, r.Verdict)
	assert.Len(t, r.Waves, 4)
	in.ThroughputMbps = new(99.0)
	r = planned(t, in)
	assert.Contains(t, plan.Codes(r.Findings), "below_100_mbps_per_migration")
}

// TestWindows_openByHour checks 3.5-hour windows that open on SAT and SUN at 22:00. Each covers the hours 22, 23 and 0,
// and half of hour 1.
func TestWindows_openByHour(t *testing.T) {
	t.Parallel()
	w := migration.Windows{Hours: 3.5, StartHour: new(22.0), Weekdays: []string{"SAT", "SUN"}}
	want := make([]float64, 24)
	want[22], want[23], want[0], want[1] = 1, 1, 1, 0.5
	assert.Equal(t, want, w.OpenByHour())
}

func TestWindows_dates(t *testing.T) {
	t.Parallel()
	w := migration.Windows{
		Hours:     24,
		StartHour: new(0.0),
		Weekdays:  []string{"SAT", "SUN"},
		FirstDay:  "2026-12-05",
	}
	assert.Equal(t, "SAT 2026-12-12 00:00", w.OpeningText(2))
	in := weekend("SAT", "SUN")
	// 42 hours from Saturday fit in one window of 48 hours.
	in.FirstDay, in.VMs["a"] = "2026-12-05", at1000(42*hour)
	assert.Contains(t, planned(t, in).Summary, "The plan takes 1 window of 48 hours.")
}
