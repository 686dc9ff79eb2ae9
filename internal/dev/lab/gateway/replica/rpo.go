package replica

import (
	"slices"
	"time"
)

const unknownLoad = 1

// remembered is how many durations a Rule is told of, lookedAt of how many NextStart takes the longest.
const (
	remembered = 15
	lookedAt   = 3
)

// Rule returns the latest start of the next sync that keeps the RPO, counted from the start of the last one. It is
// told the durations of the last syncs of changes, the newest last, and load, the time that the last one took for
// each second of changes.
type Rule func(rpo time.Duration, measured []time.Duration, load float64) time.Duration

// Resolution is the shortest violation: the API reports time in milliseconds.
const Resolution = time.Millisecond

// NextStart is the Rule of the lab: the next sync has to end within the RPO, and takes as long as the longest of the
// last three, or load for each second of changes that it carries, whichever is more.
func NextStart(rpo time.Duration, measured []time.Duration, load float64) time.Duration {
	longest := time.Duration(0)
	if n := len(measured); n > 0 {
		longest = slices.Max(measured[max(0, n-lookedAt):])
	}
	return max(0, min(rpo-longest, time.Duration(float64(rpo)/(1+load))))
}

func (r *Replica) nextStart() time.Duration {
	return r.syncs[len(r.syncs)-1].Start + r.spec.Rule(r.spec.RPO, r.measured, r.load)
}

func (r *Replica) measure(took, interval time.Duration) {
	r.measured = append(r.measured, took)
	if len(r.measured) > remembered {
		r.measured = slices.Delete(r.measured, 0, 1)
	}
	if interval > 0 {
		r.load = float64(took) / float64(interval)
	}
}

func (r *Replica) deadline() (time.Duration, bool) {
	if r.count == 0 {
		return 0, false
	}
	return r.syncs[len(r.syncs)-1].Start + r.spec.RPO, true
}

// Overdue is how long the deadline has passed, 0 if it has not.
func (r *Replica) Overdue() time.Duration {
	deadline, ok := r.deadline()
	if over := r.engine.now - deadline; ok && over >= Resolution {
		return over
	}
	return 0
}

func (r *Replica) judge(change func()) {
	r.violate()
	change()
	if r.Overdue() > 0 {
		if !r.violating() {
			r.violations = append(r.violations, Violation{Start: r.engine.now})
			r.spec.Violated(r.engine.now)
		}
		return
	}
	if r.violating() {
		r.violations[len(r.violations)-1].End = r.engine.now
		r.spec.Restored(r.engine.now)
	}
}

func (r *Replica) violate() {
	if r.Overdue() > 0 && !r.violating() {
		deadline, _ := r.deadline()
		r.violations = append(r.violations, Violation{Start: deadline})
		r.spec.Violated(deadline)
	}
}

func (r *Replica) violating() bool {
	return len(r.violations) > 0 && r.violations[len(r.violations)-1].End == 0
}

// Notice notices a violation that has begun.
func (r *Replica) Notice() { r.violate() }

// Violations returns all times of violation.
func (r *Replica) Violations() []Violation {
	r.violate()
	return slices.Clone(r.violations)
}
