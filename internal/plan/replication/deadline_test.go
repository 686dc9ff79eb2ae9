package replication_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

func group(
	t *testing.T,
	vms, sizeGiB, changePercent, mbps float64,
	change func(*replication.Input),
) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount = vms
	in.VMSizeGiB = sizeGiB
	in.DailyChangePercent = changePercent
	in.ThroughputMbps, in.RPOMinutes = mbps, 15
	change(&in)
	return estimate(t, in)
}

// TestEstimate_deadline checks batches computed by hand. At 700 Mbit/s, sending 60 VMs of 200 GiB (12,000 * 2^33 bit)
// takes 40.9045 h, and sending their daily change of 6% takes 10.2261% of a day. If all VMs start together, they are in
// sync after 40.9045 / (1 - 0.102261) = 45.5639 h. Within 12 h, floor(60 * 12 / (40.9045 + 0.102261 * 12)) = 17 VMs can
// be in sync. The first batch of 17 VMs takes 40.9045 * 17 / 60 / (1 - 0.102261 * 17 / 60) = 11.9354 h. Three batches
// of 17 VMs and one of 9 VMs take 43.7654 h in total. To meet the deadline, all VMs together require 700 * (40.9045 /
// 12 + 0.102261) = 2,457.7 Mbit/s.
func TestEstimate_deadline(t *testing.T) {
	t.Parallel()
	deadline, peak := 12.0, 2.0
	ask := func(mbps float64) replication.Result {
		return group(t, 60, 200, 6, mbps,
			func(in *replication.Input) { in.DeadlineHours, in.PeakFactor = &deadline, &peak })
	}
	r := ask(700)
	within(t, "initial sync", r.InitialSyncSeconds/3600, 40.9045, 0.0001)
	within(t, "daily use", r.DailyLinkUsePercent, 10.2261, 0.0001)
	within(t, "all at once", *r.InitialSyncCaughtUpSeconds/3600, 45.5639, 0.0001)
	within(t, "all batches", *r.BatchesHours, 43.7654, 0.0001)
	assert.EqualValues(t, 17, *r.BatchVMCount)
	assert.False(t, *r.DeadlineMet)
	assert.Equal(t, plan.Misses, r.Verdict)
	assert.Contains(t, plan.Codes(r.Findings), "deadline_missed")
	assert.Contains(t, r.Findings[0].Sentence, "It is met with 2,457.7 Mbit/s, or by a batch of at most 17 VMs")
	assert.True(t, *ask(2457.7).DeadlineMet, "at the printed need")
	assert.Equal(t, plan.Meets, ask(2457.7).Verdict)
	assert.False(t, *ask(2457.6).DeadlineMet, "below the printed need")
	// Later batches take longer, because the VMs of earlier batches continue to send changes.
	tiny := group(t, 1e9, 1, 1, 1e9, func(in *replication.Input) { in.DeadlineHours = new(1e-3) })
	require.NotNil(t, tiny.BatchesHours)
	assert.GreaterOrEqual(t, *tiny.BatchesHours, tiny.InitialSyncSeconds/3600)
}

// TestEstimate_leastRPO checks MinRPOMinutes against values computed by hand. 20 VMs of 100 GiB with a daily change of
// 5% send 8.59e11 bit a day. At 30 Mbit/s, this takes 28,633 s, so with a peak factor of 8, a cycle takes 8 * 28,633 /
// 86,400 = 2.65 times the RPO. At 79.4 Mbit/s, sending a day's changes takes 10,818.6 s, so with a peak factor of 4, a
// cycle takes 4 * 10,818.6 / 86,400 = 0.50086 times the RPO, slightly more than half. A cycle takes 0.4971 times the
// RPO at 80 Mbit/s and 0.39768 times at 100 Mbit/s. At 100 Mbit/s with an overhead of 60 s, an RPO of x minutes is
// violation-free if x * 60 / 2 >= 60 + 0.39768 * x * 60, that is, if x is at least 9.8.
func TestEstimate_leastRPO(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		peak     float64
		mbps     float64
		overhead float64
		rpo      float64
		want     int64 // 0 if nil
	}{
		{8, 30, 0, 60, 0},
		{4, 79.4, 0, 60, 0},
		{4, 80, 0, 60, 5},
		{4, 80, 0, 4, 1},
		{4, 100, 60, 60, 10},
	} {
		r := group(t, 20, 100, 5, test.mbps, func(in *replication.Input) {
			in.PeakFactor = &test.peak
			in.OverheadSeconds = test.overhead
			in.RPOMinutes = test.rpo
		})
		got := int64(0)
		if r.MinRPOMinutes != nil {
			got = *r.MinRPOMinutes
		}
		assert.Equal(t, test.want, got)
	}
}

// TestEstimate_bands checks the durations within which 4 of 5 and 9 of 10 comparable transfers complete, computed by
// hand. At 1,000 Mbit/s, the initial sync of 60 VMs of 100 GiB takes 6,000 * 2^33 / 1e9 = 51,539.6 s. If the throughput
// was measured on transfers, these durations are 1.14 and 1.32 times as long. If it is a nominal rate, an efficiency
// above 70% is reduced to 70%, and 4 of 5 transfers complete within 51,539.6 / 0.7 * 1.87 = 137,684.4 s.
func TestEstimate_bands(t *testing.T) {
	t.Parallel()
	ask := func(basis string, efficiency float64, change func(*replication.Input)) replication.Result {
		return group(t, 60, 100, 1, 1000, func(in *replication.Input) {
			in.ThroughputBasis, in.EfficiencyPercent = basis, efficiency
			change(in)
		})
	}
	none := func(*replication.Input) {}
	r := ask(plan.BasisTransfer, 100, none)
	within(t, "initial sync", r.InitialSyncSeconds, 51539.6, 0.05)
	within(t, "4 of 5 transfers", *r.InitialSyncSeconds80, 58755.2, 0.05)
	within(t, "9 of 10 transfers", *r.InitialSyncSeconds90, 68032.3, 0.05)
	within(t, "4 of 5 cycles", *r.OngoingSyncSeconds80, 1.14*r.OngoingSyncSeconds, 1e-9)
	for _, efficiency := range []float64{70, 80, 100} {
		r = ask(plan.BasisNominal, efficiency, none)
		within(t, "nominal", *r.InitialSyncSeconds80, 137684.4, 0.05)
		assert.Nil(t, r.InitialSyncSeconds90)
	}
	// An efficiency of 50% is already below 70% and is not changed: 51,539.6 / 0.5 * 1.87 = 192,758.1 s.
	within(t, "half a line", *ask(plan.BasisNominal, 50, none).InitialSyncSeconds80, 192758.1, 0.1)
	for name, r := range map[string]replication.Result{
		"absent": ask("", 100, none),
		"curve": ask(plan.BasisTransfer, 100,
			func(in *replication.Input) { in.ChangeCurve = map[float64]float64{15: 1} }),
		"storage": ask(plan.BasisTransfer, 100, func(in *replication.Input) { in.SourceReadMbps = new(500.0) }),
	} {
		require.Nil(t, r.InitialSyncSeconds80, name)
		assert.Nil(t, r.OngoingSyncSeconds90, name)
	}
}

// TestEstimate_curveSparse checks that curve points at 15 and 240 minutes, a factor of 16 apart, are too far apart for
// an RPO of 60 minutes.
func TestEstimate_curveSparse(t *testing.T) {
	t.Parallel()
	for rpo, want := range map[float64]bool{15: false, 60: true, 240: false} {
		r := group(t, 1, 100, 0, 1000, func(in *replication.Input) {
			in.ChangeCurve, in.RPOMinutes = map[float64]float64{15: 1.6, 240: 2.8}, rpo
		})
		i := slices.Index(plan.Codes(r.Findings), "curve_sparse")
		assert.Equal(t, want, i >= 0, "%+v", rpo)
		if want {
			assert.Contains(t, r.Findings[i].Sentence, "measure the change in 60 minutes")
		}
	}
}

// points is the change curve of a VM that rewrites 2 GiB about every ten minutes, in addition to 5 GiB of other changes
// a day.
var points = map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.InDelta(t, want, got, tolerance, what)
}

func office20(t *testing.T, change func(*replication.Input)) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount = 20
	in.VMSizeGiB = 100
	in.RPOMinutes = 15
	in.ThroughputMbps = 100
	change(&in)
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return r
}

// TestEstimate_curve checks a curve against results computed by hand. With U(15) = 1.60582 GiB, the 20 VMs send 32.116
// GiB (275,878,000,000 bit) per cycle, which takes 2,758.8 s at 100 Mbit/s. If a daily change of 7% of 100 GiB is
// spread evenly, they send only 20 * 7 * 15 / 1440 = 1.458 GiB per cycle, which takes 125.3 s.
func TestEstimate_curve(t *testing.T) {
	t.Parallel()
	linear := office20(t, func(in *replication.Input) { in.DailyChangePercent, in.PeakFactor = 7, new(1.0) })
	within(t, "linear change", linear.ChangedGiBPerCycle, 1.458, 5e-4)
	within(t, "linear sync", linear.OngoingSyncSeconds, 125.3, 0.05)
	require.Equal(t, plan.Meets, linear.Verdict)
	assert.Equal(t, replication.AssumePeakFactor, linear.ChangeAssumption)
	curve := office20(t, func(in *replication.Input) {
		in.ChangeCurve = map[float64]float64{15: 1.60582, 1440: 7}
	})
	within(t, "change", curve.ChangedGiBPerCycle, 32.116, 5e-4)
	within(t, "sync", curve.OngoingSyncSeconds, 2758.8, 0.05)
	// 96 cycles of 32.116 GiB a day use 306.5% of the link's daily capacity, which is 8.64e12 bit.
	within(t, "link use", curve.DailyLinkUsePercent, 306.5, 0.05)
	assert.Equal(t, plan.Misses, curve.Verdict)
	assert.Equal(t, replication.AssumeCurve, curve.ChangeAssumption)
	assert.Nil(t, curve.MaxDailyChangePercent)
}

func TestEstimate_curvePoints(t *testing.T) {
	t.Parallel()
	for rpo, want := range map[float64]float64{5: 0.53333, 15: 1.6, 30: 1.84026, 60: 2.11660, 480: 3.99119, 1440: 7} {
		r := office20(t, func(in *replication.Input) {
			in.VMCount = 1
			in.RPOMinutes = rpo
			in.ChangeCurve = points
		})
		within(t, "U", r.ChangedGiBPerCycle, want, 5e-6)
		assert.Equal(t, rpo == 5, slices.Contains(plan.Codes(r.Findings), "change_curve_extrapolated"))
	}
	// With a peak factor of 4, as much data changes in a 15-minute cycle as the curve gives for 60 minutes, but never
	// more than it gives for a day.
	four, many := 4.0, 1000.0
	r := office20(t, func(in *replication.Input) {
		in.VMCount = 1
		in.PeakFactor = &four
		in.ChangeCurve = points
	})
	within(t, "the peak", r.ChangedGiBPerCycle, 2.11660, 5e-6)
	r = office20(t, func(in *replication.Input) {
		in.VMCount = 1
		in.PeakFactor = &many
		in.ChangeCurve = points
	})
	within(t, "the day", r.ChangedGiBPerCycle, 7, 1e-9)
	// A curve with one point is proportional and limited to the size of the data.
	r = office20(t, func(in *replication.Input) { in.VMCount, in.ChangeCurve = 1, map[float64]float64{60: 4} })
	within(t, "one point", r.ChangedGiBPerCycle, 1, 1e-9)
	r = office20(t, func(in *replication.Input) {
		in.VMCount = 1
		in.VMSizeGiB = 3
		in.RPOMinutes = 1440
		in.ChangeCurve = points
	})
	within(t, "the whole VM", r.ChangedGiBPerCycle, 3, 1e-9)
	r = office20(t, func(in *replication.Input) { in.ChangeCurve = map[float64]float64{15: 0, 60: 0} })
	within(t, "no change", r.ChangedGiBPerCycle, 0, 0)
}

func TestEstimate_badCurve(t *testing.T) {
	t.Parallel()
	for at, curve := range map[string]map[float64]float64{
		`change_curve`:        {},
		`change_curve["60"]`:  {15: 2, 60: 1},
		`change_curve["30"]`:  {15: 1, 30: 3},
		`change_curve["120"]`: {15: 0, 120: 1},
		`change_curve["0"]`:   {0: 1},
		`change_curve["15"]`:  {15: -1},
	} {
		in := replication.Defaults()
		in.VMCount = 1
		in.VMSizeGiB = 10
		in.RPOMinutes = 15
		in.ThroughputMbps = 100
		in.ChangeCurve = curve
		_, err := replication.Estimate(in)
		list, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "%v: %v", curve, err)
		assert.Equal(t, at, list[0].Path.String(), "%v: %v", curve, err)
	}
}
