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
			r, err := moves.Definition(p).Calculator().EvaluateContext(t.Context(), map[string]any{
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

// TestCompute_moves checks migrations that use the whole link from 2:00 to 4:00, so that no sync completes. Outside
// them, 10 GiB * 1% * 2^33 / 86,400 s / 0.9 = 0.011 Mbit/s are needed.
func TestCompute_moves(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	require.Nil(t, judge(t, p).Promises["gold"].MovesVerdict)
	metro := p.Links["metro"]
	metro.HourlyMovesPercent = make([]float64, 24)
	metro.HourlyMovesPercent[2], metro.HourlyMovesPercent[3] = 100, 100
	p.Links["metro"] = metro
	r := compute(t, p)
	gold := r.Promises["gold"]
	assert.Equal(t, plan.Meets, gold.LikelyVerdict)
	assert.Equal(t, plan.Misses, *gold.MovesVerdict)
	assert.Equal(t, plan.Misses, gold.Verdict)
	assert.Contains(t, plan.Codes(gold.Findings), "during_moves")
	assert.InEpsilon(t, 0.011, *r.Links["metro"].ThroughputNeededMbps, 0.01)
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyMoves, gold.Remedies[0].Kind)
}

// TestCompute_settingForMoves checks that the setting, the remedy and the reasons consider migrations. 10 * 100 GiB *
// 20% * 2^33 / 86,400 s = 19.88 Mbit/s change. While migrations use half of 100 Mbit/s, u is 0.398, and 60 / 1.398 =
// 42.9. Without them, 60 / 1.199 = 50.05. Half of 30 Mbit/s does not suffice, but 19.88 / 0.9 / 30 = 73.6% of it do,
// and so does half of 19.88 / 0.5 / 0.9 = 44.19. With 30 minutes configured, a fifth used and 22.5 Mbit/s at the worse
// end, u is 0.884 without migrations, and 1.105 with them: 2 * 1.105 * 30 > 60.
func TestCompute_settingForMoves(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": identical(60, 10, 100, 20, 1)})
	moving := func(percent, low float64) promise.Plan {
		metro := p.Links["metro"]
		metro.HourlyMovesPercent = slices.Repeat([]float64{percent}, 24)
		metro.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: low, High: 100}}
		p.Links = map[string]promise.Link{"metro": metro}
		return p
	}
	assert.Equal(t, new(45.0), judge(t, p).Promises["gold"].SuggestedRPOMinutes)
	r := compute(t, moving(50, 100))
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.Equal(t, new(40.0), r.Promises["gold"].SuggestedRPOMinutes)
	assert.InEpsilon(t, 22.09, *r.Links["metro"].ThroughputNeededMbps, 0.01)
	small := moving(50, 100).WithThroughput("metro", 30)
	one := compute(t, small).Promises["gold"]
	assert.Equal(t, plan.Misses, one.Verdict)
	require.Equal(t, promise.RemedyMoves, one.Remedies[0].Kind)
	assert.Equal(t, new(26.0), one.Remedies[0].Value)
	require.Equal(t, promise.RemedyThroughput, one.Remedies[1].Kind)
	assert.InEpsilon(t, 44.19, *one.Remedies[1].Value, 0.01)
	gold := p.Tiers["gold"]
	gold.ConfiguredRPOMinutes = new(30.0)
	p.Tiers["gold"] = gold
	one = judge(t, moving(20, 22.5)).Promises["gold"]
	assert.Equal(t, plan.AtRisk, one.Verdict)
	assert.Contains(
		t,
		message(one, "not_at_worse_end"),
		"not at the worse end of uncertain inputs while migrations use",
	)
	assert.Equal(t, new(plan.Misses), one.WorseEndVerdict)
}
