// Growth: how long each test holds, and how long replicas fit, when data and change grow.

package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	defaultHorizonMonths = 36
)

// grow fills the months until each test fails. Growth g multiplies the changed data by (1 + g)^(months / 12) and leaves
// the overhead as it is, so a cycle reaches a limit L after
//
//	12 * ln((L - overhead) / (ongoing - overhead)) / ln(1 + g)  months.
func (in Input) grow(r *Result) {
	if in.GrowthPercentPerYear == nil {
		return
	}
	rpo := in.RPOMinutes * quantity.SecondsPerMinute
	r.MonthsUntilAtRisk = in.monthsUntil(rpo/2, r.ViolationFree)
	r.MonthsUntilMiss = in.monthsUntil(rpo, r.MeetsRPO)
}

func (in Input) monthsUntil(limit float64, holds bool) *float64 {
	if !holds {
		return new(float64)
	}
	data := in.ongoing() - in.OverheadSeconds
	return MonthsOfGrowth(data, limit-in.OverheadSeconds, *in.GrowthPercentPerYear, in.HorizonMonths)
}

// grow fills the months until the target is full. Growth multiplies the data of each VM and its change, and with them
// every term of the space.
func (in StorageInput) grow(r *StorageResult) {
	switch {
	case in.GrowthPercentPerYear == nil || r.Fits == nil:
	case !*r.Fits:
		r.MonthsUntilFull = new(float64)
	default:
		r.MonthsUntilFull = MonthsOfGrowth(r.TargetGiB, *in.TargetFreeGiB, *in.GrowthPercentPerYear, in.HorizonMonths)
	}
}

// MonthsOfGrowth returns how long it takes an amount to grow to a limit that it does not exceed; nil if that is beyond
// the horizon.
func MonthsOfGrowth(amount, limit, percentPerYear, horizon float64) *float64 {
	growth := math.Log1p(percentPerYear / quantity.Percent)
	if amount <= 0 || growth == 0 {
		return nil
	}
	months := max(0, quantity.MonthsPerYear*plan.Log(limit/amount)/growth)
	if months > horizon {
		return nil
	}
	return &months
}

// OngoingAfter returns the time to send one cycle's changes after so many months of growth, in seconds; without growth
// it is the time of today.
func (in Input) OngoingAfter(months float64) float64 {
	if in.GrowthPercentPerYear == nil {
		return in.ongoing()
	}
	factor := plan.Pow(1+*in.GrowthPercentPerYear/quantity.Percent, months/quantity.MonthsPerYear)
	return in.OverheadSeconds + (in.ongoing()-in.OverheadSeconds)*factor
}
