package changerate

import (
	"errors"
	"fmt"
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

// CheckCurve returns errors for points, which map minutes to GiB, that are not a curve: the change must not decrease
// with the interval, nor grow faster than in proportion.
func CheckCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	if points == nil {
		return nil
	}
	if len(points) == 0 {
		return plan.InputErrors{}.With(at, errors.New("must have at least one point"))
	}
	var errs plan.InputErrors
	minutes := slices.Sorted(maps.Keys(points))
	for i, m := range minutes[1:] {
		before := minutes[i]
		key := at.Key(plan.Number(m))
		switch gib, least := points[m], points[before]; {
		case gib < least:
			errs = errs.With(key, fmt.Errorf("must be at least %s GiB, the value for %s, got %s",
				plan.Number(least), formatMinutes(before), plan.Number(gib)))
		case gib > least*m/before*(1+1e-12):
			errs = errs.With(key, fmt.Errorf("must be at most %s GiB, proportional to the %s GiB for %s, got %s",
				plan.Thousands(least*m/before, 3), plan.Number(least), formatMinutes(before), plan.Number(gib)))
		}
	}
	return errs
}

func formatMinutes(n float64) string { return plan.Count(n, "minute") }
