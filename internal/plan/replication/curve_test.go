package replication_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// points are a change curve: 2 GiB rewritten about every ten minutes, and 5 GiB a day elsewhere.
var points = map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.InDelta(t, want, got, tolerance, what)
}

// office20 returns the estimate of 20 VMs of 100 GiB with an RPO of 15 minutes on 100 Mbit/s.
func office20(t *testing.T, change func(*replication.Input)) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.RPOMinutes, in.ThroughputMbps = 20, 100, 15, 100
	change(&in)
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return r
}

// TestEstimate_curve checks a curve by hand: U(15) = 1.60582 GiB of 20 VMs are 32.116 GiB, 275,878,000,000 bit,
// 2,758.8 s at 100 Mbit/s; 7 % of 100 GiB a day, evenly spread, are 20 * 7 * 15 / 1440 = 1.458 GiB and 125.3 s.
func TestEstimate_curve(t *testing.T) {
	t.Parallel()
	even := 1.0
	linear := office20(t, func(in *replication.Input) { in.DailyChangePercent, in.PeakFactor = 7, &even })
	within(t, "linear change", linear.ChangedGiBPerCycle, 1.458, 5e-4)
	within(t, "linear sync", linear.OngoingSyncSeconds, 125.3, 0.05)
	require.Equal(t, replication.VerdictMeets, linear.Verdict)
	assert.Equal(t, replication.AssumePeakFactor, linear.ChangeAssumption)
	curve := office20(t, func(in *replication.Input) {
		in.ChangeCurve = map[float64]float64{15: 1.60582, 1440: 7}
	})
	within(t, "change", curve.ChangedGiBPerCycle, 32.116, 5e-4)
	within(t, "sync", curve.OngoingSyncSeconds, 2758.8, 0.05)
	// 96 cycles a day of 32.116 GiB compared with the 8.64 * 10^12 bit of the link.
	within(t, "link use", curve.DailyLinkUsePercent, 306.5, 0.05)
	if curve.Verdict != replication.VerdictMisses || curve.ChangeAssumption != replication.AssumeCurve ||
		curve.MaxDailyChangePercent != nil {
		t.Errorf("%+v", curve)
	}
}

// TestEstimate_curvePoints checks values between and beyond three points.
func TestEstimate_curvePoints(t *testing.T) {
	t.Parallel()
	for rpo, want := range map[float64]float64{5: 0.53333, 15: 1.6, 30: 1.84026, 60: 2.11660, 480: 3.99119, 1440: 7} {
		r := office20(t, func(in *replication.Input) { in.VMCount, in.RPOMinutes, in.ChangeCurve = 1, rpo, points })
		within(t, "U", r.ChangedGiBPerCycle, want, 5e-6)
		assert.Equal(t, rpo == 5, slices.Contains(plan.Codes(r.Findings), "change_curve_extrapolated"))
	}
	// A peak factor of 4 makes 60 minutes of an RPO of 15; beyond a day the change of a day is the maximum.
	four, many := 4.0, 1000.0
	r := office20(t, func(in *replication.Input) { in.VMCount, in.PeakFactor, in.ChangeCurve = 1, &four, points })
	within(t, "the peak", r.ChangedGiBPerCycle, 2.11660, 5e-6)
	r = office20(t, func(in *replication.Input) { in.VMCount, in.PeakFactor, in.ChangeCurve = 1, &many, points })
	within(t, "the day", r.ChangedGiBPerCycle, 7, 1e-9)
	// A single point is proportional, capped at the size of the data.
	r = office20(t, func(in *replication.Input) { in.VMCount, in.ChangeCurve = 1, map[float64]float64{60: 4} })
	within(t, "one point", r.ChangedGiBPerCycle, 1, 1e-9)
	r = office20(t, func(in *replication.Input) {
		in.VMCount, in.VMSizeGiB, in.RPOMinutes, in.ChangeCurve = 1, 3, 1440, points
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
		in.VMCount, in.VMSizeGiB, in.RPOMinutes, in.ThroughputMbps, in.ChangeCurve = 1, 10, 15, 100, curve
		_, err := replication.Estimate(in)
		list, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "%v: %v", curve, err)
		assert.Equal(t, at, list[0].Path.String(), "%v: %v", curve, err)
	}
}

// TestEstimate_curveIsConcave checks that more time never changes less, and never more than proportionally.
func TestEstimate_curveIsConcave(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		curve, minutes, gib := map[float64]float64{}, rapid.Float64Range(1, 60).Draw(r, "first"), 1.0
		for range rapid.IntRange(1, 5).Draw(r, "points") {
			curve[minutes] = gib
			factor := rapid.Float64Range(1.1, 5).Draw(r, "factor")
			minutes, gib = minutes*factor, gib*math.Pow(factor, rapid.Float64Range(0, 1).Draw(r, "slope"))
		}
		at := func(rpo float64) float64 {
			return office20(t, func(in *replication.Input) { in.RPOMinutes, in.ChangeCurve = rpo, curve }).ChangedGiBPerCycle
		}
		low := rapid.Float64Range(1, 720).Draw(r, "RPO")
		high := low * rapid.Float64Range(1, 2).Draw(r, "times")
		a, b := at(low), at(high)
		require.GreaterOrEqual(r, b, a*(1-1e-9))
		assert.LessOrEqual(r, b, a*high/low*(1+1e-9))
	})
}
