package migration

func (s *scheduler) isSupported() bool { return !s.rttUnsupported && !s.isTooSlow() }

func (s *scheduler) isTooSlow() bool { return s.slowestVMotion < s.minVMotionRate*(1-tolerance) }

// shortestPlan returns the shortest supported plan among those with 1, 2, 4 and so on concurrent migrations. Among
// plans of equal length, it returns the one with the fewest concurrent migrations. If no plan is supported, it returns
// the plan with the fewest concurrent migrations. No plan is shorter than the bound, in seconds.
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
	}
	return s.isSupported() && s.now < than.now*(1-1e-9)
}
