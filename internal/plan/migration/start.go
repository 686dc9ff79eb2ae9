package migration

import (
	"container/heap"
	"slices"
	"sort"
)

// start is an attempt to start units at one time. The heads are the first units of each class that can still start.
type start struct {
	*scheduler
	heads

	members int     // number of running migrations that count towards max_concurrent
	load    load    // load of the running migrations
	end     float64 // end of the window
	open    bool    // whether the window is open
}

// startUnits starts all units that can start now, the first of each class first.
func (s *scheduler) startUnits() {
	if s.pending == 0 || s.rate(s.now) <= 0 {
		return
	}
	a := s.newStart()
	waves := len(s.waves)
	isFull := a.Len() == 0 || a.isFull()
	for heap.Init(&a); a.Len() > 0 && !isFull; {
		index := a.IntSlice[0]
		c := &s.classes[s.units[index].class]
		at, _ := slices.BinarySearch(c.units, index)
		switch {
		case !a.hasRoom(index):
			at = len(c.units)
		case a.mustWait(index):
			at++
		default:
			if len(s.waves) == waves {
				s.waves = append(s.waves, Wave{Number: int64(waves + 1), StartSeconds: s.now})
			}
			a.startUnit(index)
			s.remove(c, at)
			isFull = a.isFull()
		}
		if at == len(c.units) {
			heap.Pop(&a)
			continue
		}
		a.IntSlice[0] = c.units[at]
		heap.Fix(&a, 0)
	}
	if len(s.waves) > waves {
		slices.Sort(s.waves[waves].VMs)
	}
	// Instant migrations arrive immediately and release their slots.
	if s.endPhases() {
		s.startUnits()
	}
}

func (s *scheduler) newStart() start {
	a := start{scheduler: s, members: s.concurrentCount()}
	a.end, a.open = s.windowEnd(s.now)
	a.load = s.loadOf(s.running, a.end)
	for _, c := range s.classes {
		if len(c.units) > 0 && (a.open || c.replicatedOnly) {
			a.IntSlice = append(a.IntSlice, c.units[0])
		}
	}
	return a
}

// hasRoom reports whether max_concurrent and the slots allow a unit, and so the other units of its class, to start.
func (a *start) hasRoom(index int) bool {
	u := &a.units[index]
	if a.members+len(u.members) > a.concurrent {
		a.concurrencyLimited = true
		return false
	}
	return a.slots.areFree(u.needs)
}

// mustWait reports whether a unit waits although other units of its class might start.
func (a *start) mustWait(index int) bool {
	u := &a.units[index]
	return a.starvesGuest(index) ||
		a.open && (!a.staff.hasMovesLeft(a.windowNumber(a.now), u.moveCount) || !a.endsInWindow(u))
}

// isFull reports whether no unit can start because of max_concurrent or, if the window is open, because each class
// either has no free slots or has only units that exceed the capacity of the window. It also records whether
// max_concurrent delays a unit.
func (a *start) isFull() bool {
	if a.members >= a.concurrent {
		a.concurrencyLimited = true
		return true
	}
	if !a.open {
		return false
	}
	full := false
	for _, index := range a.IntSlice {
		c := &a.classes[a.units[index].class]
		full = full || a.members+c.members > a.concurrent
		if ends, _ := a.forecast(a.load.plus(load{minBits: c.minBits}), a.end); ends &&
			a.slots.areFree(a.units[index].needs) {
			return false
		}
	}
	a.concurrencyLimited = a.concurrencyLimited || full
	return true
}

func (a *start) startUnit(index int) {
	u, last := &a.units[index], len(a.waves)-1
	started := u.runners(last, a.now)
	for i := range started {
		a.waves[last].VMs = append(a.waves[last].VMs, started[i].name)
		started[i].canOutpace = a.hasDirtyWeights() && a.hasFittingStart(index)
	}
	a.running = append(a.running, started...)
	a.members += len(started)
	a.load = a.load.plus(a.loadOf(started, a.end))
	a.slots.add(u.needs, 1)
	a.staff.moves[a.windowNumber(a.now)] += u.moveCount
}

func (a *start) endsInWindow(u *unit) bool {
	if !u.replicatedOnly && a.now+u.longestSolo > a.end*(1+tolerance) {
		return false
	}
	if ends, _ := a.forecast(a.load.plus(load{minBits: u.minBits}), a.end); !ends {
		return false
	}
	started := u.runners(0, a.now)
	if ends, certain := a.forecast(a.load.plus(a.loadOf(started, a.end)), a.end); certain {
		return ends
	}
	trial := a.with(slices.Concat(a.running, started), a.now)
	return trial.endsBy(a.end)
}

// heads contains indexes of units as a heap.
type heads struct{ sort.IntSlice }

// Push does nothing, because no head is added to the heap.
func (h *heads) Push(any) {}

func (h *heads) Pop() any {
	last := len(h.IntSlice) - 1
	h.IntSlice = h.IntSlice[:last]
	return nil
}

// starvesGuest reports whether starting a unit now would leave some guest with a rate below its dirty rate when waiting
// for another hour or for the whole link would be sufficient. If there are no hourly weights, no guest waits.
func (s *scheduler) starvesGuest(index int) bool {
	if !s.hasDirtyWeights() {
		return false
	}
	u, weight := &s.units[index], s.weight(s.now)
	share := s.shareWith(u.members)
	for i := range s.running {
		if r := &s.running[i]; r.canOutpace && r.phase < rest && r.dirtyRate*weight > min(share, r.limit) {
			return true
		}
	}
	return u.outpaces(weight, share) && s.hasFittingStart(index)
}

func (u *unit) outpaces(weight, share float64) bool {
	return slices.ContainsFunc(u.members, func(m *migration) bool { return m.dirtyRate*weight > min(share, m.limit) })
}
