// Package replica is the arithmetic of replication in the lab: VMs whose changes go over one link, on a virtual
// clock. There is no goroutine, timer or random number in it: the state at a moment follows from the earlier calls and
// their times, and time passes only in Advance, from event to event.
//
// The link is shared equally by the transfers that run. It is not safe for concurrent use.
package replica

import (
	"container/heap"
	"math"
	"time"
)

// together is the time within which transfers end as one. Without it a rounding error of a nanosecond would set VMs
// apart that are alike in all, and would grow: who starts a little later has less of the link to itself, so it measures
// other durations and plans other starts.
const together = time.Microsecond

// Engine is the clock and the link.
type Engine struct {
	now     time.Duration
	link    float64
	service float64 // bytes that each transfer which ran all the time would have got
	running transfers
	timed   events
	order   uint64
}

// New makes an engine at time 0 whose link carries so many bytes in a second.
func New(link float64) *Engine { return &Engine{link: link} }

// Now is the time since the epoch.
func (e *Engine) Now() time.Duration { return e.now }

// SetLink changes the link's bytes in a second from now on; 0 stops it.
func (e *Engine) SetLink(link float64) { e.link = max(0, link) }

// Running is the number of transfers that share the link now.
func (e *Engine) Running() int { return len(e.running) }

// At runs f when the clock reaches t, or at the next Advance when that is past. Functions due at the same time run in
// the order of the calls to At.
func (e *Engine) At(t time.Duration, f func()) {
	e.order++
	heap.Push(&e.timed, &event{at: max(t, e.now), order: e.order, run: f})
}

// Advance lets time pass until t and does what falls due, t included. Time does not go back.
func (e *Engine) Advance(t time.Duration) {
	for {
		end, transferred := e.firstEnd()
		switch {
		case transferred && end <= t && (len(e.timed) == 0 || end <= e.timed[0].at):
			e.pass(end)
			ended, _ := heap.Pop(&e.running).(*transfer)
			ended.index = -1
			ended.done()
		case len(e.timed) > 0 && e.timed[0].at <= t:
			due, _ := heap.Pop(&e.timed).(*event)
			e.pass(due.at)
			due.run()
		default:
			e.pass(max(t, e.now))
			return
		}
	}
}

// firstEnd is when the next transfer ends if nothing else happens, to the nanosecond above.
func (e *Engine) firstEnd() (time.Duration, bool) {
	if len(e.running) == 0 {
		return 0, false
	}
	left := max(0, e.running[0].target-e.service)
	if left <= e.link*together.Seconds()/float64(len(e.running)) {
		return e.now, true
	}
	ns := math.Ceil(left * float64(len(e.running)) / e.link * float64(time.Second))
	if !(ns < math.MaxInt64/2) { // the link is down, or as good as
		return 0, false
	}
	return e.now + time.Duration(ns), true
}

// pass lets the clock run to t, before which nothing ends.
func (e *Engine) pass(t time.Duration) {
	if n := len(e.running); n > 0 {
		e.service += e.link * (t - e.now).Seconds() / float64(n)
	}
	e.now = t
}

// start puts bytes on the link and calls done when they have gone over it.
func (e *Engine) start(bytes float64, done func()) *transfer {
	if len(e.running) == 0 {
		e.service = 0 // keeps the sum small and so exact
	}
	e.order++
	tr := &transfer{bytes: bytes, target: e.service + bytes, order: e.order, done: done}
	heap.Push(&e.running, tr)
	return tr
}

// left is what of a transfer has not gone over the link.
func (e *Engine) left(tr *transfer) float64 {
	if tr.index < 0 {
		return 0
	}
	return min(tr.bytes, max(0, tr.target-e.service))
}

// cancel takes a transfer from the link.
func (e *Engine) cancel(tr *transfer) {
	if tr.index >= 0 {
		heap.Remove(&e.running, tr.index)
		tr.index = -1
	}
}
