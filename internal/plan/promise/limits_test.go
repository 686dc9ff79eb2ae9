package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_limits checks the remedies for limits that are not the link. Two tiers change by 100 * 100 GiB * 10% *
// 2^33 / 86,400 s = 99.4 Mbit/s in total.
func TestCompute_limits(t *testing.T) {
	t.Parallel()
	tiers := func() map[string]promise.Tier {
		return map[string]promise.Tier{"gold": identical(60, 50, 100, 10, 1), "silver": identical(240, 50, 100, 10, 1)}
	}
	source := on(1000, tiers())
	source.SourceReadMbps = new(80.0)
	target := on(1000, tiers())
	target.Targets = map[string]promise.Target{"dr": {WriteMbps: new(160.0), WriteFactor: 2}}
	for name, one := range target.Tiers {
		one.Target = "dr"
		target.Tiers[name] = one
	}
	for name, test := range map[string]struct {
		plan            promise.Plan
		limitedBy, kind string
		value           float64
	}{
		"source": {source, promise.LimitedBySource, promise.RemedySource, 99.4},
		"target": {target, promise.LimitedByTarget, promise.RemedyWrite, 2 * 99.4},
	} {
		r := compute(t, test.plan)
		gold := r.Promises["gold"]
		assert.Equal(t, plan.Misses, gold.Verdict, name)
		require.NotNil(t, r.Links["metro"].NeededLimitedBy, name)
		assert.Equal(t, test.limitedBy, *r.Links["metro"].NeededLimitedBy, name)
		require.NotEmpty(t, gold.Remedies, name)
		assert.Equal(t, test.kind, gold.Remedies[0].Kind, name)
		assert.InEpsilon(t, test.value, *gold.Remedies[0].Value, 0.15, name)
	}
}

func TestJudge_limits(t *testing.T) {
	t.Parallel()
	gold := identical(5, 501, 1, 1, 1)
	gold.QuiesceSeconds = 1
	fast := tier(1, 1, map[string]float64{"db": 1})
	group := tier(5, 1, map[string]float64{"web": 1})
	group.Mechanism = promise.MechanismGroup
	late := tier(15, 1, map[string]float64{"app": 1})
	late.ConfiguredRPOMinutes = new(30.0)
	r := judge(t, on(1e6, map[string]promise.Tier{"gold": gold, "fast": fast, "group": group, "late": late}))
	for name, want := range map[string][]string{
		"gold":  {"above_500_at_5_minutes", "quiesced_below_15_minutes"},
		"fast":  {"above_500_at_5_minutes", "rpo_below_minimum"},
		"group": {"scheduler_not_documented"},
		"late":  {"configured_above_promise"},
	} {
		assert.Subset(t, plan.Codes(r.Promises[name].Findings), want, name)
	}
	assert.Equal(t, plan.Misses, r.Promises["fast"].Verdict)
	assert.Equal(t, plan.Misses, r.Promises["late"].Verdict)
	fast.MinConfiguredRPOMinutes = 1
	enhanced := judge(t, on(1e6, map[string]promise.Tier{"fast": fast})).Promises["fast"]
	assert.Equal(t, plan.Meets, enhanced.Verdict)
	assert.InDelta(t, 1, *enhanced.SuggestedRPOMinutes, 0)
}
