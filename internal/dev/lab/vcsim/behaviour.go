package vcsim

import (
	"cmp"
	"slices"
	"time"
)

// Behaviour configures how a vCenter reports replication events, where real releases are unknown. The zero value is
// the simplest.
type Behaviour struct {
	// RepeatViolations is the interval in which the event of a violation is repeated, with its duration in minutes; 0
	// reports it once, without minutes.
	RepeatViolations time.Duration
	// Unquiesced reports every nth delta as not quiesced; 0 reports none.
	Unquiesced int
	// Hidden lists VMs that the user may not read. Their events are dropped after paging, so pages may be short or
	// empty (govmomi issue 3450).
	Hidden []string
	// EmptyPages leaves every nth page empty, although more events follow; 0 disables it.
	EmptyPages int
}

// Behave configures collectors opened from now on. Kinds and times of a computed log are unchanged.
func (e *Events) Behave(b Behaviour) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behaviour = b
}

// apply returns the events reported until now. Their keys are their indexes.
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
