package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	defaultHorizonMonths = 36
)

// grow sets the months until each test fails. Growth g multiplies the changed data by (1 + g)^(months / 12), but not
// the overhead, so a cycle reaches a limit L after
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

// grow sets the months until the target is full. Growth multiplies the data of each VM and its change, so every term
// of the space.
func (in StorageInput) grow(r *StorageResult) {
	switch {
	case in.GrowthPercentPerYear == nil || r.Fits == nil:
	case !*r.Fits:
		r.MonthsUntilFull = new(float64)
	default:
		r.MonthsUntilFull = MonthsOfGrowth(r.TargetGiB, *in.TargetFreeGiB, *in.GrowthPercentPerYear, in.HorizonMonths)
	}
}

// MonthsOfGrowth returns the months until an amount reaches a limit; nil if beyond the horizon. The amount must not
// exceed the limit.
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

// OngoingAfter returns the time to send the changes of one cycle after some months of growth, in seconds; without
// growth that of today.
func (in Input) OngoingAfter(months float64) float64 {
	if in.GrowthPercentPerYear == nil {
		return in.ongoing()
	}
	factor := plan.Pow(1+*in.GrowthPercentPerYear/quantity.Percent, months/quantity.MonthsPerYear)
	return in.OverheadSeconds + (in.ongoing()-in.OverheadSeconds)*factor
}
