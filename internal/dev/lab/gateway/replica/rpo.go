package replica

import (
	"slices"
	"time"
)

// Rule computes when the next sync must start to meet the RPO, relative to the start of the last sync. measured
// contains the durations of recent delta syncs, newest last. load is the duration of the last delta sync divided by the
// time over which its changes accumulated.
type Rule func(rpo time.Duration, measured []time.Duration, load float64) time.Duration

// Resolution is the duration of the shortest violation that is detected. The API reports times in milliseconds.
const Resolution = time.Millisecond

// NextStart is the default Rule. It expects the next sync to take as long as the longest of the last three delta syncs
// or as long as load predicts, whichever is longer, and starts it early enough to end within the RPO.
func NextStart(rpo time.Duration, measured []time.Duration, load float64) time.Duration {
	longest := time.Duration(0)
	if n := len(measured); n > 0 {
		longest = slices.Max(measured[max(0, n-recentDurations):])
	}
	return max(0, min(rpo-longest, time.Duration(float64(rpo)/(1+load))))
}

func (r *Replica) deadline() (time.Duration, bool) {
	if r.count == 0 {
		return 0, false
	}
	return r.syncs[len(r.syncs)-1].Start + r.spec.RPO, true
}

// Overdue returns by how much the age of the newest instance exceeds the RPO, or 0 if it does not.
func (r *Replica) Overdue() time.Duration {
	deadline, ok := r.deadline()
	if over := r.engine.now - deadline; ok && over >= Resolution {
		return over
	}
	return 0
}

// Violations returns all violations, oldest first.
func (r *Replica) Violations() []Violation {
	r.startViolation()
	return slices.Clone(r.violations)
}
