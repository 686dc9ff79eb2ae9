package promise_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_maxChangeBesideNeed verifies that the largest change is not limited to the reserve of the need. At 8%,
// the 480 GiB of gold change by 38.4 GiB within 1,440 / 48 = 30 minutes, and 146 / 1.14 Mbit/s send them within 38.4 *
// 2^33 * 1.14 / 146e6 = 2,576 s = 42.9 minutes. With 45 minutes configured, no recovery point gets older than 87.9 of
// the promised 90 minutes. The need at 5% is 145.1 Mbit/s, see TestCompute_reserve.
func TestCompute_maxChangeBesideNeed(t *testing.T) {
	t.Parallel()
	p := only(90, 146, func(t *promise.Tier) { t.VMSizeGiB, t.PeakFactor = new(480.0), new(48.0) })
	tiny := p.Tiers["gold"]
	tiny.VMSizeGiB = new(1e-3)
	p.Tiers["tiny"] = tiny
	gold := compute(t, p).Promises["gold"]
	require.NotNil(t, gold.MaxDailyChangePercent)
	assert.Greater(t, *gold.MaxDailyChangePercent, 8.0)
}

// TestCompute_maximaByShare checks a promise that holds only by its share of time. The VM changes 1,000 GiB * 5% * 2^33
// / 86,400 s = 4.97 Mbit/s, 0.956 of 5.2 Mbit/s, so that no setting has a bound: 0.9 * 5.2 / 4.97 * 5% = 4.71%. With
// 360 minutes configured, a recovery point gets 360 * 1.956 = 704 minutes old in the simulated days.
func TestCompute_maximaByShare(t *testing.T) {
	t.Parallel()
	p := on(5.2, map[string]promise.Tier{"gold": identical(1440, 1, 1000, 5, 1)})
	gold := compute(t, withTiers(p, configured(360))).Promises["gold"]
	assert.Equal(t, new(promise.ByShare), gold.HoldsBy)
	assert.Nil(t, gold.MaxDailyChangePercent)
	assert.Nil(t, gold.MaxPeakFactor)
}

// TestCompute_shareRemedy verifies that the promise of TestCompute_maximaByShare misses without a configured RPO, and
// that its last remedy is to configure 720 minutes: 1,440 / 1.956 = 736, rounded down. A recovery point then gets 720 *
// 1.956 = 1,408 minutes old.
func TestCompute_shareRemedy(t *testing.T) {
	t.Parallel()
	gold := compute(t, on(5.2, map[string]promise.Tier{"gold": identical(1440, 1, 1000, 5, 1)})).Promises["gold"]
	assert.Equal(t, plan.Misses, gold.Verdict)
	require.NotEmpty(t, gold.Remedies)
	last := gold.Remedies[len(gold.Remedies)-1]
	assert.Equal(t, promise.RemedySetting, last.Kind)
	assert.Equal(t, new(720.0), last.Value)
	assert.Contains(t, last.Sentence, "within the promised RPO for at least 99.9% of the simulated time")
}

// TestCompute_maximaAtNeed verifies that no maximum is below the value in use if all promises hold, even if each link
// has only the throughput that it needs. The search is accurate to 1%, which for seed 44 would lead to a lower maximum.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_maximaAtNeed(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, p promise.Plan) {
		t.Helper()
		for name, l := range compute(t, p).Links {
			if l.ThroughputNeededMbps != nil {
				p = p.WithThroughput(name, *l.ThroughputNeededMbps)
			}
		}
		r := compute(t, p)
		if r.Verdict != plan.Meets {
			return
		}
		for name, maxima := range r.Promises {
			if most := maxima.MaxDailyChangePercent; most != nil {
				assert.GreaterOrEqual(t, *most, *p.Tiers[name].DailyChangePercent, name)
			}
			if most, given := maxima.MaxPeakFactor, p.Tiers[name].PeakFactor; most != nil && given != nil {
				assert.GreaterOrEqual(t, *most, *given, name)
			}
		}
	}
	estates(t, check)
	check(t, drawn(44))
}

// TestCompute_maximaTyped verifies that the promises hold with the largest changes and peaks typed in, and with those
// that are a hundredth smaller.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_maximaTyped(t *testing.T) {
	t.Parallel()
	estates(t, checkMaxima)
	checkMaxima(t, movedAtHours())
}

// movedAtHours returns a plan with migrations that leave half of the link at 9:00, 70% at 20:00 and 20% at 23:00. The
// worst start of a short busy time is 23:00, and that of one of 8 hours is 16:00.
func movedAtHours() promise.Plan {
	p := onBasis(200, plan.BasisNominal, map[string]promise.Tier{"gold": identical(15, 1, 900, 1, 3)})
	metro, gold := p.Links["metro"], p.Tiers["gold"]
	metro.HourlyMovesPercent = make([]float64, 24)
	metro.HourlyMovesPercent[9], metro.HourlyMovesPercent[20], metro.HourlyMovesPercent[23] = 50, 30, 80
	gold.OverheadSeconds = 120
	p.Links["metro"], p.Tiers["gold"] = metro, gold
	return p
}

func checkMaxima(t *testing.T, p promise.Plan) {
	t.Helper()
	r := compute(t, p)
	for _, factor := range []float64{1, 0.99} {
		checkTyped(t, p, r, func(maxima promise.Promise, tier *promise.Tier) bool {
			if maxima.MaxPeakFactor == nil {
				return false
			}
			peak := factor * *maxima.MaxPeakFactor
			tier.PeakFactor = new(max(1, peak))
			tier.ConfiguredRPOMinutes = maxima.MaxPeakRPOMinutes
			return true
		})
		checkTyped(t, p, r, func(maxima promise.Promise, tier *promise.Tier) bool {
			if maxima.MaxDailyChangePercent == nil {
				return false
			}
			tier.DailyChangePercent = new(factor * *maxima.MaxDailyChangePercent)
			tier.ConfiguredRPOMinutes = maxima.MaxDailyChangeRPOMinutes
			return true
		})
	}
}

// checkTyped calls change for each tier with the maxima of its promise. It verifies that the promises of the tiers for
// which change returns true hold.
func checkTyped(
	t *testing.T, p promise.Plan, r promise.Result, change func(maxima promise.Promise, tier *promise.Tier) bool,
) {
	t.Helper()
	var changed []string
	p.Tiers = maps.Clone(p.Tiers)
	for name, maxima := range r.Promises {
		tier := p.Tiers[name]
		if change(maxima, &tier) {
			p.Tiers[name] = tier
			changed = append(changed, name)
		}
	}
	typed := judge(t, p)
	for _, name := range changed {
		assert.Equal(t, plan.Meets, typed.Promises[name].Verdict, "%s: %s", name, typed.Promises[name].Summary)
	}
}

// TestCompute_maxPeak checks the sentence about an unknown peak; see the slow seed of TestCompute_goldens.
func TestCompute_maxPeak(t *testing.T) {
	t.Parallel()
	p := onBasis(440, plan.BasisNetwork, map[string]promise.Tier{"gold": identical(15, 15, 95.367, 5, 0)})
	gold := compute(t, p).Promises["gold"]
	require.NotNil(t, gold.MaxPeakFactor)
	require.NotNil(t, gold.MaxPeakRPOMinutes)
	assert.InEpsilon(t, 48.8, *gold.MaxPeakFactor, 0.01)
	assert.InDelta(t, 6, *gold.MaxPeakRPOMinutes, 0)
	assert.Contains(
		t,
		gold.Findings[0].Sentence,
		"holds while the busiest time changes at most 48.8 times the daily mean",
	)
	kinds := map[string]promise.Remedy{}
	for _, r := range gold.Remedies {
		kinds[r.Kind] = r
	}
	require.Contains(t, kinds, promise.RemedyPeak)
	assert.Equal(t, gold.MaxPeakFactor, kinds[promise.RemedyPeak].Value)
	require.Contains(t, kinds, promise.RemedyThroughput)
	assert.Equal(t, map[string]float64{"gold": 6}, kinds[promise.RemedyThroughput].ConfiguredRPOMinutes)
}
