package limits_test

import (
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/limits"
)

// TestCheck_monotone: of a number that must not be above its limit, more is never within it where less is not; the
// limit itself is within, and one more is not. A higher limit by an override never exceeds.
func TestCheck_monotone(t *testing.T) {
	t.Parallel()
	within := func(t *rapid.T, in limits.Input) bool {
		r, err := limits.Check(in)
		if err != nil {
			t.Fatal(err)
		}
		return r.WithinLimits
	}
	rapid.Check(t, func(t *rapid.T) {
		in := limits.Input{Product: "vcenter", Version: rapid.SampledFrom(limits.Versions("vcenter")).Draw(t, "version")}
		limit := float64(rapid.IntRange(1, 1e6).Draw(t, "limit"))
		in.Overrides = map[string]float64{"hosts": limit}
		less := float64(rapid.IntRange(0, 2e6).Draw(t, "count"))
		more := less + float64(rapid.IntRange(0, 1000).Draw(t, "more"))
		with := func(hosts float64) limits.Input {
			in.Counts = map[string]float64{"hosts": hosts}
			return in
		}
		if within(t, with(more)) && !within(t, with(less)) {
			t.Errorf("%v are within %v, and %v are not", more, limit, less)
		}
		if !within(t, with(limit)) || within(t, with(limit+1)) {
			t.Errorf("%v is not the largest number within itself", limit)
		}
	})
}
