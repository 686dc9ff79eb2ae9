package migration

import (
	"slices"
)

func (s *scheduler) startSwitchovers() bool {
	end, open := s.windowEnd(s.now)
	if !open {
		return false
	}
	began, stamp, number := false, s.progress(), s.windowNumber(s.now)
	var running load
	known := false
	for i := range s.running {
		r := &s.running[i]
		if r.phase != waiting || r.left > 0 || r.refusedAt == stamp {
			continue
		}
		if !s.staff.hasMovesLeft(number, 1) {
			return began
		}
		if !known {
			running, known = s.loadOf(s.running, end), true
		}
		if !s.canSwitchOver(i, running, end) {
			r.refusedAt = stamp
			continue
		}
		r.startSwitchover(s.now)
		s.staff.moves[number]++
		began, known = true, false
	}
	return began
}

func (s *scheduler) canSwitchOver(i int, running load, end float64) bool {
	one := s.running[i]
	one.startSwitchover(s.now)
	rate := one.limitedRate(s.peakRate())
	if s.now+one.left/rate+one.switchover > end*(1+tolerance) {
		return false
	}
	if one.left == 0 {
		return true
	}
	if ends, certain := s.forecast(running.plus(s.loadOf([]runner{one}, end)), end); certain {
		return ends
	}
	trial := s.with(slices.Clone(s.running), s.now)
	trial.running[i] = one
	return trial.endsBy(end)
}
