package changerate_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

func estate(t *testing.T, interval int64, factor float64) *changerate.Estate {
	t.Helper()
	e, err := changerate.NewEstate(changerate.Input{IntervalSeconds: interval, CoalescingFactor: factor})
	require.NoError(t, err)
	return e
}

func vmOf(kbps ...int64) changerate.VM { return disks(kbps) }

func disks(values ...[]int64) changerate.VM {
	m := changerate.VM{Size: quantity.FromGiB(100), Series: changerate.Series{Instances: map[string][]int64{}}}
	for i, v := range values {
		m.Series.Instances["scsi0:"+string(rune('0'+i))] = v
		for len(m.Series.Times) < len(v) {
			m.Series.Times = append(m.Series.Times, int64(1000+20*len(m.Series.Times)))
		}
	}
	return m
}

func add(t *testing.T, e *changerate.Estate, m changerate.VM) changerate.Rates {
	t.Helper()
	r, err := e.Add(m)
	require.NoError(t, err)
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	assert.InDelta(t, want, got, 1e-12*math.Abs(want), what)
}

func upTo(n int64) []int64 {
	var values []int64
	for v := int64(1); v <= n; v++ {
		values = append(values, v)
	}
	return values
}

// TestAdd_byHand checks a constant rate: 1,000 KBps is 1,024,000 bytes/s, or 8.192 Mbit/s. The data written per day is
// 88,473,600,000 bytes / 2^30 = 82.3974609375 GiB, or 82.3974609375% of 100 GiB.
func TestAdd_byHand(t *testing.T) {
	t.Parallel()
	r := add(t, estate(t, 20, 1), vmOf(1000, 1000, 1000))
	near(t, "mean", r.MeanWriteMbps, 8.192)
	near(t, "p95", r.P95WriteMbps, 8.192)
	near(t, "peak", r.PeakWriteMbps, 8.192)
	near(t, "daily", r.DailyWriteGiB, 82.3974609375)
	near(t, "changed", r.DailyChangeGiB, 82.3974609375)
	near(t, "percent", *r.DailyChangePercent, 82.3974609375)
	near(t, "size", r.SizeGiB, 100)
	assert.Equal(t, 3, r.Samples)
}

// TestAdd_percentile checks the nearest-rank method: the 95th percentile of 1..n is the ceil(0.95 n)-th value.
func TestAdd_percentile(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]float64{1: 1, 2: 2, 10: 10, 19: 19, 20: 19, 21: 20, 40: 38, 100: 95, 180: 171} {
		r := add(t, estate(t, 20, 1), vmOf(upTo(n)...))
		near(t, "p95", r.P95WriteMbps, want*1024*8/1e6)
		near(t, "mean", r.MeanWriteMbps, float64(n+1)/2*1024*8/1e6)
		near(t, "peak", r.PeakWriteMbps, float64(n)*1024*8/1e6)
	}
}

// TestAdd_coalescing checks that a factor of 0.5 halves the change. At 250 KBps, a quarter of the data of
// TestAdd_byHand is written.
func TestAdd_coalescing(t *testing.T) {
	t.Parallel()
	r := add(t, estate(t, 20, 0.5), vmOf(250))
	near(t, "daily", r.DailyWriteGiB, 82.3974609375/4)
	near(t, "changed", r.DailyChangeGiB, 82.3974609375/8)
	near(t, "percent", *r.DailyChangePercent, 82.3974609375/8)
	near(t, "mean", r.MeanWriteMbps, 2.048)
}

func TestAdd_series(t *testing.T) {
	t.Parallel()
	const reset = 214748364 // wrapped 32-bit counter: 2^32 / 20
	aggregate := vmOf(1)
	aggregate.Series.Instances = map[string][]int64{"": {700}}
	both := disks([]int64{300}, []int64{400})
	both.Series.Instances[""] = []int64{700}
	gone := disks([]int64{-1, -1})
	gone.Series.Instances[""] = []int64{10, 20}
	spoilt := disks([]int64{reset})
	spoilt.Series.Instances[""] = []int64{10}
	twice := vmOf(100, 900, 500)
	twice.Series.Times = []int64{1000, 1020, 1000}
	long := vmOf(5, 6, 7)
	long.Series.Times = long.Series.Times[:2]
	short := vmOf(5, 6, 7)
	short.Series.Times = append(short.Series.Times, 5000, 5020)
	for name, test := range map[string]struct {
		vm         changerate.VM
		samples    int
		mean, peak float64
	}{
		"none":                                {vmOf(), 0, 0, 0},
		"gaps only":                           {vmOf(-1, -1), 0, 0, 0},
		"a gap is not zero":                   {vmOf(100, -1, 300), 2, 200, 300},
		"an idle disk is":                     {vmOf(100, 0, 200), 3, 100, 200},
		"a reset is a gap":                    {vmOf(100, reset, 300), 2, 200, 300},
		"the largest value":                   {vmOf(changerate.MaxKBps), 1, 1e8, 1e8},
		"one more is a reset":                 {vmOf(changerate.MaxKBps+1, 5), 1, 5, 5},
		"disks add up":                        {disks([]int64{100, 200}, []int64{10, 20}), 2, 165, 220},
		"a disk that came later":              {disks([]int64{100, 200}, []int64{-1, 50}), 2, 175, 250},
		"a disk that has fewer values":        {disks([]int64{100, 200}, []int64{50}), 2, 175, 200},
		"all disks without a value":           {disks([]int64{100, -1}, []int64{50, -1}), 1, 150, 150},
		"one disk's reset spoils the moment":  {disks([]int64{100, 200}, []int64{reset, 50}), 1, 250, 250},
		"the aggregate where there is nought": {aggregate, 1, 700, 700},
		"never both":                          {both, 1, 700, 700},
		"disks with resets only":              {spoilt, 1, 10, 10},
		"disks without any value":             {gone, 2, 15, 20},
		"two values for a time: the larger":   {twice, 2, 700, 900},
		"values beyond the times":             {long, 2, 5.5, 6},
		"times beyond the values":             {short, 3, 6, 7},
	} {
		r := add(t, estate(t, 20, 1), test.vm)
		assert.Equal(t, test.samples, r.Samples, name)
		near(t, name+": mean", r.MeanWriteMbps, test.mean*1024*8/1e6)
		near(t, name+": peak", r.PeakWriteMbps, test.peak*1024*8/1e6)
		assert.Equal(t, test.samples == 0, r.DailyChangePercent == nil, name)
	}
}

func TestAdd_withoutSize(t *testing.T) {
	t.Parallel()
	e := estate(t, 20, 1)
	m := vmOf(100)
	m.Size = 0
	r := add(t, e, m)
	require.Nil(t, r.DailyChangePercent)
	assert.NotEqual(t, 0.0, r.DailyWriteGiB)
	for _, size := range []quantity.Size{-1, quantity.Size(math.NaN()), quantity.Size(math.Inf(1))} {
		m.Size = size
		_, err := e.Add(m)
		assert.Error(t, err, "a size of %v is accepted", float64(size))
	}
}

// TestTotal checks the total of four VMs. In the three intervals, the first two VMs together write 100 + 30, 500 + 10
// and 300 + 20 KBps. Their peak is 510 KBps, not the sum of their separate peaks, which is 530 KBps. The third VM
// writes 60 KBps, has a gap, and then writes 30 KBps. Its mean of 45 KBps fills the gap, so the peak of all VMs is 555
// KBps. The fourth VM has no samples.
func TestTotal(t *testing.T) {
	t.Parallel()
	e := estate(t, 20, 1)
	add(t, e, vmOf(100, 500, 300))
	second := vmOf(30, 10, 20)
	second.Series.Times = []int64{1007, 1027, 1047} // samples from another host, not aligned
	add(t, e, second)
	add(t, e, vmOf(60, -1, 30))
	add(t, e, vmOf())
	r := e.Total()
	near(t, "peak", r.PeakWriteMbps, 555*1024*8/1e6)
	near(t, "p95", r.P95WriteMbps, 555*1024*8/1e6)
	near(t, "mean", r.MeanWriteMbps, (300+20+45)*1024*8/1e6)
	near(t, "daily", r.DailyWriteGiB, 365*1024*86400/float64(1<<30))
	near(t, "size", r.SizeGiB, 300)
	near(t, "percent", *r.DailyChangePercent, 365*1024*86400/float64(1<<30)/3)
	assert.Equal(t, 8, r.Samples)
}

func TestTotal_ofNothing(t *testing.T) {
	t.Parallel()
	e := estate(t, 300, 1)
	add(t, e, vmOf(-1))
	want := changerate.Rates{Hours: changerate.Hours{Reason: "No VM has samples for every hour of the day."}}
	r := e.Total()
	assert.Equal(t, want, r, "got %+v, want %+v", r, want)
}

func TestNewEstate_refuses(t *testing.T) {
	t.Parallel()
	for _, factor := range []float64{0, -1, 1.01, math.NaN()} {
		_, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 20, CoalescingFactor: factor})
		require.Error(t, err, "%+v", factor)
		assert.Contains(t, err.Error(), "coalescing_factor", "%+v", factor)
	}
	for _, interval := range []int64{0, 21, 3600} {
		_, err := changerate.NewEstate(changerate.Input{IntervalSeconds: interval, CoalescingFactor: 1})
		require.Error(t, err, "%+v", interval)
		assert.Contains(t, err.Error(), "interval_seconds", "%+v", interval)
	}
	for _, interval := range changerate.Intervals() {
		estate(t, interval, 1)
	}
}

func TestCheckLookback(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		interval int64
		hours    float64
		want     string
	}{
		{20, 1, ""},
		{20, 20.0 / 3600, ""},
		{300, 24, ""},
		{300, 500, ""},
		{86400, 24, ""},
		{20, 1.01, "at most 1 hour"},
		{20, 0.001, "at least one sample"},
		{86400, 23, "at least one sample"},
		{300, 0, "greater than 0"},
		{300, math.NaN(), "greater than 0"},
		{300, 1e6, "at most 87,600"},
	} {
		err := changerate.CheckLookback(test.interval, test.hours)
		require.Equal(t, test.want == "", err == nil)
		if err != nil {
			assert.Contains(t, err.Error(), test.want, "%v hours of %d seconds", test.hours, test.interval)
		}
	}
}
