package history

import (
	"time"
)

type pending struct {
	before int64 // end of the previous sync, or none
	due    int64 // start of the violation during which the sync ended, or none
	bytes  float64
	change bool // whether the sync sent the changes since lastStart
}

// The start of a sync is estimated from its predicted duration: predictionFactor times the mean of the last
// predictionSyncs durations (VMware vSphere blog, June 2014).
const (
	predictionFactor = 1.2
	predictionSyncs  = 15
)

// starts estimates the start times of syncs, which events do not contain: they only show when a sync ended. A sync
// sends the changes made between the start of the previous sync and its own start.
type starts struct {
	pending   *pending
	lastStart int64 // start of the sync before pending
	// took is a ring buffer of the most recent durations in minutes; taken is the total number of durations.
	took  [predictionSyncs]float32
	taken int
}

// began estimates the start of the pending sync. It is called with the end of the next sync, or with none at the end of
// the log.
//
// Late syncs run back to back. The first late sync started no later than the beginning of the violation. If no
// violation occurs before the next sync ends, the pending sync started at most one RPO before that end. Otherwise the
// scheduling rule of vSphere Replication applies: a sync starts when the time left in the RPO is 1.2 times the mean of
// the most recent durations.
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

// planned returns the start of the pending sync according to the scheduling rule. If no durations are known, the
// duration is derived from the time between the end of the pending sync and the end of the next one. The last sync of
// the log is assumed to take no time.
func (v *vmLog) planned(next int64) int64 {
	n := min(v.taken, len(v.took))
	switch {
	case next == none:
		return v.lastSync
	case n == 0:
		return v.lastSync - int64(float64(v.rpo-(next-v.lastSync))/predictionFactor)
	}
	sum := 0.0
	for _, m := range v.took[:n] {
		sum += float64(m)
	}
	predicted := predictionFactor * sum / float64(n) * float64(time.Minute/time.Millisecond)
	return v.lastStart + v.rpo - int64(predicted)
}

// missed returns the start of the pending sync if a violation begins at the given time: the sync started one RPO
// earlier.
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
