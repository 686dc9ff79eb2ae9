// Package replica computes how VMs are replicated over a shared link on a virtual clock. It uses no goroutines, timers
// or random numbers, so the state depends only on the calls and their times. Only Advance moves the clock.
//
// Running transfers share the link equally. The package is not safe for concurrent use.
package replica

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"
)

// endTolerance is the interval within which transfers are considered to end simultaneously. Without it, identical VMs
// would drift apart after a rounding error of one nanosecond: the later transfer would get more bandwidth, which would
// change the schedule of its VM.
const endTolerance = time.Microsecond

// Engine contains the virtual clock and the shared link.
type Engine struct {
	now     time.Duration
	link    float64
	service float64     // bytes that a transfer running since the link was last idle would have sent
	running []*transfer // sorted by end
	events  []event     // sorted by time
}

// New returns an engine at time 0. link is the bandwidth in bytes per second.
func New(link float64) *Engine { return &Engine{link: link} }

// Now returns the virtual time since the start of the clock.
func (e *Engine) Now() time.Duration { return e.now }

// SetLink changes the bandwidth in bytes per second. 0 stops all transfers.
func (e *Engine) SetLink(link float64) { e.link = max(0, link) }

// Running returns the number of transfers sharing the link.
func (e *Engine) Running() int { return len(e.running) }

// At schedules f for time t, or for the next Advance if t has passed. Functions scheduled for the same time run in the
// order of the calls to At.
func (e *Engine) At(t time.Duration, f func()) {
	due := event{at: max(t, e.now), run: f}
	at := insertPosition(e.events, due.at, func(other event) time.Duration { return other.at })
	e.events = slices.Insert(e.events, at, due)
}

// insertPosition returns the index after the last element whose key is at most the given key. The list must be sorted
// by key.
func insertPosition[E any, K cmp.Ordered](list []E, key K, keyOf func(E) K) int {
	return sort.Search(len(list), func(i int) bool { return keyOf(list[i]) > key })
}

// Advance moves the clock forward to t and processes all events due by then. It never moves the clock back.
func (e *Engine) Advance(t time.Duration) {
	for {
		end, transferred := e.firstEnd()
		switch {
		case transferred && end <= t && (len(e.events) == 0 || end <= e.events[0].at):
			e.advanceTo(end)
			ended := e.running[0]
			e.cancel(ended)
			ended.done()
		case len(e.events) > 0 && e.events[0].at <= t:
			due := e.events[0]
			e.events = slices.Delete(e.events, 0, 1)
			e.advanceTo(due.at)
			due.run()
		default:
			e.advanceTo(max(t, e.now))
			return
		}
	}
}

func (e *Engine) firstEnd() (time.Duration, bool) {
	if len(e.running) == 0 {
		return 0, false
	}
	left := max(0, e.running[0].target-e.service)
	if left <= e.link*endTolerance.Seconds()/float64(len(e.running)) {
		return e.now, true
	}
	ns := math.Ceil(left * float64(len(e.running)) / e.link * float64(time.Second))
	if !(ns < math.MaxInt64/2) { // the link is down or too slow
		return 0, false
	}
	return e.now + time.Duration(ns), true
}

// advanceTo moves the clock to t. The caller must ensure that no transfer ends before t.
func (e *Engine) advanceTo(t time.Duration) {
	if n := len(e.running); n > 0 {
		e.service += e.link * (t - e.now).Seconds() / float64(n)
	}
	e.now = t
}

func (e *Engine) start(bytes float64, done func()) *transfer {
	if len(e.running) == 0 {
		e.service = 0 // keep the sum small and therefore exact
	}
	tr := &transfer{bytes: bytes, target: e.service + bytes, done: done}
	at := insertPosition(e.running, tr.target, func(other *transfer) float64 { return other.target })
	e.running = slices.Insert(e.running, at, tr)
	return tr
}

func (e *Engine) remaining(tr *transfer) float64 { return min(tr.bytes, max(0, tr.target-e.service)) }

func (e *Engine) cancel(tr *transfer) {
	e.running = slices.DeleteFunc(e.running, func(other *transfer) bool { return other == tr })
}

type event struct {
	at  time.Duration
	run func()
}

type transfer struct {
	bytes, target float64
	done          func()
}

// State is the state of a replication. It does not include RPO violations.
type State string

// States of a replication. The gateway can report others.
const (
	Configuring State = "CONFIGURING"
	NotActive   State = "NOT_ACTIVE"
	InitialSync State = "INITIAL_FULL_SYNC"
	FullSync    State = "FULL_SYNC"
	DeltaSync   State = "SYNC"
	OK          State = "OK"
	Paused      State = "PAUSED"
	Failed      State = "ERROR"
	Moving      State = "MOVING"
)

// State returns the current state.
func (r *Replica) State() State {
	switch {
	case !r.active:
		return Configuring
	case r.fault != nil:
		return Failed
	case r.paused:
		return Paused
	case !r.powered:
		return NotActive
	case r.moving != 0:
		return Moving
	case r.current == nil:
		return OK
	}
	switch r.current.kind {
	case Initial:
		return InitialSync
	case Full:
		return FullSync
	default:
		return DeltaSync
	}
}

// Progress is the progress of a running sync. Sizes are in bytes before compression.
type Progress struct {
	Percent                                                  int32
	ChecksumDone, ChecksumTotal, TransferDone, TransferTotal int64
}

// Progress returns the progress of the running sync, or false if no sync is running. The percentage is rounded down.
func (r *Replica) Progress() (Progress, bool) {
	s := r.current
	if s == nil {
		return Progress{}, false
	}
	data := s.full + s.delta
	sent, checked := 0.0, s.checksum*s.checksumFraction(r.engine.now)
	if s.transfer != nil {
		sent = data
		if s.transferPlanned > 0 {
			sent = data * (1 - r.engine.remaining(s.transfer)/s.transferPlanned)
		}
	}
	p := Progress{
		ChecksumDone: int64(checked), ChecksumTotal: int64(s.checksum), TransferDone: int64(sent),
		TransferTotal: int64(data),
	}
	if total := s.checksum + data; total > 0 {
		p.Percent = int32(min(100, math.Floor(100*(checked+sent)/total)))
	}
	return p, true
}

// Syncs returns the latest syncs, newest last.
func (r *Replica) Syncs() []Sync { return slices.Clone(r.syncs) }

// LastSync returns the latest sync, or false if no sync has completed.
func (r *Replica) LastSync() (Sync, bool) {
	if r.count == 0 {
		return Sync{}, false
	}
	return r.syncs[len(r.syncs)-1], true
}

// Count returns the number of completed syncs.
func (r *Replica) Count() int { return r.count }

const unknownLoad = 1

// maxDurations is the maximum number of durations passed to a Rule. NextStart uses only the last recentDurations.
const (
	maxDurations    = 15
	recentDurations = 3
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

func (r *Replica) recordDuration(took, interval time.Duration) {
	r.durations = append(r.durations, took)
	if len(r.durations) > maxDurations {
		r.durations = slices.Delete(r.durations, 0, 1)
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

// Overdue returns by how much the age of the newest instance exceeds the RPO, or 0 if it does not.
func (r *Replica) Overdue() time.Duration {
	deadline, ok := r.deadline()
	if over := r.engine.now - deadline; ok && over >= Resolution {
		return over
	}
	return 0
}

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

func (r *Replica) startViolation() {
	if r.Overdue() > 0 && !r.isViolating() {
		deadline, _ := r.deadline()
		r.violations = append(r.violations, Violation{Start: deadline})
		r.spec.Violated(deadline)
	}
}

func (r *Replica) isViolating() bool {
	return len(r.violations) > 0 && r.violations[len(r.violations)-1].End == 0
}

// DetectViolation records a violation if the newest instance is older than the RPO.
func (r *Replica) DetectViolation() { r.startViolation() }

// Violations returns all violations, oldest first.
func (r *Replica) Violations() []Violation {
	r.startViolation()
	return slices.Clone(r.violations)
}
