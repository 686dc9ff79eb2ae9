package replication

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// checkCurve returns errors for points that are not a change curve: it needs a point, must not decrease, and must not
// grow faster than proportionally.
func checkCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
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
			errs = errs.With(key, fmt.Errorf("must be at least the %s GiB of %s, got %s",
				plan.Number(least), minutesText(before), plan.Number(gib)))
		case gib > least*m/before*(1+1e-12):
			errs = errs.With(key, fmt.Errorf("must be at most %s GiB, in proportion to the %s GiB of %s, got %s",
				plan.Thousands(least*m/before, 3), plan.Number(least), minutesText(before), plan.Number(gib)))
		}
	}
	return errs
}

// Peak returns the largest mean of hourly weights within an RPO (minutes) relative to their mean: the peak factor of
// an estimate. It also returns the minutes of the day at which such times begin; none without weights.
func Peak(weights []float64, rpo float64) (peak float64, starts []float64) {
	const day = quantity.MinutesPerDay
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 || !(rpo > 0) || rpo > day {
		return 0, nil
	}
	// until returns the weight from midnight to a minute of this day or the next.
	until := func(minute float64) float64 {
		sum := 0.0
		for h := 0; float64(h)*quantity.MinutesPerHour < minute; h++ {
			sum += weights[h%len(weights)] * min(quantity.MinutesPerHour, minute-float64(h)*quantity.MinutesPerHour)
		}
		return sum
	}
	// The weight within an RPO is linear between starts at which it begins or ends with an hour.
	const rounding = 1e-9
	for h := range hoursPerDay {
		begins := float64(h) * quantity.MinutesPerHour
		for _, start := range []float64{begins, math.Mod(begins-rpo+day, day)} {
			mean := (until(start+rpo) - until(start)) / rpo * day / (total * quantity.MinutesPerHour)
			if mean > peak*(1+rounding) {
				peak, starts = mean, nil
			}
			if mean >= peak*(1-rounding) {
				starts = append(starts, start)
			}
		}
	}
	return max(1, peak), starts
}
