package interactive_test

import (
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/interactive"
)

// TestLatencyImpact_monotone: a longer round trip, or more of them, never raises the throughput and never turns the
// verdict to the better; a higher tolerance never turns it to the worse.
func TestLatencyImpact_monotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := interactive.Defaults()
		in.Users = float64(rapid.IntRange(1, 1000).Draw(t, "users"))
		in.ThinkSeconds = rapid.Float64Range(0, 10).Draw(t, "think_seconds")
		in.RTTAfterMs = rapid.Float64Range(0, 200).Draw(t, "rtt_after_ms")
		in.TolerancePercent = rapid.Float64Range(0, 50).Draw(t, "tolerance_percent")
		trips := rapid.Float64Range(0, 100).Draw(t, "round_trips")
		service := rapid.Float64Range(0.001, 2).Draw(t, "service")
		in.ThroughputBefore, in.RoundTrips = in.Users/(in.ThinkSeconds+service), &trips
		impact := func(in interactive.Input) interactive.Result {
			r, err := interactive.LatencyImpact(in)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		before, factor := impact(in), rapid.OneOf(rapid.Float64Range(1, 1.001), rapid.Float64Range(1, 5)).Draw(t, "factor")
		farther, chattier, tolerant := in, in, in
		farther.RTTAfterMs *= factor
		chattier.RoundTrips = new(trips * factor)
		tolerant.TolerancePercent = min(100, in.TolerancePercent*factor)
		for name, after := range map[string]interactive.Result{
			"rtt_after_ms": impact(farther), "round_trips_per_operation": impact(chattier),
		} {
			if after.ThroughputAfter > before.ThroughputAfter || (before.MoveTogether && !after.MoveTogether) {
				t.Errorf("%s times %v: %s becomes %s", name, factor, before.Summary, after.Summary)
			}
		}
		if !before.MoveTogether && impact(tolerant).MoveTogether {
			t.Errorf("a tolerance of %v refuses what %v accepts", tolerant.TolerancePercent, in.TolerancePercent)
		}
	})
}
