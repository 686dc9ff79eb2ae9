// Catching up: VMs change while their initial sync runs.

package replication

import "math"

const (
	// maxCatchUps bounds a series that hardly shrinks. It is beyond any initial sync that somebody would wait for.
	maxCatchUps = 10000
)

// catchUp fills the time until all VMs are in sync, and the batches that keep a deadline.
//
// Linear change that uses the part u of the rate makes it initial / (1 - u), null at 1 and above. With a curve U, what
// changed in T(k) takes T(k+1) = VMCount * U(T(k)) / rate; the series is added up until a sync is within half the RPO,
// and is null if it stops shrinking.
func (in Input) catchUp(r *Result) {
	caughtUp, ok := in.caughtUp(r.InitialSyncSeconds)
	if !ok {
		return
	}
	r.InitialSyncCaughtUpSeconds = &caughtUp
	if in.DeadlineHours == nil {
		return
	}
	batch := int64(in.VMCount)
	if deadline := *in.DeadlineHours * secondsPerHour; caughtUp > deadline {
		batch = int64(math.Floor(in.VMCount * deadline / caughtUp))
	}
	r.BatchVMCount = &batch
}

func (in Input) caughtUp(initial float64) (float64, bool) {
	if in.ChangeCurve == nil {
		use := in.transfer(in.totalGiB()*in.DailyChangePercent/percent) / secondsPerDay
		return initial / (1 - use), use < 1
	}
	curve, sum, last := in.curve(), initial, initial
	for range maxCatchUps {
		if last <= in.RPOMinutes*secondsPerMin/2 {
			return sum, true
		}
		next := in.transfer(in.VMCount * curve.At(last/secondsPerMin))
		if next >= last {
			return 0, false
		}
		sum, last = sum+next, next
	}
	return 0, false
}
