package migration

func (s *scheduler) isSupported() bool { return !s.rttUnsupported && !s.isTooSlow() }

func (s *scheduler) isTooSlow() bool { return s.slowestVMotion < s.minVMotionRate*(1-tolerance) }

// isMeasured reports whether the fixed cost of a vMotion is known to apply to as many concurrent vMotions.
func (s *scheduler) isMeasured() bool {
	return !s.hasFixedCost || s.concurrent <= maxMeasuredConcurrent
}

// isInTime reports whether the plan keeps its deadline and its number of windows. It returns false if it has neither.
func (s *scheduler) isInTime() bool {
	return s.now <= s.deadline*(1+tolerance) && float64(s.windowNumber(s.now)) <= s.maxWindows
}

// shortestPlan returns the shortest supported plan among those with 1, 2, 4 and so on concurrent migrations. Among
// plans of equal length, it returns the one with the fewest concurrent migrations. If no plan is supported, it returns
// the plan with the fewest concurrent migrations. If a plan whose concurrency was measured is in time, no other plan is
// better. No plan is shorter than the bound, in seconds.
func (s *scheduler) shortestPlan(most int, bound float64) *scheduler {
	concurrent, largest := 1, 0
	for _, u := range s.units {
		largest = max(largest, len(u.members))
	}
	for concurrent < largest {
		concurrent *= 2
	}
	var best *scheduler
	for ; ; concurrent *= 2 {
		next := *s
		next.concurrent = min(concurrent, most)
		next.schedule()
		if best == nil || next.isBetterThan(best) {
			best = &next
		}
		if !next.concurrencyLimited || s.rttUnsupported || concurrent >= most ||
			(!best.unbounded && best.isSupported() && best.now <= bound*(1+1e-9)) {
			return best
		}
	}
}

func (s *scheduler) isBetterThan(than *scheduler) bool {
	switch {
	case s.unbounded || than.unbounded:
		return !s.unbounded
	case len(s.stuckVMs) != len(than.stuckVMs):
		return len(s.stuckVMs) < len(than.stuckVMs)
	case s.isSupported() != than.isSupported():
		return s.isSupported()
	case !s.isMeasured() && than.isMeasured() && than.isInTime():
		return false
	}
	return s.isSupported() && s.now < than.now*(1-1e-9)
}
