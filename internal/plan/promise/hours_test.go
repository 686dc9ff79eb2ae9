package promise_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// slowAtNight returns a tier of 20 VMs on a link that carries 1,000 Mbit/s, but only night Mbit/s from 22:00 to 6:00.
// The VMs change 2,000 GiB * 5% * 2^33 / 86,400 s = 9.94 Mbit/s, and 3 times as much in their busiest 8 hours.
func slowAtNight(night float64) promise.Plan {
	p := on(1, map[string]promise.Tier{"gold": identical(60, 20, 100, 5, 3)})
	l := promise.LinkDefaults()
	l.HourlyThroughputMbps = slices.Repeat([]float64{1000}, 24)
	l.ThroughputBasis = plan.BasisTransfer
	for _, h := range []int{22, 23, 0, 1, 2, 3, 4, 5} {
		l.HourlyThroughputMbps[h] = night
	}
	p.Links["metro"] = l
	return p
}

// TestJudge_startHour verifies that a promise is at risk if it holds with a busiest time from 8:00, but not when the
// link is slow, and the start is not known: 29.8 Mbit/s change at night, but the link carries 5 Mbit/s.
func TestJudge_startHour(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		start   *float64
		verdict plan.Level
		assumed []plan.Assumption
	}{
		{new(8.0), plan.Meets, []plan.Assumption{}},
		{new(22.0), plan.Misses, []plan.Assumption{}},
		{nil, plan.AtRisk, []plan.Assumption{
			{Input: "peak_start_hour", At: "gold", Value: 8, WorseValue: new(22.0), Decides: true},
		}},
	} {
		p := withTiers(slowAtNight(5), func(one *promise.Tier) { one.PeakStartHour = test.start })
		r := judge(t, p)
		assert.Equal(t, test.verdict, r.Verdict)
		assert.Equal(t, test.assumed, r.Assumed)
		assert.Equal(
			t,
			test.start == nil,
			slices.Contains(plan.Codes(r.Promises["gold"].Findings), "peak_start_unknown"),
		)
	}
	assert.Empty(t, judge(t, slowAtNight(1000)).Assumed, "on a link without slow hours, the start does not matter")
}

// TestNeeds_withoutMoves verifies that a need is the same without migrations, also if these decide when the link
// carries least: 10 Mbit/s by day instead of 20 at night.
func TestNeeds_withoutMoves(t *testing.T) {
	t.Parallel()
	still := slowAtNight(20)
	moved := slowAtNight(20)
	l := moved.Links["metro"]
	l.HourlyMovesPercent = make([]float64, 24)
	for h := 8; h < 16; h++ {
		l.HourlyMovesPercent[h] = 99
	}
	moved.Links["metro"] = l
	with, err := promise.Needs(t.Context(), moved)
	require.NoError(t, err)
	without, err := promise.Needs(t.Context(), still)
	require.NoError(t, err)
	assert.Equal(t, without.Links["metro"].ThroughputNeededMbps, with.Links["metro"].ThroughputNeededMbps)
}

// TestNeeds_share verifies that nothing limits a need if the promise holds by its share of time: 8 of 24 hours without
// a link leave more than 60%.
func TestNeeds_share(t *testing.T) {
	t.Parallel()
	p := withTiers(slowAtNight(0), func(one *promise.Tier) {
		one.PeakStartHour = new(8.0)
		one.ConfiguredRPOMinutes = new(30.0)
		one.TargetCompliancePercent = new(60.0)
	})
	r, err := promise.Needs(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.Nil(t, r.Links["metro"].NeededLimitedBy)
}

// TestJudge_wholeLinkMoved verifies that migrations that use the whole link are like a link that carries nothing.
func TestJudge_wholeLinkMoved(t *testing.T) {
	t.Parallel()
	moved := slowAtNight(1000)
	l := moved.Links["metro"]
	l.HourlyMovesPercent = slices.Concat(slices.Repeat([]float64{100}, 6), slices.Repeat([]float64{0}, 16),
		[]float64{100, 100})
	moved.Links["metro"] = l
	assert.Equal(t, plan.Misses, judge(t, slowAtNight(0)).Promises["gold"].Verdict)
	assert.Equal(t, plan.Misses, *judge(t, moved).Promises["gold"].MovesVerdict)
}

// TestCompute_leastSetting verifies that a given setting below the least one keeps no promise, and that no throughput
// helps if the promise is shorter than the least setting or the link carries nothing at night.
func TestCompute_leastSetting(t *testing.T) {
	t.Parallel()
	given := func(promised, configured, quiesce float64) promise.Plan {
		one := identical(promised, 20, 100, 5, 3)
		one.ConfiguredRPOMinutes, one.QuiesceSeconds = &configured, quiesce
		return on(10_000, map[string]promise.Tier{"gold": one})
	}
	for name, test := range map[string]struct {
		plan      promise.Plan
		code      string
		limitedBy *string
	}{
		"below the least":         {given(60, 3, 0), "configured_below_minimum", nil},
		"below that of quiescing": {given(60, 10, 20), "configured_below_minimum", nil},
		"a short promise":         {given(3, 60, 0), "rpo_below_minimum", new(promise.LimitedBySetting)},
		"no link at night":        {slowAtNight(0), "late", new(promise.LimitedByHours)},
	} {
		r := compute(t, test.plan)
		assert.Equal(t, plan.Misses, r.Verdict, name)
		assert.Contains(t, plan.Codes(r.Promises["gold"].Findings), test.code, name)
		assert.Equal(t, test.limitedBy, r.Links["metro"].NeededLimitedBy, name)
		assert.Nil(t, r.Promises["gold"].HoldsBy, name)
		isBelow := test.code == "configured_below_minimum"
		assert.NotEqual(t, isBelow, strings.Contains(r.Promises["gold"].Summary, "recovery point"), name)
	}
}
