// The measured change curve.

package history

import (
	"cmp"
	"math"
	"slices"
)

const (
	// binsPerDoubling is how finely intervals are told apart, and fewest how many syncs make a point. Assumptions of
	// this project.
	binsPerDoubling = 2
	fewest          = 3
)

// curve adds up the changes of intervals that are about as long. It has as many entries as there are such lengths.
type curve []point

// point is the sum of syncs.
type point struct {
	bin          int
	syncs        int64
	minutes, gib float64
}

func (c *curve) add(minutes, gib float64) {
	c.join(point{bin: int(math.Floor(math.Log2(minutes) * binsPerDoubling)), syncs: 1, minutes: minutes, gib: gib})
}

func (c *curve) merge(other curve) {
	for _, p := range other {
		c.join(p)
	}
}

func (c *curve) join(p point) {
	i, found := slices.BinarySearchFunc(*c, p, func(a, b point) int { return cmp.Compare(a.bin, b.bin) })
	if !found {
		*c = slices.Insert(*c, i, p)
		return
	}
	(*c)[i].with(p)
}

func (p *point) with(other point) {
	p.syncs += other.syncs
	p.minutes += other.minutes
	p.gib += other.gib
}

// points returns the mean change by mean interval. Neighbours that would make the curve fall, or grow faster than in
// proportion, become one point: that is noise, because a block that is written again counts once.
func (c curve) points() map[float64]float64 {
	var kept []point
	for _, p := range c {
		if p.syncs < fewest {
			continue
		}
		for len(kept) > 0 && !follows(kept[len(kept)-1], p) {
			kept[len(kept)-1].with(p)
			p, kept = kept[len(kept)-1], kept[:len(kept)-1]
		}
		kept = append(kept, p)
	}
	points := make(map[float64]float64, len(kept))
	for _, p := range kept {
		m, changed := p.mean()
		if m >= 1 && m <= minutesPerDay*31 {
			points[m] = changed
		}
	}
	if len(points) == 0 {
		return nil
	}
	return points
}

// mean returns minutes, to three decimals, and GiB of one sync.
func (p point) mean() (minutes, gib float64) {
	return math.Round(p.minutes/float64(p.syncs)*1000) / 1000, p.gib / float64(p.syncs)
}

// follows reports whether a curve can have the two points.
func follows(a, b point) bool {
	am, ag := a.mean()
	bm, bg := b.mean()
	return bm > am && bg >= ag && bg <= ag*bm/am
}
