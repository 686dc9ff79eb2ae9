package replication_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/replication"
)

func plausible(t *rapid.T) replication.Input {
	in := replication.Defaults()
	in.VMCount = float64(rapid.IntRange(1, 10000).Draw(t, "vm_count"))
	in.VMSizeGiB = rapid.Float64Range(0.1, 64000).Draw(t, "vm_size_gib")
	// Zero, or large enough for exact doubling: no product is subnormal.
	in.DailyChangePercent = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-6, 300)).Draw(t, "daily_change_percent")
	in.ThroughputMbps = rapid.Float64Range(1, 400000).Draw(t, "throughput_mbps")
	in.RPOMinutes = rapid.Float64Range(1, 1440).Draw(t, "rpo_minutes")
	in.EfficiencyPercent = rapid.Float64Range(1, 100).Draw(t, "efficiency_percent")
	in.CompressionRatio = rapid.Float64Range(1, 10).Draw(t, "compression_ratio")
	in.SeededPercent = rapid.Float64Range(0, 100).Draw(t, "seeded_percent")
	in.OverheadSeconds = rapid.Float64Range(0, 1200).Draw(t, "overhead_seconds")
	if rapid.Bool().Draw(t, "with peak_factor") {
		p := rapid.Float64Range(1, 50).Draw(t, "peak_factor")
		in.PeakFactor = &p
	}
	return in
}

// TestEstimate_scaleInvariant checks that k times the data on k times the link yields the same result, exactly for
// powers of two.
func TestEstimate_scaleInvariant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(-6, 6).Draw(t, "k"))
		scaled := in
		scaled.VMSizeGiB *= k
		scaled.ThroughputMbps *= k
		a, b := estimate(t, in), estimate(t, scaled)
		if a.OngoingSyncSeconds != b.OngoingSyncSeconds || a.InitialSyncSeconds != b.InitialSyncSeconds ||
			a.Verdict != b.Verdict ||
			!reflect.DeepEqual(a.MinRPOMinutes, b.MinRPOMinutes) ||
			!reflect.DeepEqual(a.MaxVMCount, b.MaxVMCount) ||
			!reflect.DeepEqual(a.MaxDailyChangePercent, b.MaxDailyChangePercent) {
			t.Errorf("%+v\nbecomes %+v", a, b)
		}
	})
}

// TestEstimate_closedForms compares the limits with closed formulas.
func TestEstimate_closedForms(t *testing.T) {
	t.Parallel()
	r := estimate(t, published(gibOf102400MB, 901))
	// 12.288e12 bit * 5 % = 614.4e9 bit; in 900 s 682.67 Mbit/s, in 450 s 1,365.33 Mbit/s.
	near(t, "throughput for the RPO", *r.ThroughputForRPOMbps, 614.4e9/900/1e6)
	near(t, "throughput violation free", *r.ThroughputViolationFreeMbps, 614.4e9/450/1e6)
	// One VM's delta is 45.46 s; 450 / 45.46 = 9.9.
	assert.EqualValues(t, 9, *r.MaxVMCount)
	// 450 s of 13,638.18 s are 3.2996 %.
	near(t, "largest daily change", *r.MaxDailyChangePercent, 450*901e6/12.288e12*100)
}
