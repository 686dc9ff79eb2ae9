package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// maxCatchUps limits a series that hardly shrinks, beyond any realistic initial sync.
	maxCatchUps = 10000
	maxBatches  = 10000
)

// catchUp sets the time until all VMs are in sync, and the results for the deadline.
//
// With linear change that uses the share u of the rate, an initial sync I takes I / (1 - u), null from 1. With a
// curve U, the change during T(k) takes T(k+1) = VMCount * U(T(k)) / rate; the series is summed up until a sync is
// within half the RPO, and is null if it stops shrinking.
//
// Of n VMs, b are in sync within a deadline D if I * b / n / (1 - u * b / n) is at most D, so b is n * D / (I + u *
// D), rounded down; with a curve it is the largest number that the series has in sync. Batches run one after another
// while the VMs of earlier batches keep sending changes: with done VMs, including its own, a batch takes I * b / n /
// (1 - u * done / n).
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

// batchesHours returns the total duration of all batches. For more than maxBatches it returns the integral, which
// differs by less than 1 / maxBatches of the last batch's rate.
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

// dailyUse returns the share of the rate used by the daily change.
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
