// Package history adds up the replication events of vCenter's log: each sync with its size, and each time that
// an RPO was not kept. It reads events one by one, in the order of their times, and keeps a few kilobytes for each VM.
//
// It never takes silence for success. Time is known only between events that are no further apart than the RPO allows,
// and during a violation; all other time is unknown, and a VM without known time has no compliance.
package history

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hoursPerDay = calculator.HoursPerDay

	// lateFactor and lateBy say how far apart two events may be: an RPO of 15 minutes allows 17.5. Without a violation
	// two syncs end at most one RPO apart; the rest is for events that are written late. An assumption of this project.
	lateFactor = 1.1
	lateBy     = time.Minute

	// lostAfter is how many syncs in a row have to end within the RPO during a violation before its end counts as lost:
	// each of them ends a violation by itself. An assumption of this project.
	lostAfter = 3

	// repeatedWithin is how far the beginnings of a violation by two of its events may be apart: each has whole minutes,
	// and is written late. An assumption of this project.
	repeatedWithin = 5 * time.Minute
)

// RangeLookbackHours is how far back a history goes: vCenter keeps events for 30 days unless it is set otherwise.
var RangeLookbackHours = plan.Range{Min: 1, Max: 8760, Unit: "hours"}

// Kind is the kind of an event.
type Kind int

// The kinds of events. The first five are the end of a sync.
const (
	Delta Kind = iota
	AppQuiescedDelta
	FSQuiescedDelta
	UnquiescedDelta // quiescing failed, or the VM was off
	FullSync
	Violated    // the RPO is not kept; it may be repeated while that lasts
	Restored    // the RPO is kept again
	Interrupted // a sync was aborted or could not start, or replication was paused or changed

	syncKinds = int(FullSync) + 1
)

// Event is one event of a VM.
type Event struct {
	At   time.Time
	Kind Kind
	// Bytes is the amount that a sync transferred.
	Bytes float64
	// Minutes is how long a violation has lasted already; 0 when it is not known.
	Minutes float64
}

// VM is a VM's data in addition to its events.
type VM struct {
	// Size is the base of a percentage of change; 0 when it is not known.
	Size quantity.Size
	// RPOMinutes is the configured RPO; 0 when it is not known. All time is unknown then.
	RPOMinutes float64
}

// Syncs are numbers of syncs.
type Syncs struct{ Delta, AppQuiescedDelta, FSQuiescedDelta, UnquiescedDelta, Full int64 }

// Result is the history of a VM, or of all. Pointers are nil, and lists empty, where nothing was measured.
type Result struct {
	// VMCount is 1 for a VM.
	VMCount    int
	RPOMinutes float64
	Size       quantity.Size
	Syncs      Syncs
	// Transferred is what all syncs transferred.
	Transferred quantity.Size
	// Delta is the size of a sync of changes in GiB, Interval the time between the ends of two such syncs in minutes,
	// Lateness how long a violation lasted that has ended, in minutes.
	Delta, Interval, Lateness Quantiles
	Violations                int64
	// Interruptions are the events that explain why a sync is missing. They make no time known.
	Interruptions int64
	// ViolationMinutes are part of KnownMinutes. KnownMinutes and UnknownMinutes are all time.
	ViolationMinutes, KnownMinutes, UnknownMinutes float64
	// CompliancePercent is the part of the known time without violation; nil without known time.
	CompliancePercent *float64
	// DailyChangeGiB is what syncs of changes transferred over the time between them, in a day; DailyChangePercent is
	// that of Size.
	DailyChangeGiB, DailyChangePercent *float64
	// HourlyWeights say how the day's change is spread over its 24 hours, from midnight UTC; their mean is 1. Nil where
	// an hour was not measured, or nothing changed.
	HourlyWeights []float64
	// ChangeCurve is how many GiB of one VM change in a number of minutes, each weighted by HourlyWeights, as the curve of
	// a schedule.
	ChangeCurve map[float64]float64
}

// Day is one day, from midnight UTC, as far as it was looked at. Minutes are added up over the VMs.
type Day struct {
	Start                                          time.Time
	ViolationMinutes, KnownMinutes, UnknownMinutes float64
	CompliancePercent                              *float64
}

// Summary is the result of a log.
type Summary struct {
	VMs   map[string]Result
	Total Result
	Days  []Day
}

// Log adds up events of VMs.
type Log struct {
	from, to int64 // milliseconds since 1970, as all times below
	vms      map[string]*vmLog
	days     calendar
}

// NewLog starts a log of a time.
func NewLog(from, to time.Time) *Log {
	l := &Log{from: from.UnixMilli(), to: max(from.UnixMilli(), to.UnixMilli()), vms: make(map[string]*vmLog)}
	l.days = newCalendar(l.from, l.to)
	return l
}

// Watch adds a VM. Events of others are passed over.
func (l *Log) Watch(id string, vm VM) {
	v := &vmLog{log: l, vm: vm, last: none, lastSync: none, starts: starts{lastStart: none}, since: none, after: none}
	if vm.RPOMinutes > 0 {
		rpo := vm.RPOMinutes * float64(time.Minute)
		v.rpo = int64(rpo / float64(time.Millisecond))
		v.silence = int64((rpo*lateFactor + float64(lateBy)) / float64(time.Millisecond))
	}
	l.vms[id] = v
}

// Add adds an event of a VM. Those of one VM come in the order of their times; those of another time are passed over.
func (l *Log) Add(id string, e Event) {
	at := e.At.UnixMilli()
	if v := l.vms[id]; v != nil && at >= l.from && at <= l.to {
		v.add(max(at, v.last), e)
	}
}

// Finish returns the result. Nothing is added afterwards.
func (l *Log) Finish() Summary {
	s := Summary{VMs: make(map[string]Result, len(l.vms))}
	total := new(vmLog)
	var span int64
	ids := make([]string, 0, len(l.vms))
	for id := range l.vms {
		ids = append(ids, id)
	}
	slices.Sort(ids) // sums of floating-point numbers depend on their order
	for _, id := range ids {
		v := l.vms[id]
		v.finish()
		s.VMs[id] = v.result(l.to-l.from, v.dailyBytes())
		total.merge(v)
		span += l.to - l.from
	}
	s.Total = total.result(span, total.daily)
	s.Total.VMCount = len(ids)
	s.Days = l.days.result(len(ids))
	clear(l.vms)
	return s
}

const none = -1

// vmLog is the state of one VM.
type vmLog struct {
	log          *Log
	vm           VM
	rpo, silence int64
	last         int64 // the last event of any kind
	lastSync     int64
	lastFull     bool // it was a full sync
	broken       bool // events are missing since
	starts

	since  int64 // the violation that lasts began; none without one
	after  int64 // the first sync in it
	onTime int   // syncs in a row in it that ended within the RPO

	unknown, violated         int64
	judged                    int64 // the end of the last time that is unknown or in violation
	violations, interruptions int64
	syncs                     [syncKinds]int64
	bytes                     float64
	changed, changing         float64 // bytes, and the milliseconds in which they changed
	daily                     float64 // of the total: the sum of the VMs' daily bytes
	deltas, intervals, late   distribution
	hours                     hours
	curve                     curve
}

// add takes an event at a time that is not before the last one.
func (v *vmLog) add(at int64, e Event) {
	if e.Kind == Interrupted {
		v.interruptions++
		return
	}
	before, heard := v.last, at // heard is from when on the event makes time known
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

// violate begins a violation, or continues the one that lasts: without an end in between, a further event repeats the
// first. Only one that began clearly later by its own minutes is another, so that the end of the one before is missing.
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
	v.since, v.after, v.onTime = heard, none, 0
	v.violations++
}

// restore ends a violation. One whose beginning is missing began at some time since the event before.
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

// lose ends a violation whose end is missing. It lasted until the first sync in it at least: nothing else ends one.
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
	v.lastSync, v.lastFull, v.broken = at, full, false
}

// finish takes the end of the log for what it is: a violation lasts, and too long a silence is unknown.
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

// notKnown and inViolation judge a time, where the RPO is known.
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
