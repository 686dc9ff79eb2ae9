// The outlook: whether what runs ends in the window, by bounds that need no simulation.

package migration

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

// outlookMargin is the relative distance from a bound below which only the simulation decides. It is far above what
// the simulation's tolerance and rounding add up to.
const outlookMargin = 1e-9

// outlookSteps is how many steps of a simulation there are from one look at the bounds to the next.
const outlookSteps = 4

// load is what migrations still send, without copies of replicated VMs.
type load struct {
	least, most float64 // bits, at the best rate and at the worst
	idle        float64 // the longest that one of them leaves a part of the link unused, in seconds
	copies      bool    // some are copied, and take a share of the link that is not counted here
}

// add counts a migration that has the given seconds left, in which guests dirty so much more than on average at most.
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

// plus returns the load of both.
func (l *load) plus(other load) load {
	return load{l.least + other.least, l.most + other.most, max(l.idle, other.idle), l.copies || other.copies}
}

// load returns what the runners still send; nothing is counted without windows.
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

// bounds returns the least and the most that a migration still sends, in bits, when it has the given seconds.
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

// dirtiedAgain is the most that rounds send which begin with so many bits: each dirties a share of what it sends, and
// no more than the guest dirties in the time.
func (r *runner) dirtiedAgain(bits, seconds float64) float64 {
	return min(bits/(1-sdpsDirtyShare), bits+r.dirty*seconds)
}

// outlook reports whether a load is sent by the end, and whether that is certain.
//
// No plan sends more than the link carries. And while a migration has not ended, the link is full, except while that
// migration is set up or resumed, or has all that one migration gets.
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

// carries returns the capacity of the link between two moments, in bits.
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
