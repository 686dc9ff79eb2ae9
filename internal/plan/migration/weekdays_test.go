package migration_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

const hour, day = 3600.0, 86400.0

// weekend returns a plan for a 1 Gbit/s link with 24-hour windows from midnight on the given days, without a reserve.
func weekend(days ...string) migration.PlanInput {
	in := onLink(1000)
	in.WindowHours = new(24.0)
	in.WindowStartHour = new(0.0)
	in.WindowWeekdays = days
	in.MaxConcurrent = new(1.0)
	return in
}

// TestPlan_weekdays checks VMs that take 20 hours each: one fits in a window of 24 hours, and two fit in a window of 48
// hours.
func TestPlan_weekdays(t *testing.T) {
	t.Parallel()
	type move struct {
		start  float64
		window int64
	}
	for name, test := range map[string]struct {
		days    []string
		moves   []move
		reserve float64
	}{
		// The window is 48 hours long and is followed by a gap of 120 hours.
		"SAT, SUN": {
			[]string{"SAT", "SUN"},
			[]move{{0, 1}, {20 * hour, 1}, {7 * day, 2}, {7*day + 20*hour, 2}},
			0,
		},
		// With a reserve of 20%, 38.4 hours of the window are usable.
		"SAT, SUN, reserve": {[]string{"SAT", "SUN"}, []move{{0, 1}, {7 * day, 2}}, 20},
		// The plan begins on a SUN. The SAT six days later and the following SUN form a single window.
		"SUN, SAT": {
			[]string{"SUN", "SAT"},
			[]move{{0, 1}, {6 * day, 2}, {6*day + 20*hour, 2}, {13 * day, 3}},
			0,
		},
		// Days that are not adjacent are separate windows, regardless of their order.
		"MON, FRI, WED": {
			[]string{"MON", "FRI", "WED"},
			[]move{{0, 1}, {2 * day, 2}, {4 * day, 3}, {7 * day, 4}},
			0,
		},
		"FRI": {
			[]string{"FRI"},
			[]move{{0, 1}, {7 * day, 2}, {14 * day, 3}, {21 * day, 4}},
			0,
		},
		"each day": {migration.Weekdays, []move{
			{0, 1},
			{20 * hour, 1},
			{40 * hour, 1},
			{60 * hour, 1},
		}, 0},
	} {
		in := weekend(test.days...)
		in.WindowReservePercent = test.reserve
		for i := range test.moves {
			in.VMs[strconv.Itoa(i)] = at1000(20 * hour)
		}
		r := planned(t, in)
		for i, want := range test.moves {
			got := r.Moves[strconv.Itoa(i)]
			window := *got.Window
			require.InDelta(t, want.start, *got.StartSeconds, 1e-3, "%v, %v", name, i)
			assert.Equal(t, want.window, window, "%v, %v", name, i)
		}
		assert.Equal(t, test.moves[len(test.moves)-1].window, *r.WindowsNeeded, name)
	}
}

// TestPlan_reserve checks that, with a reserve of 10%, a VM that takes 9 hours fits in a 10-hour window, and that a VM
// that takes 9.5 hours needs a window of 9.5 / 0.9 = 10.56 hours, rounded up.
func TestPlan_reserve(t *testing.T) {
	t.Parallel()
	in := onLink(1000)
	in.WindowReservePercent = migration.PlanDefaults().WindowReservePercent
	in.WindowHours, in.WindowStartHour = new(10.0), new(20.0)
	in.VMs["a"] = at1000(9 * hour)
	assert.EqualValues(t, 1, *planned(t, in).Moves["a"].Window)
	in.VMs["a"] = at1000(9.5 * hour)
	const want = "1 VM does not fit into any window, even alone, with a reserve of 10%: a requires 10.56 hours."
	r := planned(t, in)
	require.Contains(t, r.Summary, want)
	assert.Equal(t, []string{"a"}, r.Unplanned)
	in.WindowReservePercent = 0
	assert.EqualValues(t, 1, *planned(t, in).Moves["a"].Window)
	// A move that takes more than a day needs windows on adjacent days.
	in.VMs["a"] = at1000(30 * hour)
	needed := planned(t, in).Moves["a"].NeededWindowHours
	require.NotNil(t, needed)
	assert.Equal(t, 30.0, *needed)
	// The switchover of a replicated VM must end before the reserve, but its copy can continue.
	in.WindowReservePercent = 10
	v := at1000(9.5 * hour)
	v.Method = migration.MethodReplication
	v.SwitchoverMinutes = 30
	v.DailyChangePercent = new(0.0)
	in.VMs["a"] = v
	near(t, "end of the stop", *planned(t, in).Moves["a"].EndSeconds, day+0.5*hour, 1e-6)
}

// TestPlan_changes checks the copy of a VM whose data changes. With a daily change of 5%, the copy of 1,000 GiB gets
// 100 - 4.97 = 95.03 Mbit/s and takes 2^33 * 1,000 bit / (100 * 10^6 - 2^33 * 1,000 * 0.05 / 86,400) bit/s = 90,393 s.
// The changes of two hours, 35.8 Gbit, add 358 s of downtime. A copy never ends if the VM changes at least as fast as
// the link can send.
func TestPlan_changes(t *testing.T) {
	t.Parallel()
	in := onLink(100)
	replicated := func(percent *float64) migration.VM {
		return migration.VM{Method: migration.MethodReplication, DiskGiB: 1000, DailyChangePercent: percent}
	}
	for _, test := range []struct {
		percent *float64
		want    float64
	}{
		{nil, 85899},
		{new(0.0), 85899},
		{new(5.0), 90751},
	} {
		in.VMs["a"] = replicated(test.percent)
		r := planned(t, in)
		near(t, "copy", math.Round(r.DurationSeconds), test.want, 0)
		uncounted := slices.Contains(plan.Codes(r.Findings), "change_not_counted")
		assert.Equal(t, migration.VerdictNoPromise, r.Verdict, "%+v", test)
		assert.Equal(t, test.percent == nil, uncounted, "%+v", test)
	}
	// The copy can keep up with a daily change of at most 100 * 10^6 * 86,400 / (2^33 * 1,000) = 100.58%.
	in.VMs["a"] = replicated(new(100.6))
	r := planned(t, in)
	require.Contains(t, plan.Codes(r.Findings), "does_not_converge")
	assert.Len(t, r.Unplanned, 1)
}

// TestPlan_changesWhileWaiting checks a VM of 1 GiB with a daily change of 1,000%, or 994,205 bit/s. The VM waits for
// the next day's window, because its switchover needs a whole window: 4 hours, plus 71.6 s to send the changes of two
// hours (7.158 Gbit). Its changes slow both its own copy and the cold migration that follows. Together, these take 101
// * 2^33 bit / (100 * 10^6 - 994,205) bit/s = 8,763 s, instead of 8,676 s without changes.
func TestPlan_changesWhileWaiting(t *testing.T) {
	t.Parallel()
	in := onLink(100)
	in.WindowHours = new(4.02)
	in.WindowStartHour = new(0.0)
	in.MaxConcurrent = new(1.0)
	in.VMs["copied"] = migration.VM{
		Method:             migration.MethodReplication,
		DiskGiB:            1,
		DailyChangePercent: new(1000.0),
		SwitchoverMinutes:  240,
	}
	in.VMs["cold"] = migration.VM{Method: migration.MethodCold, DiskGiB: 100}
	r := planned(t, in)
	near(t, "cold", *r.Moves["cold"].EndSeconds, 101*math.Exp2(33)/(100e6-math.Exp2(33)*10/day), 1e-3)
	near(t, "copied", *r.Moves["copied"].EndSeconds, day+4*hour+math.Exp2(33)*10/12/100e6, 1e-6)
}

func TestPlan_verdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mbps, rtt, concurrent float64
		method                string
		verdict, reasons      string
	}{
		"two at 250":    {500, 150, 2, "vmotion", "no_promise", ""},
		"two below":     {499, 0, 2, "vmotion", "unsupported", "below_250_mbps_per_migration"},
		"too far":       {500, 150.1, 2, "vmotion", "unsupported", "rtt_above_150_ms"},
		"cold, too far": {10, 500, 2, "cold", "no_promise", ""},
		"both": {
			10,
			500,
			1,
			"vmotion",
			"unsupported",
			"below_250_mbps_per_migration,rtt_above_150_ms",
		},
		"chosen":           {500, 0, 0, "vmotion", "no_promise", ""},
		"none to choose":   {249, 0, 0, "vmotion", "unsupported", "below_250_mbps_per_migration"},
		"far, none chosen": {5000, 151, 0, "vmotion", "unsupported", "rtt_above_150_ms"},
	} {
		in := onLink(test.mbps)
		in.RTTMs, in.SetupSeconds = test.rtt, new(0.0)
		if test.concurrent > 0 {
			in.MaxConcurrent = &test.concurrent
		}
		for i := range 4 {
			v := migration.VM{MemoryGiB: 10, MemoryDirtyMbps: new(0.0), Method: test.method}
			if test.method == migration.MethodCold {
				v.DiskGiB = 10
			}
			in.VMs[strconv.Itoa(i)] = v
		}
		r := planned(t, in)
		require.Equal(t, test.verdict, r.Verdict, name)
		assert.Equal(t, test.reasons, reasons(r), name)
		if test.concurrent == 0 && test.verdict == "unsupported" {
			assert.Len(t, r.Waves, 4, name)
		}
	}
}

// TestPlan_shortestSupported checks that two migrations at a time are chosen even though four at a time, with a setup
// of 60 s each, would be shorter. Four at a time would get only 200 Mbit/s each.
func TestPlan_shortestSupported(t *testing.T) {
	t.Parallel()
	in := onLink(800)
	in.SetupSeconds = new(60.0)
	for i := range 4 {
		in.VMs[strconv.Itoa(i)] = migration.VM{
			MemoryGiB:       10,
			MemoryDirtyMbps: new(0.0),
			Method:          migration.MethodVMotion,
		}
	}
	r := planned(t, in)
	require.Equal(t, migration.VerdictNoPromise, r.Verdict)
	assert.Len(t, r.Waves, 2)
}

// TestPlan_measuredConcurrency checks that at most 4 vMotions at a time are chosen if that keeps the deadline, because
// the fixed cost of more is not known. The link takes 5 * 116 * 2^33 bit / 1,300 Mbit/s = 3,832 s. With a fixed cost of
// 30 s, 5 at a time take 3,862 s, and 4 followed by 1 take 3,892 s.
func TestPlan_measuredConcurrency(t *testing.T) {
	t.Parallel()
	for deadline, test := range map[float64]struct {
		waves   int
		reasons string
	}{
		3892.5: {2, ""},
		3891.5: {1, "concurrency_not_measured"},
	} {
		in := onLink(1300)
		in.SetupSeconds, in.DeadlineHours = new(30.0), new(deadline/hour)
		for i := range 5 {
			in.VMs[strconv.Itoa(i)] = migration.VM{MemoryGiB: 16, DiskGiB: 100, MemoryDirtyMbps: new(0.0)}
		}
		r := planned(t, in)
		assert.Len(t, r.Waves, test.waves, deadline)
		assert.Equal(t, test.reasons, reasons(r), deadline)
	}
}
