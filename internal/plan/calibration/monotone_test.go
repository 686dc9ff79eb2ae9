package calibration_test

import (
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/calibration"
)

// TestCalibrate_monotone: a plan that assumes more throughput, or less change, is never less optimistic, and one with a
// higher tolerance never more.
func TestCalibrate_monotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		in := sync(draw("size", 1e6, 1e12), draw("seconds", 10, 1e5))
		in.RPOMinutes = draw("rpo_minutes", 5, 1440)
		size, mbps, change := draw(
			"vm_size_gib",
			1,
			1e4,
		), draw(
			"throughput_mbps",
			1,
			1e4,
		), draw(
			"daily_change_percent",
			0.1,
			100,
		)
		in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = &size, &mbps, &change
		optimistic := func(in calibration.Input) bool {
			r, err := calibration.Calibrate(in)
			if err != nil {
				t.Fatal(err)
			}
			return r.Optimistic != nil && *r.Optimistic
		}
		before, factor := optimistic(
			in,
		), rapid.OneOf(rapid.Float64Range(1, 1.001), rapid.Float64Range(1, 5)).
			Draw(t, "factor")
		faster, calmer, tolerant := in, in, in
		faster.ThroughputMbps, calmer.DailyChangePercent = new(mbps*factor), new(change/factor)
		tolerant.TolerancePercent *= factor
		if before && (!optimistic(faster) || !optimistic(calmer)) {
			t.Errorf("%v Mbit/s and %v %% are optimistic, times %v they are not", mbps, change, factor)
		}
		if !before && optimistic(tolerant) {
			t.Errorf("a tolerance of %v %% is less than one of %v %%", tolerant.TolerancePercent, in.TolerancePercent)
		}
	})
}
