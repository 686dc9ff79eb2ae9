package replication_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// documented returns the example from the data source documentation: three tiers on a link that is slower during office
// hours.
func documented() replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	office := make([]float64, 24)
	in.HourlyThroughputMbps = make([]float64, 24)
	for h := range office {
		office[h], in.HourlyThroughputMbps[h] = 1, 800
		if h >= 8 && h < 18 {
			office[h], in.HourlyThroughputMbps[h] = 5, 200
		}
	}
	in.Groups = map[string]replication.Group{
		"gold": {
			VMCount: 20, VMSizeGiB: 100, DailyChangePercent: 5, RPOMinutes: 15, HourlyWeights: office, CompressionRatio: 1,
		},
		"silver": {
			VMCount: 40, VMSizeGiB: 80, DailyChangePercent: 3, RPOMinutes: 60, HourlyWeights: office, CompressionRatio: 1,
		},
		"bronze": {VMCount: 90, VMSizeGiB: 60, DailyChangePercent: 2, RPOMinutes: 240, CompressionRatio: 1},
	}
	return in
}

func alike(vms, change, rpo, mbps float64) replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.JitterPercent = &mbps, 0
	in.Groups = map[string]replication.Group{
		"a": {VMCount: vms, VMSizeGiB: 100, DailyChangePercent: change, RPOMinutes: rpo, CompressionRatio: 1},
	}
	return in
}

func with(in replication.ScheduleInput, change func(*replication.Group)) replication.ScheduleInput {
	g := in.Groups["a"]
	change(&g)
	in.Groups = map[string]replication.Group{"a": g}
	return in
}

// TestSchedule_documentedThroughput checks that the returned throughput is sufficient when used as an input, whether
// the given throughput was lower or higher. The mean change is 100 + 96 + 108 = 304 GiB a day, or 30.2241 Mbit/s. The
// result is 30.2241 * 1.01^k, rounded up to four digits.
func TestSchedule_documentedThroughput(t *testing.T) {
	t.Parallel()
	change := 304 * 8.589934592e9 / 86400 / 1e6
	for _, scale := range []float64{0.25, 4} {
		given := documented()
		for h := range given.HourlyThroughputMbps {
			given.HourlyThroughputMbps[h] *= scale
		}
		at := func(mean float64) replication.ScheduleInput {
			in := given
			in.HourlyThroughputMbps = slices.Clone(given.HourlyThroughputMbps)
			for h := range in.HourlyThroughputMbps {
				in.HourlyThroughputMbps[h] *= mean / (scale * 550) // 550 = (10 * 200 + 14 * 800) / 24
			}
			return in
		}
		mbps := *schedule(t, given).ThroughputForTargetMbps
		exact := change * math.Pow(1.01, math.Floor(math.Log(mbps/change)/math.Log(1.01)))
		assert.True(t, mbps >= exact && mbps-exact <= 0.1 && math.Abs(mbps*10-math.Round(mbps*10)) <= 1e-9,
			"%v Mbit/s, want %v rounded up to four digits", mbps, exact)
		assert.Equal(t, replication.VerdictMeets, simulate(t, at(mbps)).Verdict, mbps)
	}
}

// TestSchedule_besideTheEstimate checks that the schedule and the estimate differ as intended. 5% of 100 GiB a day is a
// mean rate of 0.4971 Mbit/s per VM. If the change is spread evenly, the estimate requires twice the mean rate, for
// example 39.8 Mbit/s for 40 VMs. The schedule requires only the mean rate for a single VM, but about as much as the
// estimate for 15 or 40 VMs. Without a peak factor, the estimate sends the change of a whole day in half the RPO, which
// requires 86,400 / 450 = 192 times the mean rate, for example 1,431.7 Mbit/s for 15 VMs.
func TestSchedule_besideTheEstimate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ vms, wholeDay, estimate, ratio float64 }{
		{1, 95.444, 0.99420, 0.5}, {15, 1431.7, 14.913, 1}, {40, 3817.7, 39.768, 1},
	} {
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.ThroughputMbps, in.RPOMinutes = test.vms, 100, 5, 100, 15
		e, err := replication.Estimate(in)
		require.NoError(t, err)
		nearBy(t, "whole day", *e.ThroughputViolationFreeMbps, test.wholeDay, 1e-4*test.wholeDay)
		in.PeakFactor = new(1.0)
		e, err = replication.Estimate(in)
		require.NoError(t, err)
		nearBy(t, "estimate", *e.ThroughputViolationFreeMbps, test.estimate, 1e-4*test.estimate)
		r := schedule(t, alike(test.vms, 5, 15, 100))
		nearBy(t, "schedule", *r.ThroughputForTargetMbps, test.ratio*test.estimate, 0.03)
	}
}

func TestSchedule_leastDays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rpo, days float64
		deadline  *float64
		want      string
	}{
		"six hours":   {360, 1, nil, ""},
		"more":        {361, 1, nil, "days must be at least 2, which is four times the largest RPO, got 1"},
		"a day":       {1440, 3, nil, "days must be at least 4, which is four times the largest RPO, got 3"},
		"a deadline":  {15, 2, new(49.0), "days must be at least 3 to include deadline_hours, got 2"},
		"long enough": {1440, 4, new(49.0), ""},
	} {
		in := alike(1, 5, test.rpo, 100)
		in.Days, in.DeadlineHours, in.StartInSync = &test.days, test.deadline, test.deadline == nil
		r, err := replication.Simulate(in)
		var list plan.InputErrors
		if test.want != "" && (!errors.As(err, &list) || err.Error() != test.want) ||
			test.want == "" && (err != nil || r.DaysSimulated != int64(test.days) || len(r.Hours) != int(test.days)*24) {
			t.Errorf("%s: %d days, %v; want %q", name, r.DaysSimulated, err, test.want)
		}
	}
	// 20 VMs of 100 GiB with a daily change of 5% require at least 9.94 Mbit/s.
	assert.GreaterOrEqual(t, *schedule(t, alike(20, 5, 1440, 100)).ThroughputForTargetMbps, 9.94)
}

// TestSchedule_outage checks an outage computed by hand. No data changes, so syncs are instant. Each VM syncs every 15
// minutes, and the second VM does so 7.5 minutes after the first. The link is down from minute 720 to minute 780.
// During this time, the first VM is late from minute 720 on (60 minutes), and the second from minute 727.5 on (52.5
// minutes). In total, the VMs are late for 112.5 of 2,880 VM minutes, and at least one VM is late for 60 of 1,440
// minutes. Both recover as soon as the link is up again.
func TestSchedule_outage(t *testing.T) {
	t.Parallel()
	in := alike(2, 0, 15, 100)
	in.OutageMinutes, in.Days = new(60.0), new(1.0)
	r := schedule(t, in)
	nearBy(t, "compliance", r.CompliancePercent, 100*(1-112.5/2880), 1e-9)
	nearBy(t, "all within", r.AllWithinRPOPercent, 100*(1-60.0/1440), 1e-9)
	nearBy(t, "minutes", r.ViolationMinutes, 112.5, 1e-9)
	assert.Contains(t, r.Summary, "With the outage, a VM is late for up to 1h 0m 0s at a time.")
	assert.True(t, r.Violations == 2 && r.Alarms == 2 && *r.RecoveredAfterMinutes == 0 && r.InSyncAfterMinutes == nil,
		"%d violations, recovered %v", r.Violations, r.RecoveredAfterMinutes)
	assert.Nil(t, r.ThroughputForTargetMbps)
	in.OutageStartHours = 23.5
	r = schedule(t, in)
	assert.Nil(t, r.RecoveredAfterMinutes)
}

// TestSchedule_recovery checks that after a 240-minute outage, a link with a utilization of 50% takes about 0.5 * 240 /
// (1 - 0.5) = 240 minutes to catch up. 48 VMs of 100 GiB with a daily change of 10.4774% require 50 Mbit/s.
func TestSchedule_recovery(t *testing.T) {
	t.Parallel()
	in := alike(48, 50e6*86400/8.589934592e9/48, 60, 100)
	in.OutageMinutes, in.Days = new(240.0), new(1.0)
	nearBy(t, "recovered", *schedule(t, in).RecoveredAfterMinutes, 240, 30)
}

// TestSchedule_coldStart checks initial syncs. No data changes. At 901 Mbit/s, the initial syncs of 15 VMs of 100 GiB
// take 14,300.7 s, as in the estimate. If half of the data is seeded and compared at 400 Mbit/s, they take 15 * 50 *
// 2^33 / 400e6 = 16,106.1 s.
func TestSchedule_coldStart(t *testing.T) {
	t.Parallel()
	in := alike(15, 0, 60, 901)
	in.StartInSync = false
	r := schedule(t, in)
	nearBy(t, "in sync", *r.InSyncAfterMinutes*60, 14300.7, 0.05)
	codes := plan.Codes(r.Findings)
	assert.False(t, slices.Contains(codes, "seed_check_not_counted"), "reasons %v", codes)
	seeded := with(in, func(g *replication.Group) { g.SeededPercent = 50 })
	r = schedule(t, seeded)
	nearBy(t, "half of it", *r.InSyncAfterMinutes*60, 14300.7/2, 0.05)
	if codes := plan.Codes(r.Findings); codes[len(codes)-1] != "seed_check_not_counted" {
		t.Errorf("reasons %v", codes)
	}
	seeded.ChecksumMbps = new(400.0)
	r = schedule(t, seeded)
	nearBy(t, "compared", *r.InSyncAfterMinutes*60, 15*50*8.589934592e9/400e6, 0.05)
	nearBy(t, "sent", r.TransferredGiB, 750, 1e-6)
}

// TestSchedule_coldStartNeverEnds checks an initial sync of 10,000 GiB that is not complete after a day at 100 Mbit/s,
// because only 100e6 * 86,400 / 2^33 = 1,005.83 GiB is sent.
func TestSchedule_coldStartNeverEnds(t *testing.T) {
	t.Parallel()
	in := with(alike(1, 5, 60, 100), func(g *replication.Group) { g.VMSizeGiB = 1e4 })
	in.StartInSync, in.Days = false, new(1.0)
	r := schedule(t, in)
	nearBy(t, "sent", r.TransferredGiB, 1005.828, 1e-3)
	nearBy(t, "link use", r.LinkUsePercent, 100, 1e-9)
	assert.True(t, r.P95SyncSeconds == nil && r.InSyncAfterMinutes == nil && r.CompliancePercent == 0 &&
		r.AllWithinRPOPercent == 0 && r.Violations == 1 && r.Verdict == replication.VerdictMisses, "%+v", r.Totals)
}

// TestSchedule_initialSyncsByRPO checks that, if only one sync can run at a time, initial syncs run in order of their
// RPOs. Sending 100 GiB at 1,000 Mbit/s takes 14.3166 minutes. Gold has the shorter RPO and runs first, although its
// name sorts last. Bronze is in sync 14.3166 minutes later.
func TestSchedule_initialSyncsByRPO(t *testing.T) {
	t.Parallel()
	in := alike(1, 0, 0, 1000)
	in.MaxConcurrentSyncs, in.StartInSync = new(1.0), false
	g := in.Groups["a"]
	in.Groups = map[string]replication.Group{}
	for name, rpo := range map[string]float64{"bronze": 240, "gold": 15} {
		g.RPOMinutes = rpo
		in.Groups[name] = g
	}
	r := schedule(t, in)
	nearBy(t, "gold is late", r.Groups["gold"].ViolationMinutes, 14.31656, 1e-4)
	nearBy(t, "bronze is late", r.Groups["bronze"].ViolationMinutes, 2*14.31656, 1e-4)
	nearBy(t, "in sync", *r.InSyncAfterMinutes, 2*14.31656, 1e-4)
}

func TestSchedule_perSync(t *testing.T) {
	t.Parallel()
	slow := schedule(t, alike(1, 200, 60, 30))
	in := alike(1, 200, 60, 1000)
	in.PerSyncMbps = new(30.0)
	limited := schedule(t, in)
	nearBy(t, "oldest point", limited.WorstRecoveryPointMinutes, slow.WorstRecoveryPointMinutes, 1e-6)
	nearBy(t, "sync", *limited.P95SyncSeconds, *slow.P95SyncSeconds, 1e-6)

	half := alike(40, 5, 15, 200)
	half.EfficiencyPercent = 50
	r, whole := schedule(t, half), schedule(t, alike(40, 5, 15, 100))
	require.Equal(t, whole.CompliancePercent, r.CompliancePercent)
	assert.Equal(t, whole.LinkUsePercent, r.LinkUsePercent)
	// Both throughputs are rounded up to four digits.
	nearBy(t, "throughput", *r.ThroughputForTargetMbps, 2**whole.ThroughputForTargetMbps, 1e-3)
}

// TestSchedule_steadyStateWithCurve checks the steady state of a single VM. Syncs start every s seconds, where s + 1.2
// (overhead + U(s) / R) = RPO. The curve has a single point: 10 GiB in 60 minutes. With R = 100 Mbit/s, U(s) / R = s *
// 10 * 2^33 / 3600 / 1e8 = 0.238609 * s. With an overhead of 60 s, s (1 + 1.2 * 0.238609) = 3600 - 72, so s = 2,742.66
// s. Each sync takes 60 + 654.43 = 714.43 s, and a recovery point is up to 3,457.09 s old.
func TestSchedule_steadyStateWithCurve(t *testing.T) {
	t.Parallel()
	in := with(alike(1, 0, 60, 100), func(g *replication.Group) {
		g.ChangeCurve = map[float64]float64{60: 10}
		g.OverheadSeconds = 60
	})
	r := schedule(t, in)
	nearBy(t, "sync", *r.P95SyncSeconds, 714.43, 0.01)
	nearBy(t, "oldest point", r.WorstRecoveryPointMinutes*60, 3457.09, 0.01)
	assert.Contains(t, plan.Codes(r.Findings), "change_curve_extrapolated")
}

// TestSchedule_curve compares a daily change that is spread evenly with a change curve, for 20 VMs with an RPO of 15
// minutes at 100 Mbit/s. If 7 GiB a day is spread evenly, the target is met. If 1.6 GiB changes on each VM in 15
// minutes, as given by the curve, the target is missed. To meet it, at least 20 * 1.6 GiB must be sent in 15 minutes,
// which requires 305.4 Mbit/s.
func TestSchedule_curve(t *testing.T) {
	t.Parallel()
	in := alike(20, 7, 15, 100)
	in.JitterPercent = 10
	assert.Equal(t, replication.VerdictMeets, schedule(t, in).Verdict)
	r := schedule(t, with(in, func(g *replication.Group) {
		g.DailyChangePercent, g.ChangeCurve = 0, map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	}))
	require.Equal(t, replication.VerdictMisses, r.Verdict)
	assert.GreaterOrEqual(t, *r.ThroughputForTargetMbps, 305.4)
}

// TestSchedule_runs checks that a single run with evenly spaced starts is too optimistic. 40 VMs with an RPO of 4 hours
// and a link utilization of 40% never miss the RPO in such a run. With random starts, there are violations in at least
// 19 of 20 runs, and the worst VM of the worst run determines the verdict.
func TestSchedule_runs(t *testing.T) {
	t.Parallel()
	in := alike(40, 5, 240, 40*5*8.589934592e9/86400/1e6/0.4)
	r := schedule(t, in)
	assert.True(t, r.MeanCompliancePercent == 100 && r.P5CompliancePercent == 100 && r.P95CompliancePercent == 100 &&
		r.WithinRPOPercent == 100 && r.Verdict == replication.VerdictAtRisk, "evenly: %+v", r.Totals)
	in.Runs, in.JitterPercent = new(20.0), 100
	r, again := schedule(t, in), schedule(t, in)
	require.True(t, r.P5CompliancePercent < r.MeanCompliancePercent && r.MeanCompliancePercent < r.P95CompliancePercent &&
		r.P95CompliancePercent < 100, "%s, %+v", r.Verdict, r.Totals)
	assert.Less(t, r.WithinRPOPercent, r.P5CompliancePercent)
	assert.Equal(t, again, r)
	g := r.Groups["a"]
	assert.Equal(t, r.P5CompliancePercent, g.P5CompliancePercent,
		"the only group has %v %%, all %v %%", g.P5CompliancePercent, r.P5CompliancePercent)
	in.TargetCompliancePercent = new(99.99)
	r = schedule(t, in)
	assert.Equal(t, replication.VerdictMisses, r.Verdict,
		"99.99 %% promised: %s at %v %%", r.Verdict, r.P5CompliancePercent)
}

// TestSchedule_runsAreAsLong checks that all runs last 31 days, like the first one. The initial syncs send 1,000 GiB at
// 200 GiB a day while 1 GiB a day changes, so they take 5 / (1 - 1 / 200) = 5.025 days. Until then, all VMs are late,
// so the compliance in each run is 100% * (1 - 5.025 / 31) = 83.79%. In a run of 8 days, it would be 37.19%.
func TestSchedule_runsAreAsLong(t *testing.T) {
	t.Parallel()
	in := alike(10, 0.1, 240, 200*8.589934592e9/86400/1e6)
	in.StartInSync, in.Runs, in.JitterPercent = false, new(3.0), 1
	r := simulate(t, in)
	assert.EqualValues(t, 31, r.DaysSimulated)
	for _, got := range []float64{r.P5CompliancePercent, r.MeanCompliancePercent, r.P95CompliancePercent} {
		rounds(t, "compliance of a run", got, 83.79, 2)
	}
}
