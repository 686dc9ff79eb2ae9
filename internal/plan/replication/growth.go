// Growth: how long each test holds when data and change grow.

package replication

import "math"

const (
	monthsPerYear        = 12
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
	rpo := in.RPOMinutes * secondsPerMin
	r.MonthsUntilAtRisk = in.monthsUntil(rpo/2, r.ViolationFree)
	r.MonthsUntilMiss = in.monthsUntil(rpo, r.MeetsRPO)
}

func (in Input) monthsUntil(limit float64, holds bool) *float64 {
	if !holds {
		return new(float64)
	}
	data, room := in.ongoing()-in.OverheadSeconds, limit-in.OverheadSeconds
	growth := math.Log1p(*in.GrowthPercentPerYear / percent)
	if data <= 0 || growth == 0 {
		return nil
	}
	months := max(0, monthsPerYear*math.Log(room/data)/growth)
	if months > in.HorizonMonths {
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
	factor := math.Pow(1+*in.GrowthPercentPerYear/percent, months/monthsPerYear)
	return in.OverheadSeconds + (in.ongoing()-in.OverheadSeconds)*factor
}
