// The simulation: migrations that run, at the share of each moment.

package migration

import (
	"math"
	"slices"
)

// simulation is what runs at a moment.
type simulation struct {
	clock

	cap     float64 // bit/s of one migration
	now     float64
	running []runner
}

func (s *simulation) clone() simulation {
	c := *s
	c.running = slices.Clone(s.running)
	return c
}

// share is what each migration that sends gets, in bit/s.
func (s *simulation) share() float64 {
	n, left := 0, s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.sends():
			n++
		case r.changes():
			left -= r.change
		}
	}
	return min(s.cap, max(left, 0)/float64(max(n, 1)))
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
		if r.left > 0 || r.phase == arrived || r.decides() != deciding || (r.phase == waiting && !s.switches(r)) {
			continue
		}
		r.next(share)
		progress = true
	}
	return progress
}

// switches reports whether a replicated VM can be switched now.
func (s *simulation) switches(r *runner) bool {
	end, open := s.closes(s.now)
	return open && s.now+r.switchover <= end*(1+tolerance)
}

// step lets time pass until a phase ends, or until the given moment.
func (s *simulation) step(until float64) {
	share := s.share()
	seconds := math.Inf(1)
	for i := range s.running {
		if r := &s.running[i]; r.phase != waiting {
			seconds = min(seconds, r.seconds(share))
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
		ends := r.seconds(share) <= seconds*(1+tolerance)
		if r.advance(seconds, share); ends || r.left < 0 {
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
