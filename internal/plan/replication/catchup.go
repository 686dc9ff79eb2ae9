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

const (
	// maxCatchUps limits the number of terms in the series of catchUp, in case they barely shrink. Realistic initial syncs
	// require far fewer terms.
	maxCatchUps = 10000
	maxBatches  = 10000
)

// catchUp sets the time until all VMs are in sync and the results for the deadline.
//
// Let I be the duration of the initial sync if no data changes. If the change is linear, let u be the share of the rate
// that is needed to send it. The initial sync then takes I / (1 - u), including the time to send the changes that occur
// in the meantime. If u is at least 1, it never ends. With a change curve U, let T(0) = I. Sending the changes that
// occur during T(k) takes T(k+1) = VMCount * U(T(k)) / rate. The terms T(k) are added up until one of them is at most
// half the RPO. If they stop shrinking before that, the result is nil.
//
// A batch of b of the n VMs is in sync within a deadline D if I * b / n / (1 - u * b / n) is at most D. The largest
// such b is n * D / (I + u * D), rounded down. With a curve, it is the largest number of VMs for which the sum is at
// most D. Batches run one after another, while the VMs of earlier batches continue to send changes. The batch that
// increases the number of VMs in sync to m takes I * b / n / (1 - u * m / n).
func (in Input) catchUp(r *Result) {
	caughtUp, ok := in.caughtUp()
	if ok {
		r.InitialSyncCaughtUpSeconds = &caughtUp
	}
	if in.DeadlineHours == nil {
		return
	}
	r.DeadlineMet = new(in.meetsDeadline())
	if !*r.DeadlineMet {
		r.Verdict = VerdictMisses
	}
	batch, _ := plan.LargestInt(0, int64(in.VMCount), func(n int64) bool {
		of := in
		of.VMCount = float64(n)
		return n == 0 || of.meetsDeadline()
	})
	r.BatchVMCount = &batch
	if use := in.dailyUse(); batch > 0 && use < 1 {
		r.BatchesHours = new(batchesHours(in.VMCount, float64(batch), r.InitialSyncSeconds/quantity.SecondsPerHour, use))
	}
}

// batchesHours returns the total duration of all batches. For more than maxBatches batches, it approximates the sum by
// an integral; the error is less than initial / maxBatches / (1 - use).
func batchesHours(n, batch, initial, use float64) float64 {
	full := math.Floor(n / batch)
	switch {
	case use == 0:
		return initial
	case full > maxBatches:
		return -initial * math.Log1p(-use) / use
	}
	hours := initial * (n - full*batch) / n / (1 - use)
	for i := 1.0; i <= full; i++ {
		hours += initial * batch / n / (1 - use*i*batch/n)
	}
	return hours
}

func (in Input) dailyUse() float64 {
	if in.ChangeCurve == nil {
		return in.transfer(in.totalGiB()*in.DailyChangePercent/quantity.Percent) / quantity.SecondsPerDay
	}
	return in.transfer(in.dailyGiB()) / quantity.SecondsPerDay
}

func (in Input) meetsDeadline() bool {
	caughtUp, ok := in.caughtUp()
	return ok && caughtUp <= *in.DeadlineHours*quantity.SecondsPerHour
}

func (in Input) caughtUp() (float64, bool) {
	initial := in.initial()
	if in.ChangeCurve == nil {
		use := in.dailyUse()
		return initial / (1 - use), use < 1
	}
	curve, sum, last := in.curve(), initial, initial
	for range maxCatchUps {
		if last <= in.RPOMinutes*quantity.SecondsPerMinute/2 {
			return sum, true
		}
		next := in.transfer(in.VMCount * curve.At(last/quantity.SecondsPerMinute))
		if next >= last {
			return 0, false
		}
		sum, last = sum+next, next
	}
	return 0, false
}

const (
	defaultHorizonMonths = 36
)

// grow sets the months until each test fails. Growth g multiplies the changed data by (1 + g)^(months / 12), but does
// not affect the overhead, so a cycle reaches a limit L after
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

// grow sets the months until the target is full. Growth multiplies both the data and the change of each VM by the same
// factor, and therefore also the required space.
func (in StorageInput) grow(r *StorageResult) {
	switch {
	case in.GrowthPercentPerYear == nil || r.Fits == nil:
	case !*r.Fits:
		r.MonthsUntilFull = new(float64)
	default:
		r.MonthsUntilFull = MonthsOfGrowth(r.TargetGiB, *in.TargetFreeGiB, *in.GrowthPercentPerYear, in.HorizonMonths)
	}
}

// MonthsOfGrowth returns the number of months until an amount grows to a limit, or nil if that takes longer than the
// horizon. The amount must not exceed the limit.
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

// OngoingAfter returns the value of OngoingSyncSeconds after the given number of months of growth.
func (in Input) OngoingAfter(months float64) float64 {
	if in.GrowthPercentPerYear == nil {
		return in.ongoing()
	}
	factor := plan.Pow(1+*in.GrowthPercentPerYear/quantity.Percent, months/quantity.MonthsPerYear)
	return in.OverheadSeconds + (in.ongoing()-in.OverheadSeconds)*factor
}

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
			errs = errs.With(key, fmt.Errorf("must be at least %s GiB, the value for %s, got %s",
				plan.Number(least), minutesText(before), plan.Number(gib)))
		case gib > least*m/before*(1+1e-12):
			errs = errs.With(key, fmt.Errorf("must be at most %s GiB, proportional to the %s GiB for %s, got %s",
				plan.Thousands(least*m/before, 3), plan.Number(least), minutesText(before), plan.Number(gib)))
		}
	}
	return errs
}

// Peak returns the peak factor for an RPO in minutes: the largest mean of the hourly weights over any period of this
// length, divided by the overall mean. It also returns the minutes of the day at which these busiest periods begin. It
// returns 0 and nil if all weights are 0 or rpo is invalid.
func Peak(weights []float64, rpo float64) (peak float64, starts []float64) {
	const day = quantity.MinutesPerDay
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 || !(rpo > 0) || rpo > day {
		return 0, nil
	}
	// until returns the total weight from midnight until the given minute of the same or the next day.
	until := func(minute float64) float64 {
		sum := 0.0
		for h := 0; float64(h)*quantity.MinutesPerHour < minute; h++ {
			sum += weights[h%len(weights)] * min(quantity.MinutesPerHour, minute-float64(h)*quantity.MinutesPerHour)
		}
		return sum
	}
	// The weight of a period is linear in its start time as long as neither its start nor its end crosses a full hour, so
	// the busiest period begins or ends on a full hour.
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
