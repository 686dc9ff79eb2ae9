// Package history evaluates replication events from the vCenter log: syncs with their sizes, and RPO violations. It
// reads events one at a time in chronological order and uses a few kilobytes per VM.
//
// A lack of events never counts as success. Time counts as known only during a violation and between events that are no
// further apart than the RPO allows. All other time is unknown, and a VM without known time has no compliance.
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

	// lateFactor and lateBy define how much time without events counts as known: lateFactor times the RPO plus lateBy,
	// for example 17.5 minutes for an RPO of 15 minutes. If there is no violation, consecutive syncs end at most one
	// RPO apart; the margin allows for late events. The values are this project's own assumptions.
	lateFactor = 1.1
	lateBy     = time.Minute

	// lostAfter is the number of consecutive syncs within the RPO after which the end event of a violation is
	// considered missing. The value is this project's own assumption.
	lostAfter = 3

	// repeatedWithin is the maximum difference between the start times implied by two events of the same violation.
	// These start times differ because events are late and contain durations in whole minutes. The value is this
	// project's own assumption.
	repeatedWithin = 5 * time.Minute
)

// RangeLookbackHours bounds the length of a history. By default, vCenter keeps events for 30 days.
var RangeLookbackHours = plan.Range{Min: 1, Max: 8760, Unit: "hours"}

// Kind is the kind of a replication event.
type Kind int

// The kinds of events. The first five mark the end of a sync.
const (
	Delta Kind = iota
	AppQuiescedDelta
	FSQuiescedDelta
	UnquiescedDelta // quiescing failed or the VM was off
	FullSync
	Violated    // RPO violation, repeated while it continues
	Restored    // end of a violation
	Interrupted // a sync was aborted or could not start, or the replication was paused or changed

	syncKinds = int(FullSync) + 1
)

// Event is a replication event of a VM.
type Event struct {
	At   time.Time
	Kind Kind
	// Bytes is the amount of data that the sync sent.
	Bytes float64
	// Minutes is the duration of the violation so far; 0 if unknown.
	Minutes float64
}

// VM describes a VM whose events are evaluated.
type VM struct {
	// Size is the amount of data on which DailyChangePercent is based; 0 if unknown.
	Size quantity.Size
	// RPOMinutes is the configured RPO. If it is 0 (unknown), all time is unknown.
	RPOMinutes float64
}

// Syncs counts syncs by kind.
type Syncs struct{ Delta, AppQuiescedDelta, FSQuiescedDelta, UnquiescedDelta, Full int64 }

// Result is the history of a VM or of all VMs. Pointers, lists and maps are nil if nothing was measured.
type Result struct {
	// VMCount is 1 for a single VM.
	VMCount    int
	RPOMinutes float64
	Size       quantity.Size
	Syncs      Syncs
	// Transferred is the total size of all syncs.
	Transferred quantity.Size
	// Delta describes the sizes of deltas in GiB. Interval describes the minutes between the ends of consecutive
	// deltas. Lateness describes the durations of completed violations in minutes.
	Delta, Interval, Lateness Quantiles
	Violations                int64
	// Interruptions is the number of events that explain a missing sync. They do not extend the known time.
	Interruptions int64
	// ViolationMinutes is part of KnownMinutes. KnownMinutes and UnknownMinutes add up to the period.
	ViolationMinutes, KnownMinutes, UnknownMinutes float64
	// CompliancePercent is the percentage of known time without a violation; nil if no time is known.
	CompliancePercent *float64
	// DailyChangeGiB is the size of the deltas divided by the time between them, in GiB per day. DailyChangePercent is
	// DailyChangeGiB as a percentage of Size.
	DailyChangeGiB, DailyChangePercent *float64
	// HourlyWeights is the distribution of the daily change over the 24 hours of the day, starting at midnight UTC,
	// with a mean of 1. It is nil if any hour was not measured or nothing changed.
	HourlyWeights []float64
	// ChangeCurve maps the length of an interval, in minutes weighted by HourlyWeights, to the amount of data in GiB
	// that changes on one VM in that interval.
	ChangeCurve map[float64]float64
}

// Day is a day that begins at midnight UTC. The first and the last day are clipped to the bounds of the log. Minutes
// are sums over all VMs.
type Day struct {
	Start                                          time.Time
	ViolationMinutes, KnownMinutes, UnknownMinutes float64
	CompliancePercent                              *float64
}

// Summary is the result of evaluating a log.
type Summary struct {
	VMs   map[string]Result
	Total Result
	Days  []Day
}

// Log evaluates the replication events of VMs.
type Log struct {
	from, to int64 // in Unix milliseconds, like all times below
	vms      map[string]*vmLog
	days     calendar
}

// NewLog returns an empty log for the given period.
func NewLog(from, to time.Time) *Log {
	l := &Log{from: from.UnixMilli(), to: max(from.UnixMilli(), to.UnixMilli()), vms: make(map[string]*vmLog)}
	l.days = newCalendar(l.from, l.to)
	return l
}

func newCalendar(from, to int64) calendar {
	first, last := from/int64(msPerDay), (to-1)/int64(msPerDay)
	return calendar{from: from, to: to, days: make([]dayTotals, max(0, last-first+1))}
}

// Watch adds a VM. Events of other VMs are skipped.
func (l *Log) Watch(id string, vm VM) {
	v := &vmLog{log: l, vm: vm, last: none, lastSync: none, starts: starts{lastStart: none}, since: none, after: none}
	if vm.RPOMinutes > 0 {
		rpo := vm.RPOMinutes * float64(time.Minute)
		v.rpo = int64(rpo / float64(time.Millisecond))
		v.silence = int64((rpo*lateFactor + float64(lateBy)) / float64(time.Millisecond))
	}
	l.vms[id] = v
}

// Add adds an event. The events of a VM must be in chronological order. Events outside the period are skipped.
func (l *Log) Add(id string, e Event) {
	at := e.At.UnixMilli()
	if v := l.vms[id]; v != nil && at >= l.from && at <= l.to {
		v.add(max(at, v.last), e)
	}
}

// Finish returns the result. Add must not be called afterwards.
func (l *Log) Finish() Summary {
	s := Summary{VMs: make(map[string]Result, len(l.vms))}
	total := new(vmLog)
	var span int64
	ids := make([]string, 0, len(l.vms))
	for id := range l.vms {
		ids = append(ids, id)
	}
	slices.Sort(ids) // fixed order, because floating-point sums depend on it
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
