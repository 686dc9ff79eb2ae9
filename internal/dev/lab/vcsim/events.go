package vcsim

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// vSphere Replication event types. They are known from community scripts, not from a vendor reference.
const (
	EventDelta         = "hbr.primary.DeltaCompletedEvent"
	EventAppDelta      = "hbr.primary.AppQuiescedDeltaCompletedEvent"
	EventFSDelta       = "hbr.primary.FSQuiescedDeltaCompletedEvent"
	EventFullSync      = "hbr.primary.SyncCompletedEvent"
	EventUnquiesced    = "hbr.primary.UnquiescedDeltaCompletedEvent"
	EventRPOViolated   = "com.vmware.vcHms.rpoViolatedEvent"
	EventRPORestored   = "com.vmware.vcHms.rpoRestoredEvent"
	eventPrefixPrimary = "hbr.primary."
	eventPrefixServer  = "com.vmware.vcHms."
)

const defaultRetention = 30 * 24 * time.Hour

// Event is a vSphere Replication event for a VM.
type Event struct {
	At   time.Time
	Type string
	VMID string
	// Bytes is the size of a sync; 0 for other events.
	Bytes int64
	// Minutes is the current duration of a violation; 0 omits it.
	Minutes int64

	key int
}

// EventSource is an event log in chronological order. Events can be computed on demand.
type EventSource interface {
	Len() int
	Event(i int) Event
}

type posted []Event

func (p posted) Len() int { return len(p) }

func (p posted) Event(i int) Event { return p[i] }

// Events is a vCenter's log of vSphere Replication events. It is safe for concurrent use. The simulator's own log is
// limited to 1,000 events and uses the wall clock.
type Events struct {
	mu        sync.Mutex
	now       func() time.Time
	posted    posted
	count     int // including events that have been removed
	unsorted  bool
	source    EventSource
	reached   time.Time
	kept      time.Duration
	behaviour Behaviour
	lost      []span
	// collectors contains the open collectors, keyed by the number in their ID.
	collectors map[int]*eventCollector
	created    int
	names      map[string]string // VM names by VM ID
}

type span struct{ from, to time.Time }

func newEvents(now func() time.Time) *Events {
	return &Events{now: now, kept: defaultRetention, collectors: map[int]*eventCollector{}, names: map[string]string{}}
}

// Events returns the log of vSphere Replication events.
func (v *VCenter) Events() *Events { return v.events }

// Post adds events. If an event is newer than the vCenter clock, the clock advances to its time.
func (e *Events) Post(events ...Event) {
	defer e.lock()()
	for _, event := range events {
		if n := len(e.posted); n > 0 && event.At.Before(e.posted[n-1].At) {
			e.unsorted = true
		}
		e.reach(event.At)
		if len(e.posted) == cap(e.posted) {
			e.prune()
		}
		e.count++
		event.key = e.count
		e.posted = append(e.posted, event)
	}
}

func (e *Events) prune() {
	oldest := e.time().Add(-e.kept)
	kept := make(posted, 0, len(e.posted))
	for _, event := range e.posted {
		if !event.At.Before(oldest) {
			kept = append(kept, event)
		}
	}
	e.posted = slices.Grow(kept, len(kept)+1)
}

// Serve replaces the posted events with a computed log.
func (e *Events) Serve(source EventSource) {
	defer e.lock()()
	e.source = source
	if n := source.Len(); n > 0 {
		e.reach(source.Event(n - 1).At)
	}
}

// AdvanceTo advances the vCenter clock to t. It never moves the clock back.
func (e *Events) AdvanceTo(t time.Time) {
	defer e.lock()()
	e.reach(t)
}

func (e *Events) reach(t time.Time) {
	if t.After(e.reached) {
		e.reached = t
	}
}

// RetainEvents sets the retention in days, and the settings event.maxAge and event.maxAgeEnabled accordingly. 0 keeps
// events for 100 years.
func (v *VCenter) RetainEvents(days int) error {
	ctx := v.model.Service.Context
	settings, ok := ctx.Map.Get(*v.model.ServiceContent.Setting).(*simulator.OptionManager)
	if !ok {
		return errors.New("the model has no option manager")
	}
	ctx.WithLock(settings, func() {
		// Copy the simulator's settings, which are stored in a package variable.
		settings.Setting = append(slices.Clone(settings.Setting),
			&types.OptionValue{Key: "event.maxAge", Value: int32(days)}, //nolint:gosec // small test values
			&types.OptionValue{Key: "event.maxAgeEnabled", Value: days > 0})
	})
	if days == 0 {
		days = 36_500 // a time.Duration is limited to 292 years
	}
	defer v.events.lock()()
	v.events.kept = time.Duration(days) * 24 * time.Hour
	return nil
}

// DeleteEvents drops the events between two times, inclusive, as if vCenter had failed to write them.
func (e *Events) DeleteEvents(from, to time.Time) {
	defer e.lock()()
	e.lost = append(e.lost, span{from, to})
}

// Collectors returns the number of open collectors.
func (e *Events) Collectors() int {
	defer e.lock()()
	return len(e.collectors)
}

// All returns the retained events in chronological order.
func (e *Events) All() []Event {
	defer e.lock()()
	var list []Event
	log := e.log()
	for i := range log.Len() {
		if event := log.Event(i); e.has(event.At) {
			list = append(list, event)
		}
	}
	return list
}

func (e *Events) time() time.Time {
	if now := e.now(); now.After(e.reached) {
		return now
	}
	return e.reached
}

func (e *Events) log() EventSource {
	if e.source != nil {
		return e.source
	}
	return e.behaviour.apply(e.stored(), e.time())
}

func (e *Events) stored() posted {
	if e.unsorted {
		sorted := slices.Clone(e.posted)
		slices.SortStableFunc(sorted, func(a, b Event) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
		e.posted = sorted
		e.unsorted = false
	}
	return slices.Clip(e.posted)
}

func (e *Events) has(t time.Time) bool {
	if t.Before(e.time().Add(-e.kept)) {
		return false
	}
	return !slices.ContainsFunc(e.lost, func(s span) bool { return !t.Before(s.from) && !t.After(s.to) })
}

func first(log EventSource, t time.Time) int {
	low := 0
	high := log.Len()
	for low < high {
		middle := (low + high) / 2
		if log.Event(middle).At.Before(t) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (e *Events) lock() (unlock func()) {
	e.mu.Lock()
	return e.mu.Unlock
}
