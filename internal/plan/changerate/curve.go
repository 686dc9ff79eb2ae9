package changerate

import (
	"cmp"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Curve gives the amount of data, in GiB, that changes on one VM within an interval of a given length. A block that is
// rewritten several times is sent once per sync, so the change grows less than linearly with the interval.
type Curve struct {
	minutes, gib []float64
	// daily is the evenly distributed daily change in GiB, used if there are no points.
	daily float64
	// most is the upper limit of the change in GiB. NewCurve sets it to the size of the VM's data.
	most float64
}

// NewCurve returns the curve through the given points, which map minutes to GiB. The change is limited to the size of
// the VM.
func NewCurve(points map[float64]float64, vmSizeGiB float64) Curve {
	c := Curve{minutes: slices.Sorted(maps.Keys(points)), most: vmSizeGiB}
	for _, m := range c.minutes {
		c.gib = append(c.gib, points[m])
	}
	return c
}

// Linear returns the curve for a daily change, in percent of the VM's size, that is spread evenly over the day. The
// change is capped at the given maximum in GiB.
func Linear(dailyChangePercent, vmSizeGiB, most float64) Curve {
	return Curve{daily: vmSizeGiB * dailyChangePercent / quantity.Percent, most: most}
}

// At returns how many GiB change within an interval. It interpolates between points on log-log axes. Below the first
// point, the change is proportional to the interval; above the last point, the curve continues with the slope between
// the last two points. With a single point, the change is always proportional to the interval.
func (c Curve) At(minutes float64) float64 {
	if minutes <= 0 {
		return 0
	}
	first, last := 0, len(c.minutes)-1
	if last < 0 {
		return min(c.most, c.daily*minutes/quantity.MinutesPerDay)
	}
	if c.gib[last] == 0 {
		return 0
	}
	if minutes <= c.minutes[first] || last == 0 {
		return min(c.most, c.gib[first]*minutes/c.minutes[first])
	}
	i, _ := slices.BinarySearch(c.minutes, minutes)
	i = min(i, last)
	slope := plan.Log(c.gib[i]/c.gib[i-1]) / plan.Log(c.minutes[i]/c.minutes[i-1])
	return min(c.most, c.gib[i-1]*plan.Pow(minutes/c.minutes[i-1], slope))
}

// Covers reports whether the interval is between the first and the last point. It returns true for a curve without
// points.
func (c Curve) Covers(minutes float64) bool {
	return len(c.minutes) == 0 || minutes >= c.minutes[0] && minutes <= c.minutes[len(c.minutes)-1]
}

// sparse is the largest ratio between the intervals of adjacent points at which interpolation proved reliable on
// measured curves.
const sparse = 8

// Gap returns the intervals of the first two adjacent points that differ by more than the factor sparse and have one of
// the given intervals between them.
func (c Curve) Gap(asked ...float64) (below, above float64, ok bool) {
	for i := 1; i < len(c.minutes); i++ {
		below, above = c.minutes[i-1], c.minutes[i]
		inside := func(minutes float64) bool { return minutes > below && minutes < above }
		if above > sparse*below && slices.ContainsFunc(asked, inside) {
			return below, above, true
		}
	}
	return 0, 0, false
}

// Ends returns the intervals, in minutes, of the first and the last point. The curve must have points.
func (c Curve) Ends() (first, last float64) { return c.minutes[0], c.minutes[len(c.minutes)-1] }

// Aggregate is the instance name that vCenter uses for the whole VM.
const Aggregate = ""

// Series contains the samples of one VM as returned by vCenter.
type Series struct {
	// Times are the end times of the samples in Unix seconds, in any order.
	Times []int64
	// Instances contains the kilobytes (1,024 bytes) written per second, for each virtual disk or Aggregate. Negative
	// values, and missing values at the end of a list, are gaps.
	Instances map[string][]int64
}

// sample is the write rate of the whole VM in the interval that ends at a given time.
type sample struct{ at, kbps int64 }

// samples returns the sum of the instances at each time, sorted by time and without gaps. Aggregate is used only if no
// disk has a valid value. A disk without a value counts as 0, because it might not exist at that time. A value above
// MaxKBps invalidates the sample. If a time occurs more than once, the larger value is used.
func (s Series) samples() []sample {
	var instances [][]int64
	measured := false
	for name, values := range s.Instances {
		if name != Aggregate {
			instances = append(instances, values)
			measured = measured || slices.ContainsFunc(values, func(v int64) bool { return v >= 0 && v <= MaxKBps })
		}
	}
	if !measured {
		instances = [][]int64{s.Instances[Aggregate]}
	}
	clean := make([]sample, 0, len(s.Times))
	for i, at := range s.Times {
		if kbps, ok := sum(instances, i); ok {
			clean = append(clean, sample{at: at, kbps: kbps})
		}
	}
	slices.SortFunc(clean, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.kbps, a.kbps))
	})
	return slices.CompactFunc(clean, func(a, b sample) bool { return a.at == b.at })
}

func sum(instances [][]int64, i int) (total int64, ok bool) {
	for _, values := range instances {
		switch {
		case i >= len(values) || values[i] < 0:
		case values[i] > MaxKBps:
			return 0, false
		default:
			total += values[i]
			ok = true
		}
	}
	return total, ok
}
