package changerate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

// drawn returns a VM with one to three disks, gaps and resets.
func drawn(t *rapid.T, name string) changerate.VM {
	n := rapid.IntRange(0, 60).Draw(t, name+" samples")
	m := changerate.VM{
		Size:   quantity.Size(rapid.Float64Range(0, 1<<62).Draw(t, name+" size")),
		Series: changerate.Series{Instances: map[string][]int64{}},
	}
	for i := range n {
		m.Series.Times = append(m.Series.Times, int64(20*i))
	}
	value := rapid.OneOf(rapid.Int64Range(0, changerate.MaxKBps), rapid.Just(int64(-1)), rapid.Just(int64(math.MaxInt64)),
		rapid.Just(int64(math.MinInt64)))
	for _, instance := range []string{"scsi0:0", "scsi0:1", ""}[:rapid.IntRange(0, 3).Draw(t, name+" instances")] {
		m.Series.Instances[instance] = rapid.SliceOfN(value, n, n).Draw(t, name+instance)
	}
	return m
}

func close12(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// TestRates_ordered checks that rates are finite and not negative, that mean and percentile are below the peak, and
// that a total lies between its largest part and the sum of its parts.
func TestRates_ordered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e, err := changerate.NewEstate(
			changerate.Input{IntervalSeconds: 20, CoalescingFactor: rapid.Float64Range(1e-9, 1).Draw(t, "factor")},
		)
		require.NoError(t, err)
		var means, peaks, largest float64
		samples := 0
		check := func(r changerate.Rates) {
			for _, v := range []float64{
				r.MeanWriteMbps, r.P95WriteMbps, r.PeakWriteMbps, r.DailyWriteGiB, r.DailyChangeGiB, r.SizeGiB,
			} {
				require.True(t, v >= 0, "got %+v, want finite rates of at least 0", r)
				assert.False(t, math.IsInf(v, 0), "got %+v, want finite rates of at least 0", r)
			}
			if r.DailyChangePercent != nil && (!(*r.DailyChangePercent >= 0) || math.IsInf(*r.DailyChangePercent, 0)) {
				t.Errorf("%v percent", *r.DailyChangePercent)
			}
			if r.P95WriteMbps > r.PeakWriteMbps || r.MeanWriteMbps > r.PeakWriteMbps*(1+1e-9) ||
				r.DailyChangeGiB > r.DailyWriteGiB {
				t.Errorf("got %+v, want P95 and mean below the peak, and change below writes", r)
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "VMs") {
			r, err := e.Add(drawn(t, "VM"))
			require.NoError(t, err)
			check(r)
			means, peaks, samples = means+r.MeanWriteMbps, peaks+r.PeakWriteMbps, samples+r.Samples
			largest = max(largest, r.PeakWriteMbps)
		}
		total := e.Total()
		check(total)
		if !close12(total.MeanWriteMbps, means) || total.Samples != samples || total.PeakWriteMbps > peaks*(1+1e-9) ||
			total.PeakWriteMbps < largest*(1-1e-9) {
			t.Errorf("total %+v of means %v, peaks %v, largest %v", total, means, peaks, largest)
		}
	})
}

// TestRates_orderOfSamples checks that the order of samples does not change the last bit.
func TestRates_orderOfSamples(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawn(t, "VM")
		order := make([]int, len(m.Series.Times))
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		other := changerate.VM{Size: m.Size, Series: changerate.Series{Instances: map[string][]int64{}}}
		for _, i := range order {
			other.Series.Times = append(other.Series.Times, m.Series.Times[i])
			for name, values := range m.Series.Instances {
				other.Series.Instances[name] = append(other.Series.Instances[name], values[i])
			}
		}
		same(t, m, other)
	})
}

// TestRates_gaps checks that invalid values count as missing samples.
func TestRates_gaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawn(t, "VM")
		gap := rapid.SampledFrom([]int64{-1, math.MinInt64, changerate.MaxKBps + 1, math.MaxInt64}).Draw(t, "gap")
		other := changerate.VM{
			Size:   m.Size,
			Series: changerate.Series{Times: slices.Clone(m.Series.Times), Instances: map[string][]int64{}},
		}
		other.Series.Times = append(other.Series.Times, 1e9)
		for name, values := range m.Series.Instances {
			other.Series.Instances[name] = append(slices.Clone(values), gap)
		}
		same(t, m, other)
	})
}

// TestRates_instances checks that only the sum of the disks matters.
func TestRates_instances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.Int64Range(0, changerate.MaxKBps), 1, 60).Draw(t, "whole")
		share := rapid.Int64Range(0, 10).Draw(t, "share")
		m := changerate.VM{Size: 1 << 30, Series: changerate.Series{Instances: map[string][]int64{"scsi0:0": whole}}}
		other := changerate.VM{Size: 1 << 30, Series: changerate.Series{Instances: map[string][]int64{}}}
		for i, v := range whole {
			m.Series.Times = append(m.Series.Times, int64(i*20))
			part := v * share / 10
			other.Series.Instances["scsi0:0"] = append(other.Series.Instances["scsi0:0"], part)
			other.Series.Instances["scsi1:0"] = append(other.Series.Instances["scsi1:0"], v-part)
		}
		other.Series.Times = m.Series.Times
		same(t, m, other)
	})
}

func same(t *rapid.T, a, b changerate.VM) {
	rates := func(m changerate.VM) (changerate.Rates, float64) {
		e, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 20, CoalescingFactor: 0.5})
		require.NoError(t, err)
		r, err := e.Add(m)
		require.NoError(t, err)
		percent := -1.0
		if r.DailyChangePercent != nil {
			percent, r.DailyChangePercent = *r.DailyChangePercent, nil
		}
		return r, percent
	}
	r, p := rates(a)
	q, o := rates(b)
	require.True(t, r == q, "%+v, %v percent, and %+v, %v percent", r, p, q, o)
	assert.Equal(t, o, p)
}
