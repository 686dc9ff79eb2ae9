package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

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
