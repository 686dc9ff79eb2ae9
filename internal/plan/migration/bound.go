package migration

import (
	"terraform-provider-vsla/internal/plan/quantity"
)

// lowerBound returns the least duration, in seconds, of any plan with the given number of concurrent migrations, and
// what limits it.
func (s *scheduler) lowerBound(concurrent float64) (float64, string) {
	longest := 0.0
	bits := 0.0
	counted := 0.0
	moves := 0
	slowest := LimitedByMigration
	work := make(map[resource]float64, len(s.resources))
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
			for _, n := range m.slotNeeds {
				work[n.resource] += m.slotSeconds * float64(n.slots)
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
	raise(counted/concurrent, LimitedByConcurrent)
	for id, r := range s.resources {
		raise(work[r]/float64(s.totalSlots[id]), r.kind)
	}
	if s.maxMoves < moves {
		raise(s.startOfWindow((moves+s.maxMoves-1)/s.maxMoves), LimitedByPeople)
	}
	return bound, name
}
