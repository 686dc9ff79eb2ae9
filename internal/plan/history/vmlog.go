package history

const none = -1

type vmLog struct {
	log          *Log
	vm           VM
	rpo, silence int64
	last         int64 // time of the last event of any kind
	lastSync     int64
	lastFull     bool
	broken       bool // whether there was a gap in the events after the last sync
	starts

	since  int64 // start of the current violation, or none
	after  int64 // time of the first sync during the violation
	onTime int   // number of consecutive syncs within the RPO during the violation

	unknown, violated         int64
	judged                    int64 // end of the last unknown period or violation
	violations, interruptions int64
	syncs                     [syncKinds]int64
	bytes                     float64
	changed, changing         float64 // bytes changed, and the milliseconds in which they changed
	daily                     float64 // sum of the VMs' daily bytes, used for the total
	deltas, intervals, late   distribution
	hours                     hours
	curve                     curve
}

func (v *vmLog) add(at int64, e Event) {
	if e.Kind == Interrupted {
		v.interruptions++
		return
	}
	before, heard := v.last, at // the time since heard is known
	v.last = at
	if e.Kind == Violated && v.since == none {
		heard = max(v.log.from, v.judged, at-milliseconds(e.Minutes))
	}
	silent := false
	switch {
	case before == none:
		v.notKnown(v.log.from, heard)
	case v.since == none && v.silence > 0 && heard-before > v.silence:
		silent = true
		v.broken = true
		v.notKnown(before, heard)
	}
	switch e.Kind {
	case Violated:
		v.violate(at, heard, e.Minutes)
	case Restored:
		v.restore(before, at, silent)
	default:
		v.sync(at, e)
	}
}

func milliseconds(minutes float64) int64 { return int64(minutes * msPerMinute) }

// violate starts a violation or continues the current one. A repeated event continues the current violation unless its
// duration implies a clearly later start. In that case, the end event of the previous violation is missing.
func (v *vmLog) violate(at, heard int64, minutes float64) {
	if v.since != none {
		began := at - milliseconds(minutes)
		if minutes == 0 || began <= v.since+repeatedWithin.Milliseconds() {
			return
		}
		heard = began
		v.lose(heard)
	}
	v.settle(v.missed(heard))
	v.since = heard
	v.after = none
	v.onTime = 0
	v.violations++
}

// restore ends a violation. If its start event is missing, the violation began after the previous event.
func (v *vmLog) restore(before, at int64, silent bool) {
	if v.since == none {
		v.violations++
		if before != none && !silent {
			v.notKnown(before, at)
		}
		return
	}
	v.inViolation(v.since, at)
	v.late.add(minutes(at - v.since))
	v.since = none
}

// lose closes a violation whose end event is missing. The violation lasted at least until the first sync that ended
// during it.
func (v *vmLog) lose(at int64) {
	if v.after == none {
		v.after = v.since
	}
	v.inViolation(v.since, v.after)
	v.notKnown(v.after, at)
	v.since = none
}

func (v *vmLog) sync(at int64, e Event) {
	v.syncs[e.Kind]++
	v.bytes += e.Bytes
	full := e.Kind == FullSync
	if !full {
		v.deltas.add(gib(e.Bytes))
	}
	v.settle(v.began(at))
	change := v.lastSync != none && !v.broken && !v.lastFull && !full && at > v.lastSync
	if change {
		v.intervals.add(minutes(at - v.lastSync))
	}
	if v.since != none {
		if v.lastSync != none && v.lastSync >= v.since && at-v.lastSync <= v.rpo {
			v.onTime++
		} else {
			v.onTime = 0
		}
		if v.after == none {
			v.after = at
		}
		if v.onTime >= lostAfter {
			v.lose(at)
		}
	}
	v.pending = &pending{before: v.lastSync, due: v.since, bytes: e.Bytes, change: change}
	v.lastSync = at
	v.lastFull = full
	v.broken = false
}

// finish closes the log. An open violation lasts until the end of the log. If the log ends with a long time without
// events, that time is unknown.
func (v *vmLog) finish() {
	v.settle(v.began(none))
	end := v.log.to
	switch {
	case v.silence == 0:
		v.unknown = end - v.log.from
		v.log.days.add(v.log.from, end, func(d *dayTotals, ms int64) { d.unknown += ms })
	case v.last == none:
		v.notKnown(v.log.from, end)
	case v.since != none:
		v.inViolation(v.since, end)
	case end-v.last > v.silence:
		v.notKnown(v.last, end)
	}
}

func (v *vmLog) notKnown(from, to int64) {
	if v.silence > 0 {
		v.unknown += to - from
		v.judged = max(v.judged, to)
		v.log.days.add(from, to, func(d *dayTotals, ms int64) { d.unknown += ms })
	}
}

func (v *vmLog) inViolation(from, to int64) {
	if v.silence > 0 {
		v.violated += to - from
		v.judged = max(v.judged, to)
		v.log.days.add(from, to, func(d *dayTotals, ms int64) { d.violated += ms })
	}
}
