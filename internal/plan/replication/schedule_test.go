package replication_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

func office(mbps float64) replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.JitterPercent = &mbps, 0
	in.Groups = map[string]replication.Group{
		"gold":   {VMCount: 20, VMSizeGiB: 100, DailyChangePercent: 5, RPOMinutes: 15, CompressionRatio: 1},
		"silver": {VMCount: 40, VMSizeGiB: 80, DailyChangePercent: 3, RPOMinutes: 60, CompressionRatio: 1},
	}
	return in
}

func TestSchedule_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := replication.Schedule(ctx, alike(20, 5, 15, 10))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSchedule_progress(t *testing.T) {
	t.Parallel()
	runs := int64(0)
	r, err := replication.Schedule(simulation.WithProgress(t.Context(), func(int, int) { runs++ }), alike(20, 5, 15, 10))
	require.NoError(t, err)
	assert.Equal(t, r.RunsSimulated, runs)
}

func schedule(t failer, in replication.ScheduleInput) replication.ScheduleResult {
	t.Helper()
	r, err := replication.Schedule(context.Background(), in)
	require.NoError(t, err)
	return r
}

func TestSchedule_ample(t *testing.T) {
	t.Parallel()
	in := office(1000)
	in.JitterPercent, in.Days, in.Runs = 10, new(8.0), new(5.0)
	r := schedule(t, in)
	assert.True(t, r.Verdict == replication.VerdictMeets && r.CompliancePercent == 100 && r.Violations == 0 &&
		len(r.Findings) == 0 && r.ViolationMinutes == 0, "%+v", r)
	// 20 * 100 GiB * 5% + 40 * 80 GiB * 3% = 196 GiB changes a day. All of it is sent, except for some changes at the
	// start and the end of the run.
	nearBy(t, "transferred", r.TransferredGiB, 8*196, 0.02)
	nearBy(t, "gold", r.Groups["gold"].TransferredGiB, 8*100, 0.02)
	// 196 * 2^33 bit a day is 1.949% of the 1e9 * 86,400 bit that the link can send.
	nearBy(t, "link use", r.LinkUsePercent, 1.949, 0.02)
	require.LessOrEqual(t, r.WorstRecoveryPointMinutes, 61.0)
	assert.LessOrEqual(t, r.Groups["gold"].WorstRecoveryPointMinutes, 16.0)
}

func TestSchedule_overloaded(t *testing.T) {
	t.Parallel()
	r := schedule(t, office(196*8.589934592*1000/86400/3))
	assert.True(t, r.Verdict == replication.VerdictMisses && r.Violations != 0 && r.CompliancePercent <= 90,
		"%s, %v %%, %d violations", r.Verdict, r.CompliancePercent, r.Violations)
	want := []string{"link_saturated", "not_converged", "per_sync_unlimited", "rpo_violations"}
	codes := plan.Codes(r.Findings)
	assert.True(t, slices.Equal(codes, want) && !r.Converged && r.DaysSimulated == 31,
		"reasons %v after %d days, want %v after 31", codes, r.DaysSimulated, want)
	nearBy(t, "link use", r.LinkUsePercent, 100, 0.01)
}

func TestSchedule_nightLink(t *testing.T) {
	t.Parallel()
	in := office(0)
	in.ThroughputMbps = nil
	in.HourlyThroughputMbps = make([]float64, 24)
	for h := 8; h < 24; h++ {
		in.HourlyThroughputMbps[h] = 1000
	}
	r := schedule(t, in)
	gold := r.Groups["gold"]
	assert.True(t, gold.WorstRecoveryPointMinutes >= 480 && gold.CompliancePercent <= 100-100*(7.5/24) &&
		gold.Violations >= 20, "%+v", gold)
	require.Greater(t, r.PeakHourLinkUsePercent, r.LinkUsePercent)
	assert.Equal(t, replication.VerdictMisses, r.Verdict)
}

func TestSchedule_weights(t *testing.T) {
	t.Parallel()
	in := office(300)
	g := in.Groups["gold"]
	g.HourlyWeights = make([]float64, 24)
	g.HourlyWeights[12] = 1 // the daily change of 100 GiB occurs from 12:00 to 13:00, at 238.6 Mbit/s
	in.Groups["gold"] = g
	r := schedule(t, in)
	// The link is busy in that hour, but not on average: 196 GiB a day is 6.5% of 300 Mbit/s.
	require.GreaterOrEqual(t, r.PeakHourLinkUsePercent, 70.0,
		"peak %v %%, mean %v %%", r.PeakHourLinkUsePercent, r.LinkUsePercent)
	assert.LessOrEqual(t, r.LinkUsePercent, 8.0, "peak %v %%, mean %v %%", r.PeakHourLinkUsePercent, r.LinkUsePercent)
}

func TestSchedule_concurrencyAndInitialSync(t *testing.T) {
	t.Parallel()
	in := office(1000)
	in.MaxConcurrentSyncs, in.JitterPercent = new(1.0), 10
	assert.Equal(t, replication.VerdictMeets, schedule(t, in).Verdict)
	in.MaxConcurrentSyncs, in.StartInSync = nil, false
	r := schedule(t, in)
	// Initial syncs of 5,200 GiB take 44,667 s at 1 Gbit/s, and further syncs send the changes. WithinRPOPercent excludes
	// the cold start.
	assert.True(t, r.TransferredGiB >= 5200 && r.WithinRPOPercent == 100 && r.WorstRecoveryPointMinutes >= 44667/60*0.9,
		"initial syncs: %v GiB, %s, worst %v min", r.TransferredGiB, r.Verdict, r.WorstRecoveryPointMinutes)
}

func TestSchedule_nothingChanges(t *testing.T) {
	t.Parallel()
	in := office(1)
	in.JitterPercent = 10
	for name, g := range in.Groups {
		g.DailyChangePercent = 0
		in.Groups[name] = g
	}
	r := schedule(t, in)
	// If no data changes, the lowest possible throughput is sufficient.
	assert.True(t, r.TransferredGiB == 0 && r.Verdict == replication.VerdictMeets && *r.ThroughputForTargetMbps == 1e-6,
		"%+v", r)
}

func TestSchedule_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := replication.ScheduleDefaults()
		mbps := rapid.Float64Range(1, 2000).Draw(t, "throughput")
		in.ThroughputMbps = &mbps
		in.Groups = map[string]replication.Group{"a": {
			VMCount: float64(rapid.IntRange(1, 30).Draw(t, "VMs")), VMSizeGiB: rapid.Float64Range(1, 500).Draw(t, "size"),
			DailyChangePercent: rapid.Float64Range(0, 100).Draw(t, "change"),
			RPOMinutes:         float64(rapid.IntRange(5, 1440).Draw(t, "RPO")), CompressionRatio: 1,
		}}
		r, again := schedule(t, in), schedule(t, in)
		assert.Equal(t, again, r)
		for name, v := range map[string]float64{
			"compliance": r.CompliancePercent, "link use": r.LinkUsePercent, "peak": r.PeakHourLinkUsePercent,
		} {
			assert.True(t, v >= 0 && v <= 100+1e-6, "%s is %v %%", name, v)
		}
		// As in the estimate, a single VM with even change that uses less than a third of the link never violates its RPO.
		assert.False(t, r.LinkUsePercent < 33 && in.Groups["a"].VMCount == 1 && r.Violations > 0,
			"%d violations at %v %%", r.Violations, r.LinkUsePercent)
		// The amount of data sent is at most the change during the run plus one more day's change.
		changed := in.Groups["a"].VMCount * in.Groups["a"].VMSizeGiB * in.Groups["a"].DailyChangePercent / 100
		assert.LessOrEqual(t, r.TransferredGiB, changed*float64(r.DaysSimulated+1)+1e-9)
		require.LessOrEqual(t, r.AllWithinRPOPercent, r.CompliancePercent+1e-9,
			"all within %v %%, compliance %v %%, %d violations", r.AllWithinRPOPercent, r.CompliancePercent, r.Violations)
		assert.Equal(t, r.CompliancePercent < 100, r.Violations > 0,
			"all within %v %%, compliance %v %%, %d violations", r.AllWithinRPOPercent, r.CompliancePercent, r.Violations)
	})
}

func TestSchedule_badInput(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*replication.ScheduleInput)
		at     string
	}{
		"no throughput": {func(in *replication.ScheduleInput) { in.ThroughputMbps = nil }, "throughput_mbps"},
		"both": {func(in *replication.ScheduleInput) {
			in.HourlyThroughputMbps = make([]float64, 24)
			in.HourlyThroughputMbps[8] = 100
		}, "hourly_throughput_mbps"},
		"runs": {func(in *replication.ScheduleInput) { in.Runs = new(2.0) }, "runs"},
		"too many runs": {func(in *replication.ScheduleInput) {
			in.Runs, in.JitterPercent = new(1000.0), 5
			edit(in, func(g *replication.Group) { g.VMCount = 10000 })
		}, "runs"},
		"late outage": {func(in *replication.ScheduleInput) {
			in.OutageMinutes, in.OutageStartHours, in.Days = new(5.0), 24, new(1.0)
		}, "outage_start_hours"},
		"curve": {func(in *replication.ScheduleInput) {
			edit(in, func(g *replication.Group) { g.ChangeCurve = map[float64]float64{5: 2, 10: 1} })
		}, `groups["gold"].change_curve["10"]`},
		"peak and weights": {func(in *replication.ScheduleInput) {
			edit(in, func(g *replication.Group) {
				g.PeakFactor, g.HourlyWeights = new(2.0), slices.Repeat([]float64{1}, 24)
			})
		}, `groups["gold"].peak_factor`},
		"flat peak": {func(in *replication.ScheduleInput) {
			edit(in, func(g *replication.Group) { g.PeakFactor = new(0.9) })
		}, `groups["gold"].peak_factor`},
		"deadline of VMs in sync": {func(in *replication.ScheduleInput) { in.DeadlineHours = new(1.0) }, "deadline_hours"},
		"32 days": {func(in *replication.ScheduleInput) {
			in.DeadlineHours, in.StartInSync = new(745.0), false
		}, "deadline_hours"},
		"basis":    {func(in *replication.ScheduleInput) { in.ThroughputBasis = "guess" }, "throughput_basis"},
		"horizon":  {func(in *replication.ScheduleInput) { in.HorizonMonths = 1.5 }, "horizon_months"},
		"no group": {func(in *replication.ScheduleInput) { in.Groups = nil }, "groups"},
		"too many": {func(in *replication.ScheduleInput) { edit(in, func(g *replication.Group) { g.VMCount = 2e5 }) }, "groups"},
		"too much": {func(in *replication.ScheduleInput) {
			in.Days = new(31.0)
			edit(in, func(g *replication.Group) { g.VMCount, g.RPOMinutes = 5000, 1 })
		}, "days"},
	} {
		in := office(1000)
		test.change(&in)
		_, err := replication.Schedule(t.Context(), in)
		var list plan.InputErrors
		assert.True(t, errors.As(err, &list) && len(list) == 1 && list[0].Path.String() == test.at, "%s: %v", name, err)
	}
}

func edit(in *replication.ScheduleInput, change func(*replication.Group)) {
	g := in.Groups["gold"]
	change(&g)
	in.Groups["gold"] = g
}

func ExampleSchedule() {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps = new(1000.0)
	in.Groups = map[string]replication.Group{
		"gold": {VMCount: 20, VMSizeGiB: 100, DailyChangePercent: 5, RPOMinutes: 15, CompressionRatio: 1},
	}
	r, err := replication.Schedule(context.Background(), in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict)
	// Output: meets
}

func TestSimulate_hours(t *testing.T) {
	t.Parallel()
	in := office(0)
	in.ThroughputMbps, in.Days = nil, new(2.0)
	in.HourlyThroughputMbps = make([]float64, 24)
	for h := 8; h < 24; h++ {
		in.HourlyThroughputMbps[h] = 1000
	}
	whole := schedule(t, in)
	r, err := replication.Simulate(in)
	require.NoError(t, err)
	assert.Nil(t, r.ThroughputForTargetMbps)
	assert.True(t, reflect.DeepEqual(r.Totals, whole.Totals) && r.Verdict == whole.Verdict &&
		slices.Equal(r.Hours, whole.Hours), "%+v differs from %+v", r.Totals, whole.Totals)
	require.Len(t, r.Hours, 48)
	late, sent, peak := 0.0, 0.0, 0.0
	for _, h := range r.Hours {
		late += h.ViolationMinutes
		sent += h.TransferredGiB
		peak = max(peak, h.LinkUsePercent)
	}
	nearBy(t, "minutes in violation", late, r.ViolationMinutes, 1e-9*r.ViolationMinutes)
	nearBy(t, "peak", peak, r.PeakHourLinkUsePercent, 0)
	// Data in flight at the end of the run counts as sent.
	nearBy(t, "sent in the hours", sent, r.TransferredGiB, 1e-6)
	// The link is down until 8:00. Every VM is late for the whole hour from 4:00, and no VM is late at noon.
	machines := 0.0
	for _, g := range in.Groups {
		if g.RPOMinutes <= 240 {
			machines += g.VMCount
		}
	}
	nearBy(t, "late at 4:00", r.Hours[4].ViolationMinutes, machines*60, 1e-6)
	require.Equal(t, 0.0, r.Hours[4].LinkUsePercent)
	assert.Equal(t, 0.0, r.Hours[12].ViolationMinutes)
	_, err = replication.Simulate(replication.ScheduleInput{})
	assert.Error(t, err, "nothing is simulated")
}
