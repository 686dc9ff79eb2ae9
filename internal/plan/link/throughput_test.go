package link_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
)

func input(bandwidth float64, change ...func(*link.Input)) link.Input {
	in := link.Defaults()
	in.BandwidthMbps = bandwidth
	for _, c := range change {
		c(&in)
	}
	return in
}

func rtt(ms float64) func(*link.Input)     { return func(in *link.Input) { in.RTTMs = &ms } }
func window(kib float64) func(*link.Input) { return func(in *link.Input) { in.WindowKiB = &kib } }
func loss(p float64) func(*link.Input)     { return func(in *link.Input) { in.LossPercent = &p } }
func perFlow(m float64) func(*link.Input)  { return func(in *link.Input) { in.PerFlowLimitMbps = &m } }
func streams(n float64) func(*link.Input)  { return func(in *link.Input) { in.Streams = n } }
func control(c string) func(*link.Input)   { return func(in *link.Input) { in.CongestionControl = c } }

func basis(b string) func(*link.Input)      { return func(in *link.Input) { in.ThroughputBasis = b } }
func share(p float64) func(*link.Input)     { return func(in *link.Input) { in.SharePercent = p } }
func efficient(p float64) func(*link.Input) { return func(in *link.Input) { in.EfficiencyPercent = p } }

func near(t interface{ Errorf(string, ...any) }, what string, got, want float64) {
	assert.LessOrEqual(t, math.Abs(got-want), 1e-9*math.Abs(want), "%s is %v, want %v", what, got, want)
}

func TestThroughput(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in      link.Input
		mbps    float64
		limited string
		needed  float64
	}{
		"all of the link":   {input(1000), 1000, link.LimitedByBandwidth, 1},
		"efficiency, share": {input(1000, efficient(70), share(50)), 350, link.LimitedByBandwidth, 1},
		// One stream reaches 64 * 8,192 bit / 0.1 s = 5.24288 Mbit/s, so 1,000 / 5.24288 = 190.7 streams fill the link.
		"64 KiB at 100 ms":    {input(1000, window(64), rtt(100)), 5.24288, link.LimitedByWindow, 191},
		"191 of such streams": {input(1000, window(64), rtt(100), streams(191)), 1000, link.LimitedByBandwidth, 191},
		// One stream reaches 1,460 * 8 bit / (0.1 s * sqrt(0.0001)) = 11.68 Mbit/s.
		"loss":             {input(1000, loss(0.01), rtt(100)), 11.68, link.LimitedByLoss, 86},
		"loss, ten times":  {input(1000, loss(0.01), rtt(100), streams(10)), 116.8, link.LimitedByLoss, 86},
		"no loss":          {input(1000, loss(0), rtt(100)), 1000, link.LimitedByBandwidth, 1},
		"one vMotion flow": {input(25000, perFlow(5000)), 5000, link.LimitedByPerFlow, 5}, // across availability zones
		"five such flows":  {input(25000, perFlow(5000), streams(5)), 25000, link.LimitedByBandwidth, 5},
	} {
		r, err := link.Throughput(test.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name, *r.ThroughputMbps, test.mbps)
		near(t, name+", a stream", *r.PerStreamMbps, test.mbps/test.in.Streams)
		require.Equal(t, test.limited, r.LimitedBy, name)
		assert.Equal(t, test.needed, *r.StreamsNeeded, name)
		assert.Equal(t, test.in.RTTMs == nil, r.BandwidthDelayProductKiB == nil, name)
		limit := slices.Contains(plan.Codes(r.Findings), "limited_by_"+test.limited)
		require.Equal(t, test.limited != link.LimitedByBandwidth, limit, name)
		assert.NotEmpty(t, r.Summary, name)
	}
}

// TestThroughput_congestionControl checks Reno and CUBIC with segments of 1,460 * 8 bits at 37.29 ms. At a loss of
// 10^-6, the Reno window is 1,000 segments (313.22 Mbit/s). The CUBIC window is (0.4 * 3.7 / 1.2)^(1/4) * (0.03729 /
// 10^-6)^(3/4) = 2,828 segments (885.76 Mbit/s). At 10^-3, Reno's 9.905 Mbit/s applies to both, because CUBIC's 4.981
// Mbit/s is lower.
func TestThroughput_congestionControl(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		control       string
		percent, want float64
	}{
		{link.Reno, 1e-4, 313.22},
		{link.Cubic, 1e-4, 885.76},
		{link.Reno, 0.1, 9.905},
		{link.Cubic, 0.1, 9.905},
	} {
		r, err := link.Throughput(input(1e6, rtt(37.29), loss(test.percent), control(test.control)))
		require.NoError(t, err, "%+v", test)
		assert.InDelta(t, test.want, *r.ThroughputMbps, 5e-3, "%+v", test)
	}
}

func TestThroughput_allLost(t *testing.T) {
	t.Parallel()
	for _, law := range []string{link.Reno, link.Cubic} {
		r, err := link.Throughput(input(1000, rtt(10), loss(100), control(law)))
		require.NoError(t, err, law)
		assert.Zero(t, *r.ThroughputMbps, law)
		assert.Zero(t, *r.PerStreamMbps, law)
		assert.Nil(t, r.StreamsNeeded, law)
		assert.Equal(t, link.LimitedByLoss, r.LimitedBy, law)
		assert.NotContains(t, r.Summary, "would fill", law)
	}
}

func TestThroughput_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		in := input(draw("bandwidth", 1, 1e6), rtt(draw("rtt", 0.01, 1000)), window(draw("window", 1, 1e6)),
			loss(draw("loss", 0, 50)), perFlow(draw("per flow", 1, 1e6)),
			streams(float64(rapid.IntRange(1, 1000).Draw(t, "streams"))))
		before, err := link.Throughput(in)
		require.NoError(t, err)
		require.LessOrEqual(t, *before.ThroughputMbps, in.BandwidthMbps)
		assert.Greater(t, *before.ThroughputMbps, 0.0)
		// The calculated number of streams fills the link, but one stream fewer does not.
		in.Streams = *before.StreamsNeeded
		if in.Streams > link.RangeStreams.Max {
			return
		}
		full, err := link.Throughput(in)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, *full.ThroughputMbps, in.BandwidthMbps*(1-1e-9))
		if in.Streams--; in.Streams >= 1 {
			less, err := link.Throughput(in)
			require.NoError(t, err)
			assert.Less(t, *less.ThroughputMbps, in.BandwidthMbps)
		}
	})
}

func TestThroughput_badInput(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]link.Input{
		"window_kib":   input(1000, window(64)),
		"loss_percent": input(1000, loss(1)),
	} {
		_, err := link.Throughput(in)
		var list plan.InputErrors
		require.ErrorAs(t, err, &list, "%s without an RTT", name)
		require.Len(t, list, 1, "%s without an RTT", name)
		assert.Equal(t, name, list[0].Path.String(), "%s without an RTT", name)
		assert.Contains(t, err.Error(), "requires rtt_ms", "%s without an RTT", name)
	}
	_, err := link.Throughput(input(1000, loss(0)))
	assert.NoError(t, err)
}
