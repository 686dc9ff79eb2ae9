package replication_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
)

// gibOf102400MB is the size of the published VM in GiB: 102,400e6 bytes / 2^30.
const gibOf102400MB = 95.367431640625

// published returns the published example, 15 VMs with a daily change of 5% and an RPO of 15 minutes, on a link with
// the given throughput.
func published(sizeGiB, mbps float64) replication.Input {
	in := replication.Defaults()
	in.VMCount = 15
	in.VMSizeGiB = sizeGiB
	in.DailyChangePercent = 5
	in.ThroughputMbps = mbps
	in.RPOMinutes = 15
	return in
}

type failer interface {
	require.TestingT
	Helper()
}

func estimate(t failer, in replication.Input) replication.Result {
	t.Helper()
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return r
}

func near(t failer, what string, got, want float64) {
	t.Helper()
	nearBy(t, what, got, want, 1e-12)
}

func nearBy(t failer, what string, got, want, tolerance float64) {
	t.Helper()
	assert.LessOrEqual(t, math.Abs(got-want), tolerance*math.Abs(want), "%s is %v, want %v", what, got, want)
}

// TestEstimate_publishedExample checks the published numbers for both interpretations of "102,400 MB".
//
// If 1 MB is 10^6 bytes, the VMs have 15 * 102,400e6 * 8 bit = 12.288e12 bit. At 901e6 bit/s, sending all of it takes
// 13,638.2 s, and sending 5% of it takes 681.9 s (11.4 min). At 440e6 bit/s, the times are 27,927.3 s and 1,396.4 s
// (23.3 min). If 1 MB is 2^20 bytes, the VMs have 15 * 100 * 2^33 bit = 12,884,901,888,000 bit. At 901e6 bit/s, the
// times are 14,300.7 s and 715.0 s.
func TestEstimate_publishedExample(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size    float64
		mbps    float64
		initial float64
		delta   float64
	}{
		{gibOf102400MB, 901, 13638.2, 681.9},
		{gibOf102400MB, 440, 27927.3, 1396.4},
		{100, 901, 14300.7, 715.0},
	} {
		r := estimate(t, published(test.size, test.mbps))
		// The published numbers have one decimal place.
		require.InDelta(t, test.initial, r.InitialSyncSeconds, 0.05)
		assert.InDelta(t, test.delta, r.OngoingSyncSeconds, 0.05)
		assert.Equal(t, test.delta <= 900, r.MeetsRPO)
		assert.False(t, r.ViolationFree)
	}
	r := estimate(t, published(gibOf102400MB, 901))
	// 2 * 681.9 s = 22.7 min, rounded up to 23 min.
	assert.EqualValues(t, 23, *r.MinRPOMinutes)
	// 12.288e12 bit * 5% = 614.4e9 bit, which requires 682.67 Mbit/s to send in 900 s and 1,365.33 Mbit/s to send in
	// 450 s.
	near(t, "throughput for the RPO", *r.ThroughputForRPOMbps, 614.4e9/900/1e6)
	near(t, "throughput violation free", *r.ThroughputViolationFreeMbps, 614.4e9/450/1e6)
	// Sending the changes of one VM takes 45.46 s, so within half the RPO, the changes of 450 / 45.46 = 9.9 VMs can be
	// sent.
	assert.EqualValues(t, 9, *r.MaxVMCount)
}

// TestEstimate_facts checks the example in the documentation for an RPO of 15 minutes, with syncs of 5, 7.5 and 10
// minutes. No data changes, so the overhead determines the duration of a sync.
func TestEstimate_facts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		minutes        float64
		meets, without bool
	}{
		{5, true, true},
		{7.5, true, true}, // back-to-back syncs, no violation
		{math.Nextafter(7.5, 8), true, false},
		{15, true, false},
		{math.Nextafter(15, 16), false, false},
	} {
		in := published(100, 901)
		in.DailyChangePercent, in.OverheadSeconds = 0, test.minutes*60
		r := estimate(t, in)
		assert.Equal(t, test.meets, r.MeetsRPO, "%+v", test.minutes)
		assert.Equal(t, test.without, r.ViolationFree, "%+v", test.minutes)
	}
}

// TestEstimate_verdict checks the goldens of a single tier; the arithmetic is that of the tests of package promise. The
// need of the published example is 614.4 Gbit / 900 s * 1.14 / 0.9 = 864.8 Mbit/s. With growth of 30% a year, 901
// Mbit/s suffice for 12 * ln(901 / 864.8) / ln 1.3 = 1.88 months.
func TestEstimate_verdict(t *testing.T) {
	t.Parallel()
	in := published(95.367, 901)
	in.ThroughputBasis, in.GrowthPercentPerYear = plan.BasisNetwork, new(30.0)
	r := estimate(t, in)
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.Equal(t, "bound", *r.HoldsBy)
	assert.InDelta(t, 8, *r.SuggestedRPOMinutes, 0)
	assert.InDelta(t, 864.8, *r.ThroughputNeededMbps, 0.1)
	assert.InDelta(t, 1.88, *r.MonthsUntilAtRisk, 0.02)
	in.ThroughputMbps = 440
	r = estimate(t, in)
	assert.Equal(t, plan.AtRisk, r.Verdict)
	assert.Equal(t, []string{"peak_unknown"}, plan.Codes(r.Findings))
	assert.InDelta(t, 12, *r.SuggestedRPOMinutes, 0)
	assert.InDelta(t, 48.84, *r.MaxPeakFactor, 0.01)
	assert.InDelta(t, 6, *r.MaxPeakRPOMinutes, 0)
	assert.Zero(t, *r.MonthsUntilAtRisk)
	in.ThroughputMbps, in.VMCount = 1e9, 1e9
	assert.Equal(t, plan.Misses, estimate(t, in).Verdict)
}

// TestEstimate_equalsPlan checks that an estimate and a plan of the same tier have the same verdict, setting, need and
// maxima.
func TestEstimate_equalsPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := published(rapid.Float64Range(1, 500).Draw(t, "size"), rapid.Float64Range(5, 2000).Draw(t, "throughput"))
		in.VMCount = float64(rapid.IntRange(1, 30).Draw(t, "VMs"))
		in.DailyChangePercent = rapid.Float64Range(0.1, 20).Draw(t, "change")
		in.RPOMinutes = rapid.SampledFrom([]float64{5, 15, 60, 240}).Draw(t, "RPO")
		in.ThroughputBasis = rapid.SampledFrom(append([]string{""}, plan.Bases...)).Draw(t, "basis")
		if rapid.Bool().Draw(t, "has a peak") {
			in.PeakFactor = new(rapid.Float64Range(1, 20).Draw(t, "peak"))
		}
		if rapid.Bool().Draw(t, "has an overhead") {
			in.OverheadSeconds = rapid.Float64Range(1, 120).Draw(t, "overhead")
		}
		if rapid.Bool().Draw(t, "is configured") {
			in.ConfiguredRPOMinutes = new(in.RPOMinutes / float64(rapid.IntRange(1, 3).Draw(t, "part")))
		}
		if rapid.Bool().Draw(t, "is limited") {
			in.TargetWriteMbps = new(rapid.Float64Range(5, 2000).Draw(t, "write"))
		}
		got := estimate(t, in)
		want, err := promise.Compute(context.Background(), in.Plan())
		require.NoError(t, err)
		for _, of := range want.Promises {
			assert.Equal(t, of.Verdict, got.Verdict)
			assert.Equal(t, of.HoldsBy, got.HoldsBy)
			assert.Equal(t, of.SuggestedRPOMinutes, got.SuggestedRPOMinutes)
			assert.Equal(t, of.MaxDailyChangePercent, got.MaxDailyChangePercent)
			assert.Equal(t, of.MaxPeakFactor, got.MaxPeakFactor)
		}
		for _, of := range want.Links {
			assert.Equal(t, of.ThroughputNeededMbps, got.ThroughputNeededMbps)
		}
	})
}

// TestEstimate_dailyChangeExceedsLink checks that a daily change of 200% of 1,500 GiB at 250 Mbit/s uses 3,000 * 2^33 /
// 250e6 / 86,400 = 119.3% of the link's daily capacity.
func TestEstimate_dailyChangeExceedsLink(t *testing.T) {
	t.Parallel()
	in := published(100, 250)
	in.DailyChangePercent, in.PeakFactor = 200, new(1.0)
	r := estimate(t, in)
	nearBy(t, "daily link use", r.DailyLinkUsePercent, 119.3, 1e-4)
	assert.Contains(t, plan.Codes(r.Findings), "daily_change_exceeds_link")
	assert.Nil(t, r.MinRPOMinutes)
	assert.Equal(t, plan.Misses, r.Verdict)
}

func TestEstimate_noNumberExists(t *testing.T) {
	t.Parallel()
	// The overhead alone exceeds half the RPO, so no throughput and no number of VMs is violation-free.
	in := published(100, 901)
	in.OverheadSeconds = 451
	r := estimate(t, in)
	assert.Nil(t, r.ThroughputViolationFreeMbps)
	assert.EqualValues(t, 0, *r.MaxVMCount)
	assert.NotNil(t, r.ThroughputForRPOMbps, "451 s leave 449 s of the RPO for the transfer, so a throughput exists")
	// If no data changes, any throughput is sufficient for any number of VMs.
	in = published(100, 901)
	in.DailyChangePercent = 0
	r = estimate(t, in)
	assert.Nil(t, r.MaxVMCount)
	assert.InDelta(t, replication.RangeThroughputMbps.Min, *r.ThroughputForRPOMbps, 0)
	assert.EqualValues(t, 5, *r.MinRPOMinutes)
}

func TestEstimate_summary(t *testing.T) {
	t.Parallel()
	in := published(gibOf102400MB, 901)
	in.EfficiencyPercent = 70
	in.RPOMinutes = 60
	// 13,638.18 s / 0.7 = 19,483.1 s = 5 h 24 min 43 s; 681.909 s / 0.7 = 974.2 s = 16 min 14 s.
	want := "15 VMs of 95.4 GiB are 1,430.5 GiB. At 901 Mbit/s, of which 70% is usable, the initial sync takes " +
		"5h 24m " +
		"44s, and sending the 71.5 GiB that change in one cycle takes 16m 15s if the change of a whole day falls " +
		"into one " +
		"cycle (peak_factor is not set). The promise of 1 hour holds. Configure "
	assert.Contains(t, estimate(t, in).Summary, want)
}

func ExampleEstimate() {
	in := replication.Defaults()
	in.VMCount = 15
	in.VMSizeGiB = 100
	in.DailyChangePercent = 5
	in.ThroughputMbps = 901
	in.RPOMinutes = 15
	r, err := replication.Estimate(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("initial sync %.1f s, delta %.1f s: %s\n", r.InitialSyncSeconds, r.OngoingSyncSeconds, r.Verdict)
	// Output: initial sync 14300.7 s, delta 715.0 s: at_risk
}

func TestEstimate_mechanism(t *testing.T) {
	t.Parallel()
	in := published(1, 1e6)
	in.RPOMinutes = 4
	r := estimate(t, in)
	assert.Equal(t, plan.Misses, r.Verdict)
	assert.Contains(t, plan.Codes(r.Findings), "rpo_below_minimum")
	in.MinConfiguredRPOMinutes, in.Mechanism = 1, promise.MechanismGroup
	r = estimate(t, in)
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.Equal(t, []string{"scheduler_not_documented"}, plan.Codes(r.Findings))
}
