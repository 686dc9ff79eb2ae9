package promise_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestPlan_watched checks that a watch sees every run, and the verdicts before and after the needs, which are those of
// the answer.
func TestPlan_watched(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	var runs atomic.Int64
	var partial []promise.Result
	r := compute(t, p.Watched(promise.Watch{
		Runs:    func(int, int) { runs.Add(1) },
		Partial: func(r promise.Result) { partial = append(partial, r) },
	}))
	assert.GreaterOrEqual(t, runs.Load(), r.Runs)
	require.Len(t, partial, 2)
	assert.Equal(t, r.Verdict, partial[0].Verdict)
	assert.Nil(t, partial[0].Links["metro"].ThroughputNeededMbps)
	assert.Equal(t, r.Links["metro"].ThroughputNeededMbps, partial[1].Links["metro"].ThroughputNeededMbps)
}

// TestNeeds checks that the need is that of Compute, and that no growth is computed. 10 GiB * 1 % * 2^33 / 86,400 s =
// 0.01 Mbit/s grow eleven times a year: above 1 Mbit/s in two years.
func TestNeeds(t *testing.T) {
	t.Parallel()
	p := on(1, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	p.GrowthPercentPerYear = new(1000.0)
	whole := compute(t, p)
	require.NotNil(t, whole.Promises["gold"].MonthsUntilMiss)
	r, err := promise.Needs(t.Context(), p)
	require.NoError(t, err)
	require.NotNil(t, r.Links["metro"].ThroughputNeededMbps)
	assert.Equal(t, whole.Links["metro"].ThroughputNeededMbps, r.Links["metro"].ThroughputNeededMbps)
	assert.Nil(t, r.Promises["gold"].MonthsUntilMiss)
	delete(p.Links, "metro")
	_, err = promise.Needs(t.Context(), p)
	require.ErrorContains(t, err, "links")
}

// TestMoves_on checks 40 % of a link of 100 Mbit/s with an efficiency of 70 %, 28 Mbit/s, and of a throughput of 50
// Mbit/s, 20.
func TestMoves_on(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	assert.InDelta(t, 100, metro.MeanMbps(), 1e-9)
	assert.Zero(t, promise.Link{}.MeanMbps())
	metro.EfficiencyPercent = 70
	hourly := metro
	hourly.ThroughputMbps, hourly.HourlyThroughputMbps = nil, slices.Repeat([]float64{100}, 24)
	p.Links["metro"], p.Links["hourly"] = metro, hourly
	own := migration.PlanInput{ThroughputMbps: new(50.0)}
	day := migration.PlanInput{HourlyThroughputMbps: slices.Repeat([]float64{50}, 24)}
	for name, test := range map[string]struct {
		moves  promise.Moves
		mbps   float64
		hourly bool
	}{
		"link":        {promise.Moves{Link: "metro", SharePercent: 40}, 28, false},
		"hourly link": {promise.Moves{Link: "hourly", SharePercent: 40}, 28, true},
		"own":         {promise.Moves{Input: own, SharePercent: 40}, 20, false},
		"own, hourly": {promise.Moves{Input: day, SharePercent: 40}, 20, true},
	} {
		got := test.moves.On(p)
		if !test.hourly {
			assert.InDelta(t, test.mbps, *got.ThroughputMbps, 1e-9, name)
			assert.Nil(t, got.HourlyThroughputMbps, name)
			continue
		}
		assert.InDeltaSlice(t, slices.Repeat([]float64{test.mbps}, 24), got.HourlyThroughputMbps, 1e-9, name)
	}
}
