package migration

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

type simulation struct {
	clock

	limits  pathLimits
	now     float64
	running []runner
}

// with returns a simulation of other migrations that begins at the given time.
func (s *simulation) with(running []runner, now float64) simulation {
	return simulation{clock: s.clock, limits: s.limits, now: now, running: running}
}

// fairShare returns the rate available to each sending migration in bit/s, before its own limit is applied.
func (s *simulation) fairShare() float64 { return s.shareWith(nil) }

// shareWith returns the fair share if other migrations start, and those that run and will send also do so now.
func (s *simulation) shareWith(others []*migration) float64 {
	var sending [paths]int
	left := s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.isSending() || others != nil && r.isConcurrent():
			sending[r.path]++
		case r.phase == waiting:
			left -= r.changeRate
		}
	}
	for _, m := range others {
		sending[m.path]++
	}
	return s.limits.fairShare(sending, max(left, 0))
}

// fairShare returns the rate of each migration that is not at its limit. Migrations at their limit leave the rest of
// the link to the others.
func (l pathLimits) fairShare(sending [paths]int, remaining float64) float64 {
	for {
		n := 0
		limited := 0
		least := math.Inf(1)
		for p, count := range sending {
			if n += count; count > 0 && l[p] < least {
				limited, least = p, l[p]
			}
		}
		share := remaining / float64(max(n, 1))
		if least >= share || n == sending[limited] {
			return share
		}
		remaining -= least * float64(sending[limited])
		sending[limited] = 0
	}
}

// startPhases starts the next phases. Phases that do not depend on the rate start first, so that the rate is final when
// it determines whether a guest stops.
func (s *simulation) startPhases() {
	for s.startPhasesOf(false) || s.startPhasesOf(true) {
	}
}

func (s *simulation) startPhasesOf(deciding bool) bool {
	share, progress := s.fairShare(), false
	for i := range s.running {
		r := &s.running[i]
		if r.left > 0 || r.phase == arrived || r.phase == waiting || r.decidesStop() != deciding {
			continue
		}
		r.nextPhase(min(share, r.limit), s.now)
		progress = true
	}
	return progress
}

func (s *simulation) step(until float64) {
	share, weight := s.fairShare(), s.weight(s.now)
	seconds := math.Inf(1)
	for i := range s.running {
		if r := &s.running[i]; r.phase != waiting {
			seconds = min(seconds, r.remainingSeconds(min(share, r.limit)))
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
		ends := r.remainingSeconds(rate) <= seconds*(1+tolerance)
		if r.advance(seconds, rate, weight); ends || r.left < 0 {
			r.left = 0
		}
	}
	s.now = at
}

// hasEnded starts the next phases, and reports whether all migrations that need a window have ended.
func (s *simulation) hasEnded() bool {
	s.startPhases()
	s.running = slices.DeleteFunc(s.running, func(r runner) bool { return r.phase == arrived })
	return !slices.ContainsFunc(s.running, func(r runner) bool { return r.needsWindow() })
}

// endsBy reports whether all migrations that must end by the end of the window do so if no other migration starts.
func (s *simulation) endsBy(end float64) bool {
	bound := end * (1 + tolerance)
	for steps := 1; s.now <= bound; steps++ {
		if s.hasEnded() {
			return true
		}
		if steps%forecastSteps == 0 {
			if ends, certain := s.forecast(s.loadOf(s.running, end), end); certain {
				return ends
			}
		}
		s.step(s.nextChange(s.now))
	}
	return false
}

// forecastMargin is the relative distance that a load must have from a bound for its forecast to be certain. It is much
// larger than tolerance and rounding errors.
const forecastMargin = 1e-9

// forecastSteps is the number of simulation steps between two calls to forecast.
const forecastSteps = 4

func (s *simulation) loadOf(running []runner, end float64) load {
	var l load
	if math.IsInf(end, 1) {
		return l
	}
	weight := slices.Max(s.dirtyWeights)
	for i := range running {
		l = l.plus(running[i].load(end-s.now, weight))
	}
	return l
}

// forecast reports whether a load can be sent by the end of a window, and whether this is certain.
//
// No plan sends more than the link allows. While a migration runs, the link is fully used, except during the setup or
// resume of that migration, or if the migration is limited by its own maximum rate.
func (s *simulation) forecast(l load, end float64) (bool, bool) {
	if math.IsInf(end, 1) {
		return true, true
	}
	carried, margin := s.bitsBetween(s.now, end), forecastMargin*s.peakRate()*end
	if l.minBits > carried+margin {
		return false, true
	}
	return true, !l.hasCopies && l.maxBits+l.idleSeconds*s.peakRate() < carried-margin
}

func (c clock) bitsBetween(from, to float64) float64 {
	if !c.hasHourlyRates() {
		return c.linkRates[0] * (to - from)
	}
	bits := 0.0
	for from < to {
		next := min(to, quantity.SecondsPerHour*(math.Floor(from/quantity.SecondsPerHour*(1+tolerance))+1))
		bits += c.rate(from) * (next - from)
		from = next
	}
	return bits
}
