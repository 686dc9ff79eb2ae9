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

// deadline returns when the newest instance becomes older than the RPO, and false if there is no instance.
func (r *Replica) deadline() (time.Duration, bool) {
	if r.count == 0 {
		return 0, false
	}
	return r.lastSync().Start + r.spec.RPO, true
}

// Overdue returns by how much the age of the newest instance exceeds the RPO, or 0 if it does not.
func (r *Replica) Overdue() time.Duration {
	deadline, ok := r.deadline()
	over := r.engine.now - deadline
	if ok && over >= Resolution {
		return over
	}
	return 0
}

// Violations returns all violations, oldest first.
func (r *Replica) Violations() []Violation {
	r.startViolation()
	return slices.Clone(r.violations)
}

// maxDurations is the maximum number of durations passed to a Rule. NextStart uses only the last recentDurations.
const (
	maxDurations    = 15
	recentDurations = 3
)

// recordDuration records how long a delta sync took, for the Rule. interval is the time over which its changes
// accumulated.
func (r *Replica) recordDuration(took, interval time.Duration) {
	r.durations = append(r.durations, took)
	if len(r.durations) > maxDurations {
		r.durations = slices.Delete(r.durations, 0, 1)
	}
	if interval > 0 {
		r.load = float64(took) / float64(interval)
	}
}

// updateViolation makes a change that may start or end a violation.
func (r *Replica) updateViolation(change func()) {
	r.startViolation()
	change()
	if r.Overdue() > 0 {
		if !r.isViolating() {
			r.violations = append(r.violations, Violation{Start: r.engine.now})
			r.spec.Violated(r.engine.now)
		}
		return
	}
	if r.isViolating() {
		r.violations[len(r.violations)-1].End = r.engine.now
		r.spec.Restored(r.engine.now)
	}
}

// startViolation starts a violation at the deadline if that has passed.
func (r *Replica) startViolation() {
	if r.Overdue() > 0 && !r.isViolating() {
		deadline, _ := r.deadline()
		r.violations = append(r.violations, Violation{Start: deadline})
		r.spec.Violated(deadline)
	}
}

// isViolating reports whether a violation lasts.
func (r *Replica) isViolating() bool {
	return len(r.violations) > 0 && r.violations[len(r.violations)-1].End == 0
}

// DetectViolation records a violation if the newest instance is older than the RPO.
func (r *Replica) DetectViolation() { r.startViolation() }
