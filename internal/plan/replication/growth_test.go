package replication_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/replication"
)

func growing(t *testing.T, change func(*replication.Input)) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes, in.ThroughputMbps = 15, 100, 5, 60, 901
	growth := 30.0
	in.GrowthPercentPerYear, in.HorizonMonths = &growth, 120
	change(&in)
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return r
}

// TestEstimate_growth checks months by hand: 15 VMs of 100 GiB with a daily change of 5 % send 75 GiB,
// 644,245,094,400 bit, in 715.03 s at 901 Mbit/s. At 30 % a year half of an RPO of 60 minutes is reached after 12
// ln(1800 / 715.03) / ln 1.3 = 42.2 months, the whole after 12 ln(3600 / 715.03) / ln 1.3 = 73.9.
func TestEstimate_growth(t *testing.T) {
	t.Parallel()
	r := growing(t, func(*replication.Input) {})
	require.NotNil(t, r.MonthsUntilAtRisk, "no end of the promise, want at risk after 42.2 months and a miss after 73.9")
	require.NotNil(t, r.MonthsUntilMiss, "no end of the promise, want at risk after 42.2 months and a miss after 73.9")
	within(t, "months until at risk", *r.MonthsUntilAtRisk, 42.2, 0.05)
	within(t, "months until miss", *r.MonthsUntilMiss, 73.9, 0.05)
	// The horizon is between them.
	r = growing(t, func(in *replication.Input) { in.HorizonMonths = 60 })
	require.NotNil(t, r.MonthsUntilAtRisk)
	assert.Nil(t, r.MonthsUntilMiss)
	// 715.03 s are more than half of 15 minutes, but less than all of it.
	r = growing(t, func(in *replication.Input) { in.RPOMinutes = 15 })
	require.Equal(t, 0.0, *r.MonthsUntilAtRisk)
	assert.Greater(t, *r.MonthsUntilMiss, 0.0)
	for name, change := range map[string]func(*replication.Input){
		"no growth":     func(in *replication.Input) { in.GrowthPercentPerYear = nil },
		"growth of 0":   func(in *replication.Input) { *in.GrowthPercentPerYear = 0 },
		"nothing grows": func(in *replication.Input) { in.DailyChangePercent = 0 },
	} {
		r := growing(t, change)
		require.Nil(t, r.MonthsUntilAtRisk, name)
		assert.Nil(t, r.MonthsUntilMiss, name)
	}
}

// TestEstimate_growthIsTheBoundary checks that an estate grown for the returned months is at its limit.
func TestEstimate_growthIsTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB = 10, rapid.Float64Range(1, 1000).Draw(t, "size")
		in.DailyChangePercent, in.RPOMinutes = rapid.Float64Range(0.1, 20).Draw(t, "change"), 60
		in.ThroughputMbps = rapid.Float64Range(100, 10000).Draw(t, "throughput")
		in.OverheadSeconds = rapid.SampledFrom([]float64{0, 60}).Draw(t, "overhead")
		growth := rapid.Float64Range(1, 200).Draw(t, "growth")
		in.GrowthPercentPerYear, in.HorizonMonths = &growth, 600
		r, err := replication.Estimate(in)
		require.NoError(t, err)
		if r.MonthsUntilMiss == nil || *r.MonthsUntilMiss == 0 {
			return
		}
		in.VMSizeGiB *= math.Pow(1+growth/100, *r.MonthsUntilMiss/12)
		grown, err := replication.Estimate(in)
		require.NoError(t, err, *r.MonthsUntilMiss)
		assert.InDelta(t, 3600.0, grown.OngoingSyncSeconds, 1e-6*3600, *r.MonthsUntilMiss)
	})
}

// TestReplicaStorage_growth checks that 168.8 GiB growing by 30 % a year fill 300 GiB after 12 ln(300 / 168.8) / ln
// 1.3 = 26.3 months.
func TestReplicaStorage_growth(t *testing.T) {
	t.Parallel()
	months := func(free *float64, growth *float64, horizon float64) *float64 {
		in := storage()
		in.TargetFreeGiB, in.GrowthPercentPerYear, in.HorizonMonths = free, growth, horizon
		r, err := replication.ReplicaStorage(in)
		require.NoError(t, err)
		return r.MonthsUntilFull
	}
	got := months(new(300.0), new(30.0), 36)
	require.NotNil(t, got)
	assert.InDelta(t, 26.3, *got, 0.05)
	if got := months(new(168.0), new(30.0), 36); got == nil || *got != 0 {
		t.Errorf("what does not fit is full after %v", got)
	}
	for name, got := range map[string]*float64{
		"horizon of 26": months(new(300.0), new(30.0), 26),
		"no growth":     months(new(300.0), nil, 36),
		"growth of 0":   months(new(300.0), new(0.0), 36),
		"no free space": months(nil, new(30.0), 36),
	} {
		assert.Nil(t, got, name)
	}
}

// TestReplicaStorage_growthIsTheBoundary checks that replicas grown for the returned months fill the free space.
func TestReplicaStorage_growthIsTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := storage()
		in.ChangeCurve, in.DailyChangePercent = nil, rapid.Float64Range(0, 20).Draw(t, "change")
		in.UsedGiB = rapid.Float64Range(1, 1000).Draw(t, "used")
		free, growth := rapid.Float64Range(100, 10000).Draw(t, "free"), rapid.Float64Range(1, 200).Draw(t, "growth")
		in.TargetFreeGiB, in.GrowthPercentPerYear, in.HorizonMonths = &free, &growth, 600
		r, err := replication.ReplicaStorage(in)
		require.NoError(t, err)
		if r.MonthsUntilFull == nil || *r.MonthsUntilFull == 0 {
			return
		}
		in.UsedGiB *= math.Pow(1+growth/100, *r.MonthsUntilFull/12)
		grown, err := replication.ReplicaStorage(in)
		require.NoError(t, err, *r.MonthsUntilFull)
		assert.InDelta(t, free, grown.TargetGiB, 1e-6*free, *r.MonthsUntilFull)
	})
}
