package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	// maxCatchUps limits the number of terms in the series of catchUp, in case they barely shrink. Realistic initial
	// syncs require far fewer terms.
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
		r.Verdict = plan.Misses
	}
	batch, _ := plan.LargestInt(0, int64(in.VMCount), func(n int64) bool {
		of := in
		of.VMCount = float64(n)
		return n == 0 || of.meetsDeadline()
	})
	r.BatchVMCount = &batch
	if use := in.dailyUse(); batch > 0 && use < 1 {
		r.BatchesHours = new(
			batchesHours(in.VMCount, float64(batch), r.InitialSyncSeconds/quantity.SecondsPerHour, use),
		)
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
	curve := in.curve()
	sum := initial
	last := initial
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

// grow sets the months until growth breaks the promise. Growth g multiplies the changed data by (1 + g)^(months / 12),
// so that the throughput becomes insufficient after
//
//	12 * ln(throughput / needed) / ln(1 + g)  months.
func (in Input) grow(r *Result) {
	switch {
	case in.GrowthPercentPerYear == nil:
	case r.ThroughputNeededMbps == nil || *r.ThroughputNeededMbps > in.ThroughputMbps:
		r.MonthsUntilAtRisk = new(float64)
	default:
		r.MonthsUntilAtRisk = simulation.MonthsOfGrowth(*r.ThroughputNeededMbps, in.ThroughputMbps,
			*in.GrowthPercentPerYear, in.HorizonMonths)
	}
}

// OngoingAfter returns the value of OngoingSyncSeconds after the given number of months of growth.
func (in Input) OngoingAfter(months float64) float64 {
	if in.GrowthPercentPerYear == nil {
		return in.ongoing()
	}
	factor := plan.Pow(1+*in.GrowthPercentPerYear/quantity.Percent, months/quantity.MonthsPerYear)
	return in.OverheadSeconds + (in.ongoing()-in.OverheadSeconds)*factor
}
