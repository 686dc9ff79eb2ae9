package link_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
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
	assert.True(t, math.Abs(got-want) <= 1e-9*math.Abs(want), "%s is %v, want %v", what, got, want)
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
		assert.NotEqual(t, "", r.Summary, name)
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
	}{{link.Reno, 1e-4, 313.22}, {link.Cubic, 1e-4, 885.76}, {link.Reno, 0.1, 9.905}, {link.Cubic, 0.1, 9.905}} {
		r, err := link.Throughput(input(1e6, rtt(37.29), loss(test.percent), control(test.control)))
		if err != nil || math.Abs(*r.ThroughputMbps-test.want) > 5e-3 {
			t.Errorf("%s at %v %%: %v Mbit/s, %v; want %v", test.control, test.percent, *r.ThroughputMbps, err, test.want)
		}
	}
}

func TestThroughput_allLost(t *testing.T) {
	t.Parallel()
	for _, law := range []string{link.Reno, link.Cubic} {
		r, err := link.Throughput(input(1000, rtt(10), loss(100), control(law)))
		assert.True(t, err == nil && *r.ThroughputMbps == 0 && *r.PerStreamMbps == 0 && r.StreamsNeeded == nil &&
			r.LimitedBy == link.LimitedByLoss && !strings.Contains(r.Summary, "would fill"),
			"%s: %+v, %v", law, r, err)
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
		"window_kib": input(1000, window(64)), "loss_percent": input(1000, loss(1)),
	} {
		_, err := link.Throughput(in)
		var list plan.InputErrors
		assert.True(t, errors.As(err, &list) && len(list) == 1 && list[0].Path.String() == name &&
			strings.Contains(err.Error(), "requires rtt_ms"), "%s without an RTT: %v", name, err)
	}
	_, err := link.Throughput(input(1000, loss(0)))
	assert.NoError(t, err)
}

// TestThroughput_band checks the throughputs that 4 of 5 and 9 of 10 measurements reached. For a rate measured on
// transfers, the throughput is divided by 1.14 and 1.32, respectively. For a nominal rate, of which at most 70% is
// usable, it is divided by 1.87 for 4 of 5 measurements; there are too few measurements for 9 of 10.
func TestThroughput_band(t *testing.T) {
	t.Parallel()
	const transfer, nominal = plan.BasisTransfer, plan.BasisNominal
	for name, test := range map[string]struct {
		in                    link.Input
		fourOfFive, nineOfTen float64 // 0 if nil
	}{
		"no basis":            {input(1000), 0, 0},
		"network":             {input(1000, basis(plan.BasisNetwork)), 0, 0},
		"transfer":            {input(1000, basis(transfer)), 1000 / 1.14, 1000 / 1.32},
		"nominal":             {input(1000, basis(nominal)), 700 / 1.87, 0},
		"nominal at 70 %":     {input(1000, basis(nominal), efficient(70)), 700 / 1.87, 0},
		"nominal at 80 %":     {input(1000, basis(nominal), efficient(80)), 700 / 1.87, 0},
		"nominal at 50 %":     {input(1000, basis(nominal), efficient(50)), 500 / 1.87, 0},
		"nominal, two flows":  {input(1000, basis(nominal), perFlow(200), streams(2)), 400 / 1.87, 0},
		"no loss":             {input(1000, basis(transfer), rtt(10), loss(0)), 1000 / 1.14, 1000 / 1.32},
		"loss":                {input(1000, basis(transfer), rtt(10), loss(1e-9)), 0, 0},
		"windows of 65 %":     {input(1000, basis(transfer), rtt(8.192), window(650)), 650 / 1.14, 650 / 1.32},
		"windows above 65 %":  {input(1000, basis(transfer), rtt(8.192), window(651)), 0, 0},
		"windows of 2 flows":  {input(1000, basis(transfer), rtt(8.192), window(326), streams(2)), 0, 0},
		"of the nominal part": {input(1000, basis(nominal), rtt(8.192), window(456)), 0, 0}, // 65% of 700 = 455
	} {
		r, err := link.Throughput(test.in)
		require.NoError(t, err)
		for _, band := range []struct {
			name string
			got  *float64
			want float64
		}{{"_80", r.ThroughputMbps80, test.fourOfFive}, {"_90", r.ThroughputMbps90, test.nineOfTen}} {
			if (band.got == nil) != (band.want == 0) {
				t.Errorf("%s: %s is %v, want %v", name, band.name, band.got, band.want)
			} else if band.got != nil {
				near(t, name+band.name, *band.got, band.want)
			}
		}
	}
}

func TestThroughput_warnings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   link.Input
		want []string
	}{
		"no round trip":      {input(1000), nil},
		"nothing but it":     {input(1000, rtt(10)), []string{"window_unknown"}},
		"a loss of 0":        {input(1000, rtt(10), loss(0)), nil},
		"window and loss":    {input(1000, rtt(10), loss(0), window(1e6)), nil},
		"2 streams, 65 %":    {input(1000, rtt(8.192), window(325), streams(2)), []string{"limited_by_window"}},
		"2 streams, above":   {input(1000, rtt(8.192), window(326), streams(2)), []string{"limited_by_window", "unequal_shares"}},
		"1 stream, the line": {input(1000, rtt(8.192), window(1001)), nil},
	} {
		r, err := link.Throughput(test.in)
		if got := plan.Codes(r.Findings); err != nil || !slices.Equal(got, test.want) && len(got)+len(test.want) > 0 {
			t.Errorf("%s: got reasons %v (%v), want %v", name, got, err, test.want)
		}
	}
	// The streams together reach between 70% and 100% of the bandwidth of 1,000 Mbit/s.
	const want = "The windows of 3 streams allow 1,500 Mbit/s, above 65% of the usable 1,000 Mbit/s. The streams share " +
		"it " +
		"unequally, reach 700 Mbit/s to 1,000 Mbit/s in total, and the last one takes up to 1.2 times the mean duration."
	r, err := link.Throughput(input(1000, rtt(8.192), window(500), streams(3)))
	require.NoError(t, err)
	assert.Contains(t, plan.Sentences(r.Findings), want)
}

func TestThroughput_cubicIsNeverBelowReno(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		delay, lost, more := draw("rtt", 0.1, 300), draw("loss", 1e-6, 50), draw("more", 1, 2)
		mbps := func(law string, lost float64) float64 {
			r, err := link.Throughput(input(1e6, rtt(delay), loss(lost), control(law)))
			require.NoError(t, err)
			return *r.ThroughputMbps
		}
		reno, cubic := mbps(link.Reno, lost), mbps(link.Cubic, lost)
		assert.True(t, cubic >= reno && mbps(link.Reno, lost*more) <= reno && mbps(link.Cubic, lost*more) <= cubic,
			"at a loss of %v %%: %v and %v Mbit/s", lost, reno, cubic)
		few := min(lost, 24.9/more)
		less := mbps(link.Linux, few*more)
		assert.LessOrEqual(t, less, mbps(link.Linux, few),
			"linux at a loss of %v %%: %v Mbit/s, more than at %v %%", few*more, less, few)
	})
}

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
	r, err := link.Throughput(input(1, rtt(100), window(1), loss(25.01), control(link.Linux), basis(plan.BasisTransfer)))
	require.NoError(t, err)
	assert.True(t, r.ThroughputMbps == nil && r.PerStreamMbps == nil && r.StreamsNeeded == nil &&
		r.ThroughputMbps80 == nil, "got %+v, want no throughput and no streams", r)
	assert.Equal(t, []string{"loss_above_25_percent"}, plan.Codes(r.Findings))
	assert.Contains(t, r.Summary, "throughput at a loss of 25.01% is unknown")
}
