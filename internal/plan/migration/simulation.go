package migration

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

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

// share returns the rate available to each sending migration in bit/s, before its own limit is applied.
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

// share returns the rate of all migrations that are not at their limit. Migrations at their limit leave the rest of the
// link to the others.
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

// settle starts the next phases. Phases that do not depend on the rate are started first, because the rate of a guest's
// last round, on which its stop depends, must be final.
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

// endsBy reports whether all migrations that must end by the end of the window do so if no other migration starts.
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

// outlookMargin is the relative distance from a bound within which the outlook is not certain. It is much larger than
// tolerance and rounding errors.
const outlookMargin = 1e-9

// outlookSteps is the number of simulation steps between two calls to outlook.
const outlookSteps = 4

type load struct {
	least, most float64 // in bits, at the best and at the worst rate
	idle        float64 // maximum time in seconds during which a migration does not use its full share
	copies      bool    // copies share the link but are not included in least and most
}

func (l *load) add(r *runner, seconds, weight float64) {
	switch {
	case r.phase == waiting:
		l.most += r.change * seconds
		return
	case r.method == MethodReplication && r.phase < waiting:
		l.copies = true
		return
	}
	least, most := r.bounds(seconds, weight)
	idle := r.end.fixed + most/r.limit
	switch {
	case r.method != MethodVMotion && r.phase == switching:
		idle += r.left
	case r.method != MethodVMotion:
		idle += r.switchover
	}
	if r.phase == settingUp {
		idle += r.left
	}
	l.least, l.most, l.idle = l.least+least, l.most+most, max(l.idle, idle)
}

func (l *load) plus(other load) load {
	return load{l.least + other.least, l.most + other.most, max(l.idle, other.idle), l.copies || other.copies}
}

// load returns the load of the given migrations. Without windows, the load is empty.
func (s *simulation) load(running []runner, end float64) load {
	var l load
	if math.IsInf(end, 1) {
		return l
	}
	for i := range running {
		l.add(&running[i], end-s.now, s.mostWeight())
	}
	return l
}

// bounds returns the minimum and the maximum number of bits that a migration still has to send within the given number
// of seconds.
func (r *runner) bounds(seconds, weight float64) (float64, float64) {
	switch r.phase {
	case settingUp:
		return r.bits, r.disk + r.dirtiedAgain(r.memory, seconds*weight)
	case copying:
		return r.left + r.bits - r.disk, r.left + r.dirtiedAgain(r.memory, seconds*weight)
	case round:
		most := min((r.dirtied+sdpsDirtyShare*r.left)/(1-sdpsDirtyShare), r.dirtied+r.dirty*seconds*weight)
		return r.left + r.dirtied, r.left + most
	case syncing:
		return r.left + r.dirtied, r.left + r.dirtied + r.change*seconds
	case rest, lastSync:
		return r.left, r.left
	default:
		return 0, 0
	}
}

// dirtiedAgain returns the maximum number of bits that all rounds send together if the first round sends the given
// bits. Each round dirties a fraction of its size, limited by the guest's dirty rate.
func (r *runner) dirtiedAgain(bits, seconds float64) float64 {
	return min(bits/(1-sdpsDirtyShare), bits+r.dirty*seconds)
}

// outlook reports whether a load can be sent by the end of a window, and whether this is certain.
//
// No plan sends more than the link allows. While a migration runs, the link is fully used, except during the setup or
// resume of that migration, or if the migration is limited by its own maximum rate.
func (s *simulation) outlook(l load, end float64) (bool, bool) {
	if math.IsInf(end, 1) {
		return true, true
	}
	carried, margin := s.carries(s.now, end), outlookMargin*s.peak()*end
	if l.least > carried+margin {
		return false, true
	}
	return true, !l.copies && l.most+l.idle*s.peak() < carried-margin
}

// carries returns the number of bits that the link can send between two times.
func (c clock) carries(from, to float64) float64 {
	if !c.varies() {
		return c.link[0] * (to - from)
	}
	bits := 0.0
	for from < to {
		next := min(to, quantity.SecondsPerHour*(math.Floor(from/quantity.SecondsPerHour*(1+tolerance))+1))
		bits += c.rate(from) * (next - from)
		from = next
	}
	return bits
}
