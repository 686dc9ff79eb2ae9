// Rows of change: how much is written in a time, when some of it is written again and again.

package validation

import (
	"fmt"
	"math"
	"slices"
)

// changes are the sources of this subject.
var changes = []Source{ycsb, dirtyRate}

// A source of changes is measured in milliseconds. A curve has no unit of time, so that 50 ms are a minute here, the
// least RPO of an estimate.
const msPerCurveMinute = 50

// measuredCurve is what a source measured to change in each of many times from one start. Three of them are the points
// of a curve: the first, the last and the one closest to the middle of both on a logarithmic axis. The others are rows.
type measuredCurve struct {
	id, what, inputs, unit string
	// ms are the times, changed what changed in each, in a unit of which per are a GiB; gib is the data.
	ms, changed []float64
	per, gib    float64
	// shown returns a change as the source prints it, and back.
	shown func(changed, ms float64) float64
	miss  map[float64]Miss
}

// middle is the index of the point between the first and the last.
func (c measuredCurve) middle() int {
	first, last := c.ms[0], c.ms[len(c.ms)-1]
	off := func(ms float64) float64 { return math.Abs(math.Log(ms) - math.Log(first*last)/2) }
	nearest := 0
	for i, ms := range c.ms {
		// A hair closer is as close: the earlier one.
		if off(ms) < off(c.ms[nearest])-1e-9 {
			nearest = i
		}
	}
	return nearest
}

func (c measuredCurve) rows() []Row {
	last, middle := len(c.ms)-1, c.middle()
	points := map[float64]float64{}
	for _, i := range []int{0, middle, last} {
		points[c.ms[i]/msPerCurveMinute] = c.changed[i] / c.per
	}
	var rows []Row
	for i, ms := range c.ms {
		if slices.Contains([]int{0, middle, last}, i) {
			continue
		}
		from := 0
		if i > middle {
			from = middle
		}
		to := map[int]int{0: middle, middle: last}[from]
		// Straight on log-log axes: change grows with a power of the time.
		slope := math.Log(c.changed[to]/c.changed[from]) / math.Log(c.ms[to]/c.ms[from])
		hand := c.changed[from] * math.Pow(ms/c.ms[from], slope)
		rows = append(rows, Row{
			ID: fmt.Sprintf("%s-%gms", c.id, ms), Kind: Measured, Rule: Within15,
			What:      fmt.Sprintf("%s %s ms", c.what, number(ms)),
			Inputs:    c.inputs,
			Published: []float64{c.shown(c.changed[i], ms)}, Unit: c.unit,
			Predict: changing{
				points: points, gib: c.gib, minutes: ms / msPerCurveMinute,
				per: 1 / (c.shown(1, ms) * c.per),
			},
			Hand: []float64{c.shown(hand, ms)},
			Miss: c.miss[ms],
		})
	}
	return rows
}

// The memory of the guest, in pages of 4 KiB, and how many of them were sampled.
const (
	ycsbPages   = 8392704
	ycsbSampled = 16392
)

var ycsb = Source{
	Title: "QEMU, migration time prediction using calc-dirty-rate, Andrei Gudkov", Year: "2023",
	Where: "result for a guest of 32 GiB with a key-value store under YCSB, sent again on 17 March 2023: how many of " +
		"16,392 sampled pages changed within each of 22 times. 125 ms, 3 s and 60 s are the points of the curve, the " +
		"first, the last and the middle one; these three are therefore not rows",
	Address: "https://patchew.org/QEMU/cover.1677589218.git.gudkov.andrei@huawei.com/",
	Rows: measuredCurve{
		id: "ycsb", what: "memory that a key-value store changes in",
		inputs: "a curve through 33 pages in 125 ms, 425 in 3 s and 2,958 in 60 s", unit: "pages",
		ms: []float64{
			125, 250, 375, 500, 750, 1000, 1500, 2000, 3000, 4001, 6000, 8000, 10000, 15000, 20000, 25000, 30000, 35000,
			40000, 45000, 50000, 60000,
		},
		changed: []float64{
			33, 78, 119, 151, 217, 236, 293, 336, 425, 505, 620, 756, 898, 1204, 1457, 1723, 1934, 2141, 2328, 2522, 2675,
			2958,
		},
		per: ycsbSampled / (ycsbPages * 4096. / gib), gib: ycsbPages * 4096. / gib,
		shown: func(pages, _ float64) float64 { return pages },
		miss: map[float64]Miss{
			250: curveBends, 375: curveBends, 500: curveBends, 750: curveBends, 1000: curveBends, 1500: curveBends,
		},
	}.rows(),
}

var curveBends = Miss{
	CauseModel,
	"Change grows in proportion to the time up to 0.75 s and more slowly after it. vsla draws a straight line on " +
		"logarithmic axes between two points that are a factor of 24 apart, which cuts off the bend: a point in between " +
		"is needed. The first one, 33 pages, is also known to 17 % only.",
}

// dirtyMs are the times of the measurement below.
var dirtyMs = []float64{100, 200, 300, 400, 500, 750, 1000, 1500, 2000}

var dirtyRate = Source{
	Title: "QEMU, commit 34a68001 (calc-dirty-rate in milliseconds), Andrei Gudkov", Year: "2023",
	Where: "table of the message: one thread writes to random pages of a region; both measured columns. 100, 400 and " +
		"2,000 ms of each are the points of its curve, the first, the last and the middle one; they are therefore not rows",
	Address: "https://github.com/qemu/qemu/commit/34a68001f16208a574cbef0cd2d4e2d681faa604",
	Rows: slices.Concat(
		dirtyRows("sampling", 1, []float64{7100, 4660, 3280, 2525, 2044, 1341, 1052, 678, 507}, nil),
		dirtyRows("bitmap", 1, []float64{3192, 2655, 2371, 2154, 1871, 1358, 1025, 684, 513}, nil),
		dirtyRows("sampling", 4, []float64{8880, 8049, 7193, 6530, 5772, 4586, 3780, 2633, 2031}, nil),
		dirtyRows("bitmap", 4, []float64{4070, 3195, 2881, 2700, 2312, 2465, 2178, 2004, 1789}, nil),
		dirtyRows("sampling", 24, []float64{8640, 8616, 8386, 8370, 8196, 7885, 7506, 6944, 6402}, nil),
		dirtyRows("bitmap", 24, []float64{5597, 3527, 2355, 2179, 2098, 2556, 2084, 2075, 2062}, map[float64]Miss{
			750: {CauseUnexplained, "The source's own rates rise by a fifth at 750 ms and fall again."},
		}),
	),
}

// dirtyRows are the rates of one region and one way to measure, in MiB/s, at each of dirtyMs.
func dirtyRows(way string, regionGiB float64, rates []float64, miss map[float64]Miss) []Row {
	changed := make([]float64, len(rates))
	for i, rate := range rates {
		changed[i] = rate * dirtyMs[i] / 1000
	}
	return measuredCurve{
		id:   fmt.Sprintf("dirty-%s-%g", way, regionGiB),
		what: fmt.Sprintf("rate of change (%s) of %g GiB that are written at random, over", way, regionGiB),
		inputs: fmt.Sprintf("a curve through %s, %s and %s MiB/s over 100, 400 and 2,000 ms",
			number(rates[0]), number(rates[3]), number(rates[8])),
		unit: "MiB/s", ms: dirtyMs, changed: changed, per: 1024, gib: regionGiB,
		shown: func(mib, ms float64) float64 { return mib / (ms / 1000) },
		miss:  miss,
	}.rows()
}
