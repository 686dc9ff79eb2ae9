package vcsim

import (
	"cmp"
	"slices"
	"time"
)

// Behaviour configures how a vCenter reports replication events. The behavior of real releases is unknown. The zero
// value selects the simplest behavior.
type Behaviour struct {
	// RepeatViolations is the interval at which the event for an ongoing violation is repeated. Each repeated event
	// contains the duration of the violation in minutes. If the interval is 0, events are not repeated.
	RepeatViolations time.Duration
	// Unquiesced reports every nth delta sync as not quiesced; 0 reports none.
	Unquiesced int
	// Hidden lists VMs that the user cannot read. Their events are removed after paging, so pages can be short or empty
	// (govmomi issue 3450).
	Hidden []string
	// EmptyPages makes every nth page empty even if more events follow; 0 disables this.
	EmptyPages int
}

// Behave sets the behavior of collectors that are opened later. It does not change the types and times of events in a
// computed log.
func (e *Events) Behave(b Behaviour) {
	defer e.lock()()
	e.behaviour = b
}

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
				At:      at,
				Type:    EventRPOViolated,
				VMID:    vm,
				Minutes: int64(at.Sub(begin) / time.Minute),
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
			syncs++
			if b.Unquiesced > 0 && syncs%b.Unquiesced == 0 {
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
