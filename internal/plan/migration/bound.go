package migration

import (
	"terraform-provider-vsla/internal/plan/quantity"
)

// lowerBound returns the least duration, in seconds, of any plan, and what limits it.
func (s *scheduler) lowerBound() (float64, string) {
	longest := 0.0
	bits := 0.0
	counted := 0.0
	moves := 0
	slowest := LimitedByMigration
	work := make([]float64, len(s.slots.total))
	for _, u := range s.units {
		moves += len(u.members)
		for _, m := range u.members {
			if m.soloSeconds > longest {
				longest, slowest = m.soloSeconds, LimitedByMigration
				if m.path == pathNFC && s.peakRate() > m.limit && m.limit == nfcMbps*quantity.BitsPerMbit {
					slowest = LimitedByNFC
				}
			}
			bits += m.minBits
			counted += m.slotSeconds
			for _, n := range m.needs {
				work[n.index] += m.slotSeconds * float64(n.slots)
			}
		}
	}
	bound, name := s.sendSeconds(bits), LimitedByLink
	raise := func(seconds float64, by string) {
		if seconds > bound*(1+tolerance) {
			bound, name = seconds, by
		}
	}
	raise(longest, slowest)
	raise(counted/float64(s.concurrent), LimitedByConcurrent)
	for i, r := range s.slots.resources {
		raise(work[i]/float64(s.slots.total[i]), r.kind)
	}
	if most := s.staff.maxMoves; most < moves {
		raise(s.windowOf((moves+most-1)/most).start, LimitedByPeople)
	}
	return bound, name
}
