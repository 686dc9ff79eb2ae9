package migration

import (
	"math"
	"slices"
)

// simulation is the state of the running migrations.
type simulation struct {
	clock

	limits  limits
	now     float64
	running []runner
}

func (s *simulation) clone() simulation {
	c := *s
	c.running = slices.Clone(s.running)
	return c
}

// share returns the rate of each sending migration without a lower limit, in bit/s.
func (s *simulation) share() float64 {
	var sending [paths]int
	left := s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.sends():
			sending[r.path]++
		case r.changes():
			left -= r.change
		}
	}
	return s.limits.share(sending, max(left, 0))
}

// share raises all migrations together; migrations at their limit leave the rest to the others.
func (l limits) share(sending [paths]int, left float64) float64 {
	for {
		n, limited, least := 0, 0, math.Inf(1)
		for p, count := range sending {
			if n += count; count > 0 && l[p] < least {
				limited, least = p, l[p]
			}
		}
		share := left / float64(max(n, 1))
		if least >= share || n == sending[limited] {
			return share
		}
		left -= least * float64(sending[limited])
		sending[limited] = 0
	}
}

// settle begins the next phases. Phases independent of the rate come first, so that guests stop depending on the
// final rate of their last round.
func (s *simulation) settle() {
	for s.pass(false) || s.pass(true) {
	}
}

func (s *simulation) pass(deciding bool) bool {
	share, progress := s.share(), false
	for i := range s.running {
		r := &s.running[i]
		if r.left > 0 || r.phase == arrived || r.phase == waiting || r.decides() != deciding {
			continue
		}
		r.next(min(share, r.limit), s.now)
		progress = true
	}
	return progress
}

func (s *simulation) step(until float64) {
	share, weight := s.share(), s.weight(s.now)
	seconds := math.Inf(1)
	for i := range s.running {
		if r := &s.running[i]; r.phase != waiting {
			seconds = min(seconds, r.seconds(min(share, r.limit)))
		}
	}
	at := s.now + seconds
	if until < at {
		seconds, at = until-s.now, until
	}
	for i := range s.running {
		r := &s.running[i]
		if r.phase == waiting {
			continue
		}
		rate := min(share, r.limit)
		ends := r.seconds(rate) <= seconds*(1+tolerance)
		if r.advance(seconds, rate, weight); ends || r.left < 0 {
			r.left = 0
		}
	}
	s.now = at
}

// endsBy reports whether all migrations that must end in the window do so without additions.
func (s *simulation) endsBy(end float64) bool {
	bound := end * (1 + tolerance)
	for steps := 1; s.now <= bound; steps++ {
		s.settle()
		if !slices.ContainsFunc(s.running, func(r runner) bool { return r.phase != arrived && r.needsWindow() }) {
			return true
		}
		s.running = slices.DeleteFunc(s.running, func(r runner) bool { return r.phase == arrived })
		if steps%outlookSteps == 0 {
			if ends, certain := s.outlook(s.load(s.running, end), end); certain {
				return ends
			}
		}
		s.step(s.next(s.now))
	}
	return false
}
