// Package replica computes the replication of VMs over a shared link on a virtual clock. It uses no goroutines, timers
// or random numbers, so the state depends only on the calls and their times. Time passes only in Advance.
//
// All running transfers share the link equally. The package is not safe for concurrent use.
package replica

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"
)

// together is the time within which transfers end simultaneously. Without it, a rounding error of a nanosecond would
// separate identical VMs, and the difference would grow: the later one has more bandwidth, measures other durations and
// schedules other starts.
const together = time.Microsecond

// Engine contains the clock and the link.
type Engine struct {
	now     time.Duration
	link    float64
	service float64     // bytes that a transfer running all the time would have sent
	running []*transfer // sorted by end
	timed   []event     // sorted by time
}

// New returns an engine at time 0 with the bandwidth of the link in bytes per second.
func New(link float64) *Engine { return &Engine{link: link} }

// Now returns the time since the epoch.
func (e *Engine) Now() time.Duration { return e.now }

// SetLink changes the bandwidth of the link in bytes per second; 0 stops all transfers.
func (e *Engine) SetLink(link float64) { e.link = max(0, link) }

// Running returns the number of transfers that share the link.
func (e *Engine) Running() int { return len(e.running) }

// At runs f when the clock reaches t, or at the next Advance if t has passed. Functions due at the same time run in the
// order of the calls to At.
func (e *Engine) At(t time.Duration, f func()) {
	due := event{at: max(t, e.now), run: f}
	e.timed = slices.Insert(e.timed, behind(e.timed, due.at, func(other event) time.Duration { return other.at }), due)
}

// behind returns the position after the last element of a sorted list with a key of at most key.
func behind[E any, K cmp.Ordered](list []E, key K, of func(E) K) int {
	return sort.Search(len(list), func(i int) bool { return of(list[i]) > key })
}

// Advance advances the clock to t and processes all events up to and including t. It never moves the clock back.
func (e *Engine) Advance(t time.Duration) {
	for {
		end, transferred := e.firstEnd()
		switch {
		case transferred && end <= t && (len(e.timed) == 0 || end <= e.timed[0].at):
			e.pass(end)
			ended := e.running[0]
			e.cancel(ended)
			ended.done()
		case len(e.timed) > 0 && e.timed[0].at <= t:
			due := e.timed[0]
			e.timed = slices.Delete(e.timed, 0, 1)
			e.pass(due.at)
			due.run()
		default:
			e.pass(max(t, e.now))
			return
		}
	}
}

func (e *Engine) firstEnd() (time.Duration, bool) {
	if len(e.running) == 0 {
		return 0, false
	}
	left := max(0, e.running[0].target-e.service)
	if left <= e.link*together.Seconds()/float64(len(e.running)) {
		return e.now, true
	}
	ns := math.Ceil(left * float64(len(e.running)) / e.link * float64(time.Second))
	if !(ns < math.MaxInt64/2) { // the link is down or too slow
		return 0, false
	}
	return e.now + time.Duration(ns), true
}

// pass advances the clock to t. No transfer may end before t.
func (e *Engine) pass(t time.Duration) {
	if n := len(e.running); n > 0 {
		e.service += e.link * (t - e.now).Seconds() / float64(n)
	}
	e.now = t
}

func (e *Engine) start(bytes float64, done func()) *transfer {
	if len(e.running) == 0 {
		e.service = 0 // keeps the sum small and therefore exact
	}
	tr := &transfer{bytes: bytes, target: e.service + bytes, done: done}
	at := behind(e.running, tr.target, func(other *transfer) float64 { return other.target })
	e.running = slices.Insert(e.running, at, tr)
	return tr
}

// left returns the bytes that a running transfer still has to send.
func (e *Engine) left(tr *transfer) float64 { return min(tr.bytes, max(0, tr.target-e.service)) }

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

// State is the state of a replication, without the RPO.
type State string

// States that a replication can reach. The gateway may report others.
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

// Progress is the progress of the running sync. Sizes are bytes before compression.
type Progress struct {
	Percent                                                  int32
	ChecksumDone, ChecksumTotal, TransferDone, TransferTotal int64
}

// Progress returns the progress of the running sync, or false if there is none. It reaches 100 percent only at the end.
func (r *Replica) Progress() (Progress, bool) {
	s := r.current
	if s == nil {
		return Progress{}, false
	}
	data := s.full + s.delta
	sent, checked := 0.0, s.checksum*s.checked(r.engine.now)
	if s.transfer != nil {
		sent = data
		if s.transferPlanned > 0 {
			sent = data * (1 - r.engine.left(s.transfer)/s.transferPlanned)
		}
	}
	p := Progress{
		ChecksumDone:  int64(checked),
		ChecksumTotal: int64(s.checksum),
		TransferDone:  int64(sent),
		TransferTotal: int64(data),
	}
	if total := s.checksum + data; total > 0 {
		p.Percent = int32(min(100, math.Floor(100*(checked+sent)/total)))
	}
	return p, true
}

// Syncs returns the latest syncs, newest last.
func (r *Replica) Syncs() []Sync { return slices.Clone(r.syncs) }

// LastSync returns the latest sync.
func (r *Replica) LastSync() (Sync, bool) {
	if r.count == 0 {
		return Sync{}, false
	}
	return r.syncs[len(r.syncs)-1], true
}

// Count returns the number of completed syncs.
func (r *Replica) Count() int { return r.count }

const unknownLoad = 1

// remembered is the number of durations passed to a Rule, lookedAt the number of durations that NextStart evaluates.
const (
	remembered = 15
	lookedAt   = 3
)

// Rule returns the latest start of the next sync that meets the RPO, measured from the start of the last one. measured
// contains the durations of the last delta syncs, newest last. load is the duration of the last one per second of
// changes.
type Rule func(rpo time.Duration, measured []time.Duration, load float64) time.Duration

// Resolution is the shortest violation, because the API reports time in milliseconds.
const Resolution = time.Millisecond

// NextStart is the default Rule. The next sync must end within the RPO. Its expected duration is the longest of the
// last three, or load per second of its changes, whichever is longer.
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

// Overdue returns the time since the deadline, or 0 before it.
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

// Notice records a violation that has started.
func (r *Replica) Notice() { r.violate() }

// Violations returns all violations.
func (r *Replica) Violations() []Violation {
	r.violate()
	return slices.Clone(r.violations)
}
