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
	// proportional is the smallest share by which the change at a point of the curve must be below the change that
	// would result from proportional growth since the previous point. Smaller differences could be due to the
	// uncertainty of the start times. The value is this project's own assumption.
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
