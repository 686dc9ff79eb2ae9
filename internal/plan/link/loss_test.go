package link_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
)

// TestThroughput_linux checks the throughput of one connection with segments of 1,460 bytes to six significant digits.
//
// Derivation for a loss of 10^-3 and a round-trip time of 100 ms: with E[W] = 1 + sqrt(2664 + 1) = 52.624 and E[X] =
// 0.5 + sqrt(666 + 0.25) = 26.312, the mean window is W = (999 + 52.624) / 27.312 = 38.504 segments, which is above the
// CUBIC window of 33.325. A loss causes a timeout with probability q = 38.504e-6. With f = 1.001, timeouts take
// 38.504e-6 * 1.001 / 0.999 * 3 = 1.157e-4 of the sending time. The throughput is 11,680 bit * 38.504 / 0.1 s * 0.999 /
// 1.0001157 = 4.4923 Mbit/s.
func TestThroughput_linux(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		delay, percent float64
		want           string
	}{
		{100, 1e-3, "123.086"},
		{100, 1e-2, "21.8860"},
		{100, 0.1, "4.49229"},
		{100, 1, "1.38972"},
		{100, 5, "0.567005"},
		{100, 25, "0.0970815"},
		{10, 0.1, "44.8917"},
	} {
		r, err := link.Throughput(input(1e6, rtt(test.delay), loss(test.percent), control(link.Linux)))
		require.NoError(t, err)
		want, err := strconv.ParseFloat(test.want, 64)
		require.NoError(t, err)
		got := strconv.FormatFloat(*r.ThroughputMbps, 'g', 6, 64)
		assert.Equal(t, strconv.FormatFloat(want, 'g', 6, 64), got,
			"%v %% at %v ms: got %s Mbit/s, want %s", test.percent, test.delay, got, test.want)
	}
}

// TestThroughput_linuxAmongTerms checks that the lowest limit applies: 123.086 Mbit/s at a loss of 10^-5, a bandwidth
// of 100 Mbit/s, or the 83.886 Mbit/s (1,024 * 8,192 bit / 0.1 s) that a window of 1,024 KiB allows. Two streams double
// the loss limit.
func TestThroughput_linuxAmongTerms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in      link.Input
		want    float64
		limited string
	}{
		"line":    {input(100), 100, link.LimitedByBandwidth},
		"window":  {input(100, window(1024)), 83.88608, link.LimitedByWindow},
		"streams": {input(1000, streams(2)), 2 * 123.08594939784834, link.LimitedByLoss},
		"no loss": {input(1000, loss(0)), 1000, link.LimitedByBandwidth},
	} {
		if test.in.LossPercent == nil {
			loss(1e-3)(&test.in)
		}
		rtt(100)(&test.in)
		control(link.Linux)(&test.in)
		r, err := link.Throughput(test.in)
		require.NoError(t, err)
		near(t, name, *r.ThroughputMbps, test.want)
		assert.Equal(t, test.limited, r.LimitedBy, name)
	}
}

func TestThroughput_linuxTooLarge(t *testing.T) {
	t.Parallel()
	r, err := link.Throughput(input(1, rtt(100), window(1), loss(25.01), control(link.Linux),
		basis(plan.BasisTransfer)))
	require.NoError(t, err)
	assert.Nil(t, r.ThroughputMbps)
	assert.Nil(t, r.PerStreamMbps)
	assert.Nil(t, r.StreamsNeeded)
	assert.Nil(t, r.ThroughputMbps80)
	assert.Equal(t, []string{"loss_above_25_percent"}, plan.Codes(r.Findings))
	assert.Contains(t, r.Summary, "throughput at a loss of 25.01% is unknown")
}
