package interactive_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/interactive"
)

// TestLatencyImpact_hairOfThinkTime checks that a cycle that consists only of the smallest possible think time is
// rejected. It would result in a throughput of 1 / 5e-324, which is infinite.
func TestLatencyImpact_hairOfThinkTime(t *testing.T) {
	t.Parallel()
	in, k := interactive.Defaults(), 1.0
	in.Users = 1
	in.ThinkSeconds = 5e-324
	in.RTTBeforeMs = 1000
	in.RTTAfterMs = 0
	in.ThroughputBefore, in.RoundTrips = 1, &k
	_, err := interactive.LatencyImpact(in)
	var list plan.InputErrors
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	assert.Equal(t, "rtt_after_ms", list[0].Path.String())
}

// TestLatencyImpact_calibratedToTheLastDigit checks that the measured throughput is returned unchanged even if the
// round trips dominate the cycle, which is 1e6 s before the move and 1e-12 s after it.
func TestLatencyImpact_calibratedToTheLastDigit(t *testing.T) {
	t.Parallel()
	in, after := interactive.Defaults(), 1e12
	in.Users = 1
	in.RTTBeforeMs = 1e7
	in.ThroughputBefore = 1e-6
	in.ThroughputAfter = &after
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	assert.InDelta(t, after, r.ThroughputAfter, 1e-12*after)
	if want := 1e6 / 1e4; math.Abs(r.RoundTrips-want) > 1e-9 { // round trips of 1e4 s add up to 1e6 s
		t.Errorf("%v round trips, want %v", r.RoundTrips, want)
	}
}

// TestLatencyImpact_thinkTimeBoundsBoth checks the throughput limit imposed by the think time: 5 users with a think
// time of 0.02 s reach at most 5 / 0.02 = 250 operations/s.
func TestLatencyImpact_thinkTimeBoundsBoth(t *testing.T) {
	t.Parallel()
	in, after := interactive.Defaults(), 251.0
	in.Users = 5
	in.ThinkSeconds = 0.02
	in.RTTBeforeMs = 40
	in.ThroughputBefore = 10
	in.ThroughputAfter = &after
	_, err := interactive.LatencyImpact(in)
	var list plan.InputErrors
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	assert.Equal(t, "throughput_after", list[0].Path.String())
	assert.Contains(t, err.Error(), "250.000 operations/s")
	after = 250
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	assert.Equal(t, 0.0, r.ResponseAfterSeconds)
}
