// The simulation: migrations that run, at the share of each moment.

package migration

import (
	"math"
	"slices"
)

// simulation is what runs at a moment.
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

// share is what each migration that sends gets, in bit/s, unless it is limited to less.
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

// share raises all migrations together; what reaches its limit leaves the rest to the others.
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

// settle begins the next phase of what has ended one. What does not depend on the share comes first, so that a guest is
// stopped, or not, at the share that the rest of its memory will have.
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

// step lets time pass until a phase ends, or until the given moment.
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

// endsBy reports whether all that must end in the window does, when nothing is added.
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
