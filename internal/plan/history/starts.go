package history

import (
	"time"

	"terraform-provider-vsla/internal/plan/simulation"
)

// pending is the last sync, whose start is not settled yet.
type pending struct {
	before int64 // end of the previous sync; none for the first
	due    int64 // start of the violation in which it ended; none without one
	bytes  float64
	change bool // it sent the change since lastStart
}

// starts estimates when syncs started. Events contain the end of a sync, but a sync sends the change between the
// start of the previous one and its own start.
type starts struct {
	pending   *pending
	lastStart int64 // start of the sync before the pending one
	// took is a ring of the last durations in minutes, taken their total number.
	took  [simulation.PredictionSyncs]float32
	taken int
}

// began estimates the start of the pending sync after the next one has ended, or without a next one.
//
// Late syncs run back to back. The first late sync was due when the violation began and started earlier. Without a
// violation up to the end of the next sync, a sync started at most one RPO before that end. Otherwise the scheduling
// rule of vSphere Replication applies: a sync starts when the rest of the RPO is 1.2 times the mean of the last
// durations.
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

// planned returns the start of the pending sync according to the scheduling rule. Without known durations, the
// duration is the part of the RPO that the rule leaves after the interval to the next sync. The last sync of the log
// counts as short.
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

// missed returns the start of the pending sync if a violation begins at the given time: one RPO earlier.
func (v *vmLog) missed(at int64) int64 {
	if v.pending == nil || v.rpo == 0 {
		return v.lastSync
	}
	return min(v.lastSync, max(at-v.rpo, v.pending.before, v.lastStart))
}

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
