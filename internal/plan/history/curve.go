package history

import (
	"cmp"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// binsPerDoubling is the number of bins per doubling of the interval. fewest is the minimum number of syncs that a
	// point of the curve represents. leastShare is the minimum as a share of all syncs. The larger of the two minimums
	// applies. The values are this project's own assumptions.
	binsPerDoubling = 2
	fewest          = 3
	leastShare      = 0.01
	// proportional is the smallest share by which the change at a point of the curve must be below the change that would
	// result from proportional growth since the previous point. Smaller differences could be due to the uncertainty of the
	// start times. The value is this project's own assumption.
	proportional = 0.15
)

type curve []point

type point struct {
	bin   int
	syncs int64
	gib   float64
	ms    [hoursPerDay]float32
}

func (c *curve) at(minutes float64) *point {
	return c.entry(int(math.Floor(math.Log2(minutes) * binsPerDoubling)))
}

func (c *curve) entry(bin int) *point {
	i, found := slices.BinarySearchFunc(*c, bin, func(p point, bin int) int { return cmp.Compare(p.bin, bin) })
	if !found {
		*c = slices.Insert(*c, i, point{bin: bin})
	}
	return &(*c)[i]
}

func (p *point) add(in byHour) {
	for h, ms := range in {
		p.ms[h] += float32(ms)
	}
}

func (c *curve) merge(other curve) {
	for _, p := range other {
		into := c.entry(p.bin)
		into.syncs += p.syncs
		into.gib += p.gib
		for h, ms := range p.ms {
			into.ms[h] += ms
		}
	}
}

type mean struct{ syncs, minutes, gib float64 }

// points returns the mean change in GiB for each mean interval in minutes. The minutes are weighted by hour, as in the
// schedule, because the short intervals of busy hours would otherwise distort the curve. Adjacent points are merged if
// either contains too few syncs, or if the change would decrease between them or increase almost in proportion to the
// interval. The schedule extrapolates far beyond the points, so even a few misjudged start times would matter.
func (c *curve) points(weights []float64) map[float64]float64 {
	all := make([]mean, 0, len(*c))
	syncs := 0.0
	for _, p := range *c {
		m := mean{syncs: float64(p.syncs), gib: p.gib}
		for h, ms := range p.ms {
			weight := 1.0
			if weights != nil {
				weight = weights[h]
			}
			m.minutes += weight * float64(ms) / msPerMinute
		}
		all = append(all, m)
		syncs += m.syncs
	}
	least := max(fewest, leastShare*syncs)
	slices.SortFunc(all, func(a, b mean) int { return cmp.Compare(a.minutes/a.syncs, b.minutes/b.syncs) })
	var kept []mean
	for _, m := range all {
		for len(kept) > 0 && !follows(kept[len(kept)-1], m, least) {
			last := kept[len(kept)-1]
			m = mean{last.syncs + m.syncs, last.minutes + m.minutes, last.gib + m.gib}
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, m)
	}
	points := make(map[float64]float64, len(kept))
	for _, m := range kept {
		if minutes, gib := m.one(); m.syncs >= least && minutes >= 1 && minutes <= quantity.MinutesPerDay*31 {
			points[minutes] = gib
		}
	}
	if len(points) == 0 {
		return nil
	}
	return points
}

func (m mean) one() (minutes, gib float64) {
	return math.Round(m.minutes/m.syncs*1000) / 1000, m.gib / m.syncs
}

func follows(a, b mean, least float64) bool {
	am, ag := a.one()
	bm, bg := b.one()
	return min(a.syncs, b.syncs) >= least && bm > am && bg >= ag && bg <= ag*bm/am*(1-proportional)
}

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
