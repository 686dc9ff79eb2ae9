package migration

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

// neededWindow returns the length in hours of the window that a unit needs if it moves alone. The length includes the
// reserve and is rounded up to hundredths of an hour.
func (s *scheduler) neededWindow(u unit) float64 {
	alone := s.with(u.runners(0, 0), 0)
	alone.length = math.Inf(1)
	alone.period = math.Inf(1)
	alone.week = nil
	for tick := 0; tick < maxTicks && !alone.hasEnded(); tick++ {
		alone.step(alone.nextChange(alone.now))
	}
	seconds := alone.now
	for _, m := range u.members {
		if m.method == MethodReplication {
			seconds = max(seconds, m.windowSeconds(s.peakRate()))
		}
	}
	const cents = 100
	return math.Ceil(seconds/s.usableShare/quantity.SecondsPerHour*cents*(1-tolerance)) / cents
}

// windowSeconds returns the maximum time in seconds that a replicated VM needs within a window, at the given rate in
// bit/s.
func (m *migration) windowSeconds(rate float64) float64 {
	rate = m.limitedRate(rate)
	before, last := m.deltas(math.Inf(1), rate)
	if before+last == 0 {
		return m.switchover
	}
	return (before+last)/rate + m.switchover
}

// fitsWindow reports whether a unit that has the whole link to itself can finish within a window. It considers starts
// at the beginning of a window and on the hour.
func (s *scheduler) fitsWindow(u unit) bool {
	if end, _ := s.windowEnd(0); math.IsInf(end, 1) {
		return true
	}
	for _, m := range u.members {
		if m.method == MethodReplication && !s.anyStart(func(at, end float64) bool {
			return at+m.windowSeconds(s.rate(at)) <= end*(1+tolerance)
		}) {
			return false
		}
	}
	return u.replicatedOnly || s.anyStart(func(at, end float64) bool {
		alone := s.with(u.runners(0, at), at)
		return s.rate(at) > 0 && alone.endsBy(end)
	})
}

// anyStart reports whether any start time passes a test, which receives the start time and the end of the window. It
// tries the beginning of each distinct window. If a rate varies by hour, it also tries every full hour in the first
// eight days of the window.
func (s *scheduler) anyStart(passes func(at, end float64) bool) bool {
	for opens := 0.0; ; {
		end, _ := s.windowEnd(opens)
		for at := opens; at < end; at = s.nextChange(at) {
			if passes(at, end) {
				return true
			}
			if !s.isHourly() || at >= opens+(daysPerWeek+1)*quantity.SecondsPerDay {
				break
			}
		}
		if s.week == nil {
			return false
		}
		if opens = s.week.windowAt(opens).nextStart; opens > daysPerWeek*quantity.SecondsPerDay {
			return false
		}
	}
}

// hasFittingStart reports whether there is a time at which a unit could start alone, send faster than its guests dirty
// memory, and end within the window.
func (s *scheduler) hasFittingStart(index int) bool {
	if fits, known := s.fittingStart[index]; known {
		return fits
	}
	u := &s.units[index]
	fits := s.anyStart(func(at, end float64) bool {
		alone := s.with(nil, at)
		if s.rate(at) <= 0 || u.outpaces(s.weight(at), alone.shareWith(u.members)) {
			return false
		}
		alone.running = u.runners(0, at)
		return math.IsInf(end, 1) || alone.endsBy(end)
	})
	s.fittingStart[index] = fits
	return fits
}
