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
		endsFirst := len(e.events) == 0 || end <= e.events[0].at
		switch {
		case transferred && endsFirst && end <= t:
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

// firstEnd returns when the next transfer ends, and false if none will.
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

// start adds a transfer to the link. done is called when it ends.
func (e *Engine) start(bytes float64, done func()) *transfer {
	if len(e.running) == 0 {
		e.service = 0 // keep the sum small and therefore exact
	}
	tr := &transfer{bytes: bytes, target: e.service + bytes, done: done}
	at := insertPosition(e.running, tr.target, func(other *transfer) float64 { return other.target })
	e.running = slices.Insert(e.running, at, tr)
	return tr
}

// remaining returns the bytes that a transfer still has to send.
func (e *Engine) remaining(tr *transfer) float64 { return min(tr.bytes, max(0, tr.target-e.service)) }

// cancel removes a transfer from the link.
func (e *Engine) cancel(tr *transfer) {
	e.running = slices.DeleteFunc(e.running, func(other *transfer) bool { return other == tr })
}

// event is a function that is scheduled for a time.
type event struct {
	at  time.Duration
	run func()
}

// transfer is data that is sent over the link. It ends when the service of the engine reaches target.
type transfer struct {
	bytes  float64
	target float64
	done   func()
}
