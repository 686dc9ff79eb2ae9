package interactive_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/interactive"
)

// measured returns the published example: 5 users with a think time of 0.02 s complete 65 operations/s while the
// application is close to the database.
func measured(rttAfter float64) interactive.Input {
	in := interactive.Defaults()
	in.Users = 5
	in.ThinkSeconds = 0.02
	in.ThroughputBefore = 65
	in.RTTAfterMs = rttAfter
	return in
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.InDelta(t, want, got, tolerance, what)
}

// TestLatencyImpact_published checks the published throughput of 10 operations/s at a round-trip time of 40 ms: R0 =
// 5/65 - 0.02 = 56.9 ms, and k = (5/10 - 5/65) / 0.04 = 10.58 round trips. With only one round trip per operation, the
// throughput would be 42.8 operations/s.
func TestLatencyImpact_published(t *testing.T) {
	t.Parallel()
	in, ten := measured(40), 10.0
	in.ThroughputAfter = &ten
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	near(t, "R0", r.ServiceSeconds, 0.0569, 5e-5)
	near(t, "k", r.RoundTrips, 10.58, 5e-3)
	near(t, "response before", r.ResponseBeforeSeconds, 0.0569, 5e-5)
	near(t, "response after", r.ResponseAfterSeconds, 0.48, 1e-12) // 5/10 - 0.02
	near(t, "change", r.ThroughputChangePercent, -84.6, 0.05)      // 10/65 - 1
	require.True(t, r.MoveTogether, "got %+v, want together, because of the loss", r)
	assert.Equal(t, "loss_above_tolerance", plan.Codes(r.Findings)[0])
	in, one := measured(40), 1.0
	in.RoundTrips = &one
	r, err = interactive.LatencyImpact(in)
	require.NoError(t, err)
	near(t, "throughput with one round trip", r.ThroughputAfter, 42.8, 0.05)
	in.TolerancePercent = 35 // the throughput loss is 34.2%
	r, err = interactive.LatencyImpact(in)
	require.NoError(t, err, "within the tolerance")
	assert.False(t, r.MoveTogether, "within the tolerance: %+v, %v", r, err)
	assert.Empty(t, r.Findings, "within the tolerance")
}

func TestLatencyImpact_roundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := interactive.Defaults()
		in.Users = float64(rapid.IntRange(1, 1000).Draw(t, "users"))
		in.ThinkSeconds = rapid.Float64Range(0, 10).Draw(t, "think")
		service := rapid.Float64Range(0.001, 2).Draw(t, "service")
		k := rapid.Float64Range(0, 100).Draw(t, "k")
		in.RTTBeforeMs = rapid.Float64Range(0, 5).Draw(t, "before")
		in.RTTAfterMs = rapid.Float64Range(6, 200).Draw(t, "after")
		in.ThroughputBefore = in.Users / (in.ThinkSeconds + service + k*in.RTTBeforeMs/1000)
		in.RoundTrips = &k
		predicted, err := interactive.LatencyImpact(in)
		require.NoError(t, err)
		require.InDelta(t, service, predicted.ServiceSeconds, 1e-6)
		assert.LessOrEqual(t, predicted.ThroughputAfter, in.ThroughputBefore*(1+1e-9))
		in.RoundTrips, in.ThroughputAfter = nil, &predicted.ThroughputAfter
		calibrated, err := interactive.LatencyImpact(in)
		if err != nil {
			require.LessOrEqual(t, k, 1e-6)
		}
		if err == nil {
			assert.LessOrEqual(t, math.Abs(calibrated.RoundTrips-k), 1e-6*(1+k))
		}
	})
}

// TestLatencyImpact_ratio checks the limit on the response ratio. 20 round trips of 400 ms increase the response time
// from 2.5 s to 10.5 s, a factor of 4.2. With a think time of 1,000 s, however, the throughput falls by only 0.8%, from
// 1 / 1002.5 to 1 / 1010.5.
func TestLatencyImpact_ratio(t *testing.T) {
	t.Parallel()
	in := interactive.Defaults()
	in.Users = 1
	in.ThinkSeconds = 1000
	in.ThroughputBefore = 1 / 1002.5
	in.RTTAfterMs, in.RoundTrips = 400, new(20.0)
	for _, test := range []struct {
		bound    *float64
		together bool
	}{
		{nil, false},
		{new(4.3), false},
		{new(4.1), true},
	} {
		in.MaxResponseRatio = test.bound
		r, err := interactive.LatencyImpact(in)
		require.NoError(t, err)
		near(t, "ratio", *r.ResponseRatio, 10.5/2.5, 1e-9)
		require.Equal(t, test.together, r.MoveTogether)
		assert.Equal(t, test.together, slices.Contains(plan.Codes(r.Findings), "response_ratio_above_bound"))
		// 1 / 1002.5 and 1 / 1010.5 operations/s to three significant digits, and the response ratio.
		for _, want := range []string{
			"0.000998 operations/s before the move and 0.000990 after it", ", 4.20 times as long as before.",
		} {
			assert.Contains(t, r.Summary, want)
		}
	}
	// The cycle before the move consists only of think time.
	in.ThinkSeconds, in.ThroughputBefore = 1, 1
	r, err := interactive.LatencyImpact(in)
	require.NoError(t, err)
	assert.Nil(t, r.ResponseRatio)
}

func TestLatencyImpact_badInput(t *testing.T) {
	t.Parallel()
	v := func(x float64) *float64 { return &x }
	for name, test := range map[string]struct {
		change func(*interactive.Input)
		at     string
		say    string
	}{
		"neither": {
			func(in *interactive.Input) { in.RoundTrips = nil },
			"round_trips_per_operation",
			"unless throughput_after",
		},
		"both": {
			func(in *interactive.Input) { in.ThroughputAfter = v(1) },
			"throughput_after",
			"must not be set together",
		},
		"same RTT": {
			func(in *interactive.Input) {
				in.RoundTrips = nil
				in.ThroughputAfter = v(10)
				in.RTTAfterMs = 0
			},
			"rtt_after_ms",
			"must differ",
		},
		"faster": {
			func(in *interactive.Input) { in.RoundTrips, in.ThroughputAfter = nil, v(100) },
			"throughput_after",
			"cannot increase",
		},
		"far too slow": {
			func(in *interactive.Input) {
				in.RoundTrips = nil
				in.ThroughputAfter = v(1e-5)
				in.RTTAfterMs = 1e-6
			},
			"throughput_after",
			"million",
		},
		"impossible": {
			func(in *interactive.Input) { in.RTTBeforeMs = 1000 },
			"throughput_before",
			"exceeds the maximum",
		},
		"no time at all": {func(in *interactive.Input) {
			in.ThinkSeconds = 0
			in.RTTBeforeMs = 1000
			in.RTTAfterMs = 0
			in.ThroughputBefore = 5
		}, "rtt_after_ms", "must be higher"},
	} {
		in := measured(40)
		in.RoundTrips = v(1)
		test.change(&in)
		_, err := interactive.LatencyImpact(in)
		var list plan.InputErrors
		require.ErrorAs(t, err, &list, name)
		require.Len(t, list, 1, name)
		assert.Equal(t, test.at, list[0].Path.String(), name)
		assert.Contains(t, err.Error(), test.say, name)
	}
}
