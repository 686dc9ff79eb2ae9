package migration

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// slotsFit rejects units that need more slots than there are. Errors name the input to change.
func (s *scheduler) slotsFit() error {
	var errs plan.InputErrors
	for i, u := range s.units {
		at, split := plan.Attr("virtual_machines").Key(u.members[0].name), ""
		if len(u.members) > 1 {
			at, split = at.Attr("move_group"), ", or split the group"
		}
		errs = errs.With(at, s.tooMany(i, split))
	}
	return errs.Err()
}

var slotInputs = map[string]string{
	LimitedByHost: "host_slots", LimitedByNetwork: "network_slots", LimitedByDatastore: "datastore_slots",
}

// tooMany explains why a unit needs more slots than there are, or returns nil.
func (s *scheduler) tooMany(i int, split string) error {
	if n := len(s.units[i].members); n > s.concurrent {
		return fmt.Errorf("has %d VMs that start together: raise max_concurrent to that%s", n, split)
	}
	if n := s.units[i].moved; n > s.people {
		return fmt.Errorf("has %d VMs that move in one window: raise max_moves_per_window to that%s", n, split)
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

// neededWindow returns the window that a unit needs alone, in hours including the reserve, rounded up to hundredths.
func (s *scheduler) neededWindow(u unit) float64 {
	endless := s.clock
	endless.window, endless.period, endless.week = math.Inf(1), math.Inf(1), nil
	alone := simulation{clock: endless, limits: s.limits, running: runners(u, 0, 0)}
	for range maxTicks {
		alone.settle()
		alone.running = slices.DeleteFunc(alone.running, func(r runner) bool { return r.phase == arrived })
		if !slices.ContainsFunc(alone.running, func(r runner) bool { return r.needsWindow() }) {
			break
		}
		alone.step(alone.next(alone.now))
	}
	seconds := alone.now
	for _, m := range u.members {
		if m.method == MethodReplication {
			seconds = max(seconds, m.inWindow(s.peak()))
		}
	}
	const cents = 100
	return math.Ceil(seconds/s.usable/quantity.SecondsPerHour*cents*(1-tolerance)) / cents
}

// inWindow returns the longest time for which a replicated VM needs a window, at a rate in bit/s.
func (m *migration) inWindow(rate float64) float64 {
	rate = m.best(rate)
	before, last := m.deltas(math.Inf(1), rate)
	if before+last == 0 {
		return m.switchover
	}
	return (before+last)/rate + m.switchover
}

// fitsWindow reports whether a unit with the whole link ends in a window, started at its beginning or on the hour.
func (s *scheduler) fitsWindow(u unit) bool {
	if math.IsInf(s.window, 1) {
		return true
	}
	for _, m := range u.members {
		if m.method == MethodReplication && !s.anyStart(func(at, end float64) bool {
			return at+m.inWindow(s.rate(at)) <= end*(1+tolerance)
		}) {
			return false
		}
	}
	return u.copies || s.anyStart(func(at, end float64) bool {
		alone := simulation{clock: s.clock, limits: s.limits, now: at, running: runners(u, 0, at)}
		return s.rate(at) > 0 && alone.endsBy(end)
	})
}

// anyStart reports whether the beginning of a window, or an hour in it, passes a test together with the end of the
// window. Without windows it tries the hours of a day.
func (s *scheduler) anyStart(passes func(at, end float64) bool) bool {
	for opens := 0.0; ; {
		end, _ := s.closes(opens)
		for at := opens; at < end; at = s.next(at) {
			if passes(at, end) {
				return true
			}
			if !s.hourly() || at >= opens+(daysPerWeek+1)*quantity.SecondsPerDay {
				break
			}
		}
		if s.week == nil {
			return false
		}
		if opens = s.week.at(opens).next; opens > daysPerWeek*quantity.SecondsPerDay {
			return false
		}
	}
}

func (s *scheduler) supported() bool {
	return !s.distant && s.slowest >= s.leastRate*(1-tolerance)
}

// shortest returns the shortest supported plan with 1, 2, 4 and so on concurrent migrations; of equal plans the one
// with fewer. If none is supported, it returns the one with the fewest.
func (s *scheduler) shortest(most int) *scheduler {
	concurrent, largest := 1, 0
	for _, u := range s.units {
		largest = max(largest, len(u.members))
	}
	for concurrent < largest {
		concurrent *= 2
	}
	var best *scheduler
	bound, _ := s.lowerBound(math.Inf(1))
	for ; ; concurrent *= 2 {
		next := *s
		next.concurrent = min(concurrent, most)
		next.reset()
		next.schedule()
		if best == nil || next.better(best) {
			best = &next
		}
		if !next.full || s.distant || concurrent >= most ||
			(!best.endless && best.supported() && best.now <= bound*(1+1e-9)) {
			return best
		}
	}
}

func (s *scheduler) better(than *scheduler) bool {
	switch {
	case s.endless || than.endless:
		return !s.endless
	case len(s.stuckVMs) != len(than.stuckVMs):
		return len(s.stuckVMs) < len(than.stuckVMs)
	case s.supported() != than.supported():
		return s.supported()
	}
	return s.supported() && s.now < than.now*(1-1e-9)
}
