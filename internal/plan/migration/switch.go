package migration

import (
	"math"
	"slices"
)

// stamp changes when a migration has ended or a window has opened.
func (s *scheduler) stamp() int { return len(s.moves) + len(s.stuckVMs) + s.ticks }

// switchOver switches the waiting replicated VMs that fit now, and reports whether there is one.
func (s *scheduler) switchOver() bool {
	end, open := s.closes(s.now)
	if !open {
		return false
	}
	began, stamp := false, s.stamp()
	var running load
	known := false
	for i := range s.running {
		r := &s.running[i]
		if r.phase != waiting || r.left > 0 || r.refused == stamp {
			continue
		}
		if !s.roomFor(1) {
			return began
		}
		if !math.IsInf(end, 1) && !known {
			running, known = s.load(s.running, end), true
		}
		if !s.canSwitch(i, running, end) {
			r.refused = stamp
			continue
		}
		r.beginSwitch(s.now)
		s.occupy(1)
		began, known = true, false
	}
	return began
}

// canSwitch reports whether a VM switched now is back within the window, and running migrations still end in it.
func (s *scheduler) canSwitch(i int, running load, end float64) bool {
	if math.IsInf(end, 1) {
		return true
	}
	one := s.running[i]
	one.beginSwitch(s.now)
	rate := one.best(s.peak())
	if s.now+one.left/rate+one.switchover > end*(1+tolerance) {
		return false
	}
	if one.left == 0 {
		return true
	}
	var more load
	more.add(&one, end-s.now, 1)
	if ends, certain := s.outlook(running.plus(more), end); certain {
		return ends
	}
	trial := s.clone()
	trial.running[i] = one
	return trial.endsBy(end)
}

// roomFor reports whether people can handle some more VMs in this window.
func (s *scheduler) roomFor(n int) bool {
	if s.people == math.MaxInt || s.busy[s.number(s.now)]+n <= s.people {
		return true
	}
	s.crowded = true
	return false
}

func (s *scheduler) occupy(n int) {
	if s.people != math.MaxInt {
		s.busy[s.number(s.now)] += n
	}
}

// slows reports whether a start leaves a guest less than its dirty rate, although a different hour or the whole link
// would suffice. Without weights no guest waits.
func (s *scheduler) slows(index int) bool {
	if s.dirty == nil {
		return false
	}
	u, weight := s.units[index], s.weight(s.now)
	var sending [paths]int
	left := s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.changes():
			left -= r.change
		case r.phase < waiting || r.phase == syncing || r.phase == lastSync:
			sending[r.path]++
		}
	}
	for _, m := range u.members {
		sending[m.path]++
	}
	share := s.limits.share(sending, max(left, 0))
	for i := range s.running {
		if r := &s.running[i]; r.fits && r.phase < rest && r.dirty*weight > min(share, r.limit) {
			return true
		}
	}
	return u.dirties(weight, share) && s.hasFitting(index)
}

// dirties reports whether a guest of the unit dirties memory faster than a share of the link.
func (u unit) dirties(weight, share float64) bool {
	return slices.ContainsFunc(u.members, func(m *migration) bool { return m.dirty*weight > min(share, m.limit) })
}

// hasFitting reports whether a unit alone fits its guests' dirty rates at its start in some hour, and ends in the
// window.
func (s *scheduler) hasFitting(index int) bool {
	fits, known := s.fitting[index]
	if known {
		return fits
	}
	u := s.units[index]
	var sending [paths]int
	for _, m := range u.members {
		sending[m.path]++
	}
	fits = s.anyStart(func(at, end float64) bool {
		if s.rate(at) <= 0 || u.dirties(s.weight(at), s.limits.share(sending, s.rate(at))) {
			return false
		}
		alone := simulation{clock: s.clock, limits: s.limits, now: at, running: runners(u, 0, at)}
		return math.IsInf(end, 1) || alone.endsBy(end)
	})
	s.fitting[index] = fits
	return fits
}
