package promise_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/promise"
)

// large returns 400 VMs of different sizes in 3 tiers with ranges, which hold as given, but not at the worse end.
func large() promise.Plan {
	tiers := map[string]promise.Tier{}
	for name, of := range map[string]struct{ vms, rpo, change float64 }{
		"gold": {80, 15, 5}, "silver": {120, 60, 4}, "bronze": {200, 240, 3},
	} {
		sizes := map[string]float64{}
		for i := range int(of.vms) { // 8 GiB to 1 TiB, the geometric mean 90 GiB
			sizes[fmt.Sprintf("%s-%03d", name, i)] = 8 * math.Pow(128, float64(i)/of.vms)
		}
		one := tier(of.rpo, of.change, sizes)
		one.PeakFactor = new(3.0)
		one.Ranges = map[string]promise.Ends{"daily_change_percent": {Low: of.change / 2, High: 1.6 * of.change}}
		tiers[name] = one
	}
	p := on(2000, tiers)
	p.GrowthPercentPerYear = new(20.0)
	return p
}

// BenchmarkPlanningVerdicts must take at most 2 s on two idle cores.
func BenchmarkPlanningVerdicts(b *testing.B) {
	p := large()
	for b.Loop() {
		_, err := promise.Verdicts(b.Context(), p)
		require.NoError(b, err)
	}
}

// BenchmarkPlanningCompute must take at most 15 s on two idle cores, with needs, growth and remedies.
func BenchmarkPlanningCompute(b *testing.B) {
	p := large()
	for b.Loop() {
		_, err := promise.Compute(b.Context(), p)
		require.NoError(b, err)
	}
}
