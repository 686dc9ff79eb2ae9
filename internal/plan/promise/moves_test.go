package promise_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestMoves_throughputForDeadline checks the throughput with which 1,000 GiB are moved within 10 hours: 1,000 * 2^33 /
// 36,000 s = 238.6 Mbit/s for the migration, which uses half of the 70% of the link that are usable. At the worse end,
// a link measured by transfers carries 1 / 1.14 of that: 238.6 / 0.5 / 0.7 * 1.14 = 777.2 Mbit/s. If the migration has
// a throughput of its own, it is 238.6 / 0.5 = 477.2.
func TestMoves_throughputForDeadline(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]float64{"metro": 777.2, "": 477.2} {
		moves := promise.Moves{Link: link, SharePercent: 50}
		with := func(mbps float64) map[string]any {
			p := onBasis(mbps, plan.BasisTransfer, map[string]promise.Tier{"gold": identical(60, 1, 1, 1, 1)})
			l := p.Links["metro"]
			l.EfficiencyPercent = 70
			p.Links["metro"] = l
			given := mbps / 2
			if link != "" {
				given *= 0.7
			}
			r, err := moves.Calculator(p).EvaluateContext(t.Context(), map[string]any{
				"virtual_machines": map[string]any{"a": map[string]any{
					"method":      "cold",
					"transport":   "udt",
					"powered_off": true,
					"disk_gib":    1000.0,
					"memory_gib":  0.0,
				}},
				"throughput_mbps": given,
				"deadline_hours":  10.0,
				"setup_seconds":   0.0,
			})
			require.NoError(t, err)
			return r
		}
		missed := with(100)
		assert.Equal(t, plan.Misses, missed["verdict"], link)
		needed, _ := missed["throughput_for_deadline_mbps"].(float64)
		assert.InEpsilon(t, want, needed, 0.01, link)
		assert.Equal(t, plan.Meets, with(needed)["verdict"], link)
	}
}

// TestCompute_movesOnWholeLink checks migrations that use the whole link from 2:00 to 4:00. The VM changes by 10 GiB *
// 1% * 2^33 / 86,400 s = 0.00994 Mbit/s, more than 90% of the 0.01 Mbit/s at the worse end, so that the promise does
// not hold there without migrations either. What is needed without them is 0.00994 / 0.9 * 100 / 0.01 = 110.5 Mbit/s.
func TestCompute_movesOnWholeLink(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	metro.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: 0.01, High: 100}}
	metro.HourlyMovesPercent = slices.Concat([]float64{0, 0, 100, 100}, make([]float64, 20))
	p.Links["metro"] = metro
	gold := compute(t, p).Promises["gold"]
	assert.Empty(t, gold.Remedies)
	assert.Contains(t, message(gold, "no_remedy"),
		"while migrations use the whole link metro (share_percent); without them, 110.5 Mbit/s are sufficient")
	require.NotNil(t, gold.WorseEndWithinRPOPercent)
	assert.LessOrEqual(t, *gold.WorseEndWithinRPOPercent, *gold.MovesWithinRPOPercent)
}
