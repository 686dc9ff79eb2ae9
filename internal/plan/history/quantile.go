package history

import (
	"math"
	"slices"
)

// RelativeError is the maximum relative error of a reported median or 95th percentile.
const RelativeError = 0.01

var (
	// logGrowth is the logarithm of the ratio between the upper bounds of adjacent bins.
	logGrowth = math.Log((1 + RelativeError) / (1 - RelativeError))
	// middle is the value that represents a bin, relative to the bin's upper bound. It has the same relative error at
	// both bounds.
	middle = 1 - RelativeError
)

const (
	// least and most bound the values: 10^-9 to 10^15, in 2,800 bins. Smaller values count as 0.
	least = 1e-9
	most  = 1e15
)

// Quantiles contains the median and the 95th percentile, determined by the nearest-rank method with an error of at most
// RelativeError. They are nil if there are no values.
type Quantiles struct{ Median, P95 *float64 }

// distribution is a histogram with exponentially growing bins, as in "DDSketch: A fast and fully-mergeable quantile
// sketch with relative-error guarantees" (Masson, Rim and Lee, 2019). Its memory grows with the range of the values,
// not with their number.
type distribution struct {
	count, zeros      int64
	smallest, largest float64
	low               int
	bins              []uint32
}

func (d *distribution) add(v float64) {
	v = min(v, most)
	if d.count == 0 {
		d.smallest, d.largest = v, v
	}
	d.smallest, d.largest = min(d.smallest, v), max(d.largest, v)
	d.count++
	if !(v >= least) {
		d.zeros++
		return
	}
	d.bins[d.reach(int(math.Ceil(math.Log(v)/logGrowth)))]++
}

func (d *distribution) reach(number int) int {
	switch {
	case len(d.bins) == 0:
		d.low, d.bins = number, make([]uint32, 1)
	case number < d.low:
		d.bins = slices.Insert(d.bins, 0, make([]uint32, d.low-number)...)
		d.low = number
	case number >= d.low+len(d.bins):
		d.bins = append(d.bins, make([]uint32, number-d.low-len(d.bins)+1)...)
	}
	return number - d.low
}

func (d *distribution) merge(other *distribution) {
	if other.count == 0 {
		return
	}
	if d.count == 0 {
		d.smallest, d.largest = other.smallest, other.largest
	}
	d.smallest, d.largest = min(d.smallest, other.smallest), max(d.largest, other.largest)
	d.count += other.count
	d.zeros += other.zeros
	for i, n := range other.bins {
		if n > 0 {
			d.bins[d.reach(other.low+i)] += n
		}
	}
}

func (d *distribution) quantiles() Quantiles {
	if d.count == 0 {
		return Quantiles{}
	}
	return Quantiles{Median: new(d.at((d.count + 1) / 2)), P95: new(d.at((95*d.count + 99) / 100))}
}

// at returns the value at the given rank, counted from 1.
func (d *distribution) at(rank int64) float64 {
	if rank <= d.zeros {
		return max(0, d.smallest)
	}
	seen := d.zeros
	for i, n := range d.bins {
		if seen += int64(n); seen >= rank {
			return min(d.largest, max(d.smallest, middle*math.Exp(float64(d.low+i)*logGrowth)))
		}
	}
	return d.largest
}
