package link_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
)

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
		"network":             {input(1000, basis(plan.BasisNetwork)), 1000 / 1.14, 1000 / 1.32},
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
		"no round trip":   {input(1000), nil},
		"nothing but it":  {input(1000, rtt(10)), []string{"window_unknown"}},
		"a loss of 0":     {input(1000, rtt(10), loss(0)), nil},
		"window and loss": {input(1000, rtt(10), loss(0), window(1e6)), nil},
		"2 streams, 65 %": {input(1000, rtt(8.192), window(325), streams(2)), []string{"limited_by_window"}},
		"2 streams, above": {
			input(1000, rtt(8.192), window(326), streams(2)),
			[]string{"limited_by_window", "unequal_shares"},
		},
		"1 stream, the line": {input(1000, rtt(8.192), window(1001)), nil},
	} {
		r, err := link.Throughput(test.in)
		require.NoError(t, err, name)
		assert.ElementsMatch(t, test.want, plan.Codes(r.Findings), name)
	}
	// The streams together reach between 70% and 100% of the bandwidth of 1,000 Mbit/s.
	const want = "The windows of 3 streams allow 1,500 Mbit/s, above 65% of the usable 1,000 Mbit/s. The " +
		"streams share " +
		"it " +
		"unequally, reach 700 Mbit/s to 1,000 Mbit/s in total, and the last one takes up to 1.2 times the mean " +
		"duration."
	r, err := link.Throughput(input(1000, rtt(8.192), window(500), streams(3)))
	require.NoError(t, err)
	assert.Contains(t, plan.Sentences(r.Findings), want)
}
