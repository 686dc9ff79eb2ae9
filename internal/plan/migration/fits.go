// Units that could never start, and the choice among plans.

package migration

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// fits refuses units that could never start. An error names the input that can change.
func (s *scheduler) fits(in PlanInput) error {
	var errs plan.InputErrors
	for i, u := range s.units {
		name := u.members[0].name
		at, split := plan.Attr("virtual_machines").Key(name), ""
		if len(u.members) > 1 {
			at, split = at.Attr("move_group"), ", or split the group"
		}
		errs = errs.With(at, s.tooMany(i, split))
		if !s.fitsWindow(u) {
			errs = errs.With(at, s.tooLong(in, u, split))
		}
	}
	return errs.Err()
}

// slotInputs are the inputs that set the slots.
var slotInputs = map[string]string{
	LimitedByHost: "host_slots", LimitedByNetwork: "network_slots", LimitedByDatastore: "datastore_slots",
}

// tooMany returns why a unit has too few slots even alone, or nil.
func (s *scheduler) tooMany(i int, split string) error {
	if n := len(s.units[i].members); n > s.concurrent {
		return fmt.Errorf("has %d VMs that start together: raise max_concurrent to that%s", n, split)
	}
	needs := map[int]int{}
	for at := 0; at < len(s.charges[i]); at += 2 {
		needs[s.charges[i][at]] += s.charges[i][at+1]
	}
	for id, r := range s.resources {
		if needs[id] > s.slots[id] {
			return fmt.Errorf("needs %d of the %d slots of the %s %q together: raise %s to that%s", needs[id], s.slots[id],
				r.kind, r.name, slotInputs[r.kind], split)
		}
	}
	return nil
}

// tooLong returns how long a window has to be for a unit.
func (s *scheduler) tooLong(in PlanInput, u unit, split string) error {
	endless := s.clock
	endless.window, endless.period, endless.week = math.Inf(1), math.Inf(1), nil
	alone := simulation{clock: endless, cap: s.cap, running: runners(u, 0, 0)}
	for range maxTicks {
		alone.settle()
		alone.running = slices.DeleteFunc(alone.running, func(r runner) bool {
			return r.phase == arrived || !r.needsWindow() && r.phase != waiting
		})
		if len(alone.running) == 0 {
			break
		}
		next := alone.next(alone.now)
		if share := alone.share(); math.IsInf(next, 1) && share <= 0 {
			return errors.New("never ends even alone: raise the throughput")
		}
		alone.step(next)
	}
	seconds := alone.now
	for _, m := range u.members {
		if m.method == MethodReplication {
			seconds = max(seconds, m.switchover)
		}
	}
	const cents = 100
	hoursNeeded := math.Ceil(seconds/s.usable/quantity.SecondsPerHour*cents*(1-tolerance)) / cents
	widen := "window_hours"
	if hoursNeeded > hoursPerDay && in.WindowStartHour != nil {
		widen = "window_weekdays and window_hours"
	}
	return fmt.Errorf("needs a window of %s hours, with a reserve of %s%%, even alone: raise %s%s",
		plan.Thousands(hoursNeeded, -1), plan.Thousands(in.WindowReservePercent, -1), widen, split)
}

// fitsWindow reports whether a unit ends in a window with the link to itself, started when it opens or on the hour.
func (s *scheduler) fitsWindow(u unit) bool {
	if math.IsInf(s.window, 1) {
		return true
	}
	if slices.ContainsFunc(u.members, func(m *migration) bool { return m.switchover > s.window*(1+tolerance) }) {
		return false
	}
	for opens := 0.0; ; opens = s.week.at(opens).next {
		if s.fitsFrom(u, opens) {
			return true
		}
		if s.week == nil || opens > daysPerWeek*quantity.SecondsPerDay {
			return false
		}
	}
}

// fitsFrom reports whether a unit ends in the window that opens at a moment.
func (s *scheduler) fitsFrom(u unit, opens float64) bool {
	end, _ := s.closes(opens)
	for at := opens; at < end; at = s.next(at) {
		alone := simulation{clock: s.clock, cap: s.cap, now: at, running: runners(u, 0, at)}
		if s.rate(at) > 0 && alone.endsBy(end) {
			return true
		}
		if !s.hourly() {
			break
		}
	}
	return false
}

// supported reports whether vSphere supports what the plan does.
func (s *scheduler) supported() bool {
	return !s.distant && s.slowest >= minMbpsPerMigration*quantity.BitsPerMbit*(1-tolerance)
}

// shortest returns the shortest supported plan with 1, 2, 4 and so on at a time; of two as short, the one with fewer.
// If none is supported, it returns the one with the fewest at a time.
func (s *scheduler) shortest() *scheduler {
	concurrent, largest := 1, 0
	for _, u := range s.units {
		largest = max(largest, len(u.members))
	}
	for concurrent < largest {
		concurrent *= 2
	}
	var best *scheduler
	bound, _ := s.lowerBound(nil)
	for ; ; concurrent *= 2 {
		next := *s
		next.concurrent, next.used = concurrent, make([]int, len(s.used))
		next.classes, next.least = slices.Clone(s.classes), slices.Clone(s.least)
		next.schedule()
		if best == nil || next.better(best) {
			best = &next
		}
		if !next.full || s.distant || (!best.endless && best.supported() && best.now <= bound*(1+1e-9)) {
			return best
		}
	}
}

// better reports whether a plan with more at a time is preferred.
func (s *scheduler) better(than *scheduler) bool {
	switch {
	case s.endless || than.endless:
		return !s.endless
	case s.supported() != than.supported():
		return s.supported()
	}
	return s.supported() && s.now < than.now*(1-1e-9)
}
