package interactive_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/interactive"
)

// TestLatencyImpact_hairOfThinkTime checks that the smallest think time does not lead to an infinite throughput of 1
// / 5e-324 if there are no round trips left.
func TestLatencyImpact_hairOfThinkTime(t *testing.T) {
	t.Parallel()
	in, k := interactive.Defaults(), 1.0
	in.Users, in.ThinkSeconds, in.RTTBeforeMs, in.RTTAfterMs = 1, 5e-324, 1000, 0
	in.ThroughputBefore, in.RoundTrips = 1, &k
	_, err := interactive.LatencyImpact(in)
	var list plan.InputErrors
	assert.True(t, errors.As(err, &list) && len(list) == 1 && list[0].Path.String() == "rtt_after_ms",
		"got %v, want an error at rtt_after_ms", err)
}

// TestLatencyImpact_calibratedToTheLastDigit checks that the measured throughput is returned unchanged, even if round
// trips are almost the whole cycle: 1e6 s with them and 1e-12 s without.
func TestLatencyImpact_calibratedToTheLastDigit(t *testing.T) {
	t.Parallel()
	in, after := interactive.Defaults(), 1e12
	in.Users, in.RTTBeforeMs, in.ThroughputBefore, in.ThroughputAfter = 1, 1e7, 1e-6, &after
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	assert.InDelta(t, after, r.ThroughputAfter, 1e-12*after)
	if want := 1e6 / 1e4; math.Abs(r.RoundTrips-want) > 1e-9 { // 1e6 s in round trips of 1e4 s
		t.Errorf("%v round trips, want %v", r.RoundTrips, want)
	}
}

// TestLatencyImpact_thinkTimeBoundsBoth checks the limit set by think time: 5 users with 0.02 s reach at most 5 /
// 0.02 = 250 operations/s.
func TestLatencyImpact_thinkTimeBoundsBoth(t *testing.T) {
	t.Parallel()
	in, after := interactive.Defaults(), 251.0
	in.Users, in.ThinkSeconds, in.RTTBeforeMs, in.ThroughputBefore, in.ThroughputAfter = 5, 0.02, 40, 10, &after
	_, err := interactive.LatencyImpact(in)
	var list plan.InputErrors
	if !errors.As(err, &list) || len(list) != 1 || list[0].Path.String() != "throughput_after" ||
		!strings.Contains(err.Error(), "250.000 operations/s") {
		t.Errorf("got %v, want an error at throughput_after that names 250", err)
	}
	after = 250
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	assert.Equal(t, 0.0, r.ResponseAfterSeconds)
}

// TestLatencyImpact_sameDistance checks that an unchanged round-trip time changes nothing, up to rounding.
func TestLatencyImpact_sameDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		in := interactive.Defaults()
		in.Users = float64(rapid.IntRange(1, 1000).Draw(t, "users"))
		in.ThinkSeconds, in.RTTBeforeMs = draw("think", 0, 10), draw("rtt", 0, 200)
		in.RTTAfterMs = in.RTTBeforeMs
		k := draw("k", 0, 100)
		in.RoundTrips = &k
		in.ThroughputBefore = in.Users / (in.ThinkSeconds + draw("service", 0.001, 2) + k*in.RTTBeforeMs/1000)
		r, err := interactive.LatencyImpact(in)
		require.NoError(t, err)
		if math.Abs(r.ThroughputChangePercent) > 1e-9 || math.Abs(r.ResponseAfterSeconds-r.ResponseBeforeSeconds) > 1e-9 ||
			r.MoveTogether {
			t.Errorf("the throughput changes by %v %%, the response from %v to %v s", r.ThroughputChangePercent,
				r.ResponseBeforeSeconds, r.ResponseAfterSeconds)
		}
	})
}
