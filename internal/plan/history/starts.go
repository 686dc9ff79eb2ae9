// When syncs began. An event has the end of a sync, and a sync carries what changed between the start of the one before
// and its own.

package history

import (
	"time"

	"terraform-provider-vsla/internal/plan/simulation"
)

// pending is the last sync, as long as its start is not known.
type pending struct {
	before int64 // the end of the sync before; none for the first
	due    int64 // the beginning of the violation in which it ended; none without one
	bytes  float64
	change bool // it carried what changed since lastStart
}

// starts estimates when syncs began.
type starts struct {
	pending   *pending
	lastStart int64 // of the sync before the pending one
	// took are the last durations in minutes, in a ring, and taken how many there were.
	took  [simulation.PredictionSyncs]float32
	taken int
}

// began estimates when the pending sync began, once the next one has ended, or without a next one.
//
// Late syncs follow each other without a pause. The first late one was due when the violation began, and began before.
// Without a violation until the next sync has ended, a sync began no longer than the RPO before that. The rest is
// decided by the product's rule: a sync begins when the RPO allows for 1.2 times the mean of the last durations.
func (v *vmLog) began(next int64) int64 {
	p := v.pending
	if p == nil || v.rpo == 0 {
		return v.lastSync
	}
	low, high := max(p.before, v.lastStart), v.lastSync
	if p.due != none {
		if p.before >= p.due {
			return p.before
		}
		high = p.due
	}
	if v.since == none && next != none {
		low = max(low, next-v.rpo)
	}
	return min(high, max(low, v.planned(next)))
}

// planned is when the pending sync began by the product's rule. Before anything is known of durations, that of the sync
// is the rest that the rule leaves of the RPO after the interval to the next one. The last sync of the log counts as
// short.
func (v *vmLog) planned(next int64) int64 {
	n := min(v.taken, len(v.took))
	switch {
	case next == none:
		return v.lastSync
	case n == 0:
		return v.lastSync - int64(float64(v.rpo-(next-v.lastSync))/simulation.PredictionFactor)
	}
	sum := 0.0
	for _, m := range v.took[:n] {
		sum += float64(m)
	}
	predicted := simulation.PredictionFactor * sum / float64(n) * float64(time.Minute/time.Millisecond)
	return v.lastStart + v.rpo - int64(predicted)
}

// missed is when the pending sync began if a violation begins at a time: the RPO before.
func (v *vmLog) missed(at int64) int64 {
	if v.pending == nil || v.rpo == 0 {
		return v.lastSync
	}
	return min(v.lastSync, max(at-v.rpo, v.pending.before, v.lastStart))
}

// settle counts the pending sync, which began at a time.
func (v *vmLog) settle(start int64) {
	p := v.pending
	if p == nil {
		return
	}
	if p.change {
		v.took[v.taken%len(v.took)] = float32(minutes(v.lastSync - start))
		v.taken++
	}
	if p.change && start > v.lastStart {
		v.changed += p.bytes
		v.changing += float64(start - v.lastStart)
		at := v.curve.at(minutes(start - v.lastStart))
		at.syncs++
		at.gib += gib(p.bytes)
		at.add(v.hours.add(v.lastStart, start, p.bytes))
	}
	v.lastStart, v.pending = start, nil
}
