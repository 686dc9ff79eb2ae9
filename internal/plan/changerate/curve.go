// The change curve: how much of a VM changes in a time. Blocks that are rewritten are sent once for each sync, so
// change grows less than linearly with the time between two syncs.

package changerate

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Curve returns how many GiB of one VM change in a number of minutes.
type Curve struct {
	minutes, gib []float64
	// daily is the evenly spread change of a day, in GiB; used without points.
	daily float64
	// most is the VM's data: no more than that can change.
	most float64
}

// NewCurve returns the curve through GiB by minutes, of a VM with so much data.
func NewCurve(points map[float64]float64, vmSizeGiB float64) Curve {
	c := Curve{minutes: slices.Sorted(maps.Keys(points)), most: vmSizeGiB}
	for _, m := range c.minutes {
		c.gib = append(c.gib, points[m])
	}
	return c
}

// Linear returns the curve of a change in percent of the data in a day, evenly spread; most is the most that changes in
// any time, in GiB.
func Linear(dailyChangePercent, vmSizeGiB, most float64) Curve {
	return Curve{daily: vmSizeGiB * dailyChangePercent / quantity.Percent, most: most}
}

// At returns the GiB that change in the minutes. Between two points the curve is straight on log-log axes; below the
// first it is proportional, the least that is possible; above the last it keeps the slope of the last segment. One
// point is a straight proportion.
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

// Covers reports whether the minutes lie between the first and the last point, if there are points.
func (c Curve) Covers(minutes float64) bool {
	return len(c.minutes) == 0 || minutes >= c.minutes[0] && minutes <= c.minutes[len(c.minutes)-1]
}

// sparse is the ratio of two neighbouring points beyond which no interpolation was reliable on measured curves.
const sparse = 8

// Gap returns the first pair of neighbouring points that are more than a factor of 8 apart and between which the curve
// is asked.
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

// Ends returns the minutes of the first and the last point. There is a point.
func (c Curve) Ends() (first, last float64) { return c.minutes[0], c.minutes[len(c.minutes)-1] }
