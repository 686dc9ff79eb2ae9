// Uncertain properties of the events of replication in a real vCenter's log. The zero value is the simplest.

package vcsim

import (
	"cmp"
	"slices"
	"time"
)

// Behaviour is how a vCenter reports what happened.
type Behaviour struct {
	// RepeatViolations repeats the event of a violation so often while it lasts, each with the minutes so far; 0 reports
	// it once, without minutes.
	RepeatViolations time.Duration
	// Unquiesced reports every so many-th sync of changes as one that was not quiesced; 0 none.
	Unquiesced int
	// Hidden are VMs that the user may not read: their events are dropped after a page was cut, so that pages come short
	// or empty (govmomi issue 3450).
	Hidden []string
	// EmptyPages leaves every so many-th page empty, though more is to come; 0 none.
	EmptyPages int
}

// Behave sets how collectors that are opened from now on report events. The kinds and times of a log that is computed
// stay as they are.
func (e *Events) Behave(b Behaviour) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behaviour = b
}

// apply returns the events as they are reported until now. Their keys are their places.
func (b Behaviour) apply(log posted, now time.Time) posted {
	if b.RepeatViolations == 0 && b.Unquiesced == 0 {
		return log
	}
	reported := make(posted, 0, len(log))
	since := map[string]time.Time{}
	repeat := func(vm string, until time.Time) {
		begin, lasts := since[vm]
		if !lasts || b.RepeatViolations == 0 {
			return
		}
		for at := begin.Add(b.RepeatViolations); at.Before(until); at = at.Add(b.RepeatViolations) {
			reported = append(reported, Event{
				At: at, Type: EventRPOViolated, VMID: vm, Minutes: int64(at.Sub(begin) / time.Minute),
			})
		}
	}
	syncs := 0
	for _, event := range log {
		event.key = 0
		switch event.Type {
		case EventRPOViolated:
			since[event.VMID] = event.At
		case EventRPORestored:
			repeat(event.VMID, event.At)
			delete(since, event.VMID)
		case EventDelta, EventAppDelta, EventFSDelta:
			if syncs++; b.Unquiesced > 0 && syncs%b.Unquiesced == 0 {
				event.Type = EventUnquiesced
			}
		}
		reported = append(reported, event)
	}
	for vm := range since {
		repeat(vm, now)
	}
	slices.SortStableFunc(reported, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.VMID, b.VMID))
	})
	return reported
}
