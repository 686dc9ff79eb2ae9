package migration

import (
	"container/heap"
	"math"
	"slices"
)

// startUnits starts all units that can start now, the first of each class first.
func (s *scheduler) startUnits() {
	if s.pending == 0 || s.rate(s.now) <= 0 {
		return
	}
	end, open := s.windowEnd(s.now)
	queue := s.heads(open)
	concurrent, waves := s.concurrentCount(), len(s.waves)
	running := s.loadOf(s.running, end)
	isFull := len(queue) == 0 || s.isFull(concurrent, open, queue, running, end)
	for heap.Init(&queue); len(queue) > 0 && !isFull; {
		h := queue[0]
		units := s.classes[h.class]
		switch s.readiness(h, concurrent, open, running, end) {
		case classBlocked:
			heap.Pop(&queue)
			continue
		case unitWaits:
			h.at++
		case unitStarts:
			if len(s.waves) == waves {
				s.waves = append(s.waves, Wave{Number: int64(waves + 1), StartSeconds: s.now})
			}
			members := len(s.units[h.unit].members)
			s.startUnit(h.unit)
			concurrent += members
			running = running.plus(s.loadOf(s.running[len(s.running)-members:], end))
			units = s.removeUnit(h)
			isFull = s.isFull(concurrent, open, queue, running, end)
		}
		if h.at >= len(units) {
			heap.Pop(&queue)
			continue
		}
		queue[0] = head{units[h.at], h.class, h.at}
		heap.Fix(&queue, 0)
	}
	if len(s.waves) > waves {
		slices.Sort(s.waves[waves].VMs)
	}
	// Instant migrations arrive immediately and release their slots.
	if s.endPhases() {
		s.startUnits()
	}
}

// readiness states whether a unit can start.
type readiness int

const (
	unitStarts readiness = iota
	// unitWaits means that other units of the class might start.
	unitWaits
	// classBlocked means that no unit of the class can start.
	classBlocked
)

// readiness returns whether the head of a class can start. If it can, it reserves the slots.
func (s *scheduler) readiness(h head, concurrent int, open bool, running load, end float64) readiness {
	if concurrent+len(s.units[h.unit].members) > s.concurrent {
		s.concurrencyLimited = true
		return classBlocked
	}
	if !s.reserve(s.slotNeeds[h.unit], 1) {
		s.reserve(s.slotNeeds[h.unit], -1)
		return classBlocked // the other units of this class need the same slots
	}
	if s.mustWait(h.unit, open, running, end) {
		s.reserve(s.slotNeeds[h.unit], -1)
		return unitWaits
	}
	return unitStarts
}

func (s *scheduler) mustWait(index int, open bool, running load, end float64) bool {
	u := s.units[index]
	return s.starvesGuest(index) || open && (!s.hasMovesLeft(u.moveCount) || !s.endsInWindow(u, running, end))
}

// isFull reports whether no unit can start because of max_concurrent or, if checkAll is set, because of the slots and
// the window.
func (s *scheduler) isFull(concurrent int, checkAll bool, queue heads, running load, end float64) bool {
	if concurrent >= s.concurrent {
		s.concurrencyLimited = true
		return true
	}
	return checkAll && s.noneCanStart(queue, running, concurrent, end)
}

func (s *scheduler) heads(open bool) heads {
	queue := make(heads, 0, len(s.classes))
	for class, units := range s.classes {
		if len(units) > 0 && (open || s.units[units[0]].replicatedOnly) {
			queue = append(queue, head{units[0], class, 0})
		}
	}
	return queue
}

func (s *scheduler) startUnit(index int) {
	u, last := s.units[index], len(s.waves)-1
	for _, m := range u.members {
		s.waves[last].VMs = append(s.waves[last].VMs, m.name)
	}
	started := runners(u, last, s.now)
	for i := range started {
		started[i].canOutpace = s.dirtyWeights != nil && s.hasFittingStart(index)
	}
	s.running = append(s.running, started...)
	s.countMoves(u.moveCount)
	s.pending--
}

func (s *scheduler) removeUnit(h head) []int {
	units := s.classes[h.class]
	// Copy the list unless the first unit is removed, because other plans share the underlying array.
	if h.at > 0 {
		units = slices.Concat(units[:h.at], units[h.at+1:])
	} else {
		units = units[1:]
	}
	s.classes[h.class], s.minBits[h.class] = units, s.minBitsOf(units)
	return units
}

// noneCanStart reports whether no unit in the queue can start, because each class either has no free slots or has only
// units that exceed the capacity of the window. It also records whether max_concurrent would have delayed a unit.
func (s *scheduler) noneCanStart(queue heads, running load, concurrent int, end float64) bool {
	full := false
	for _, h := range queue {
		full = full || concurrent+len(s.units[h.unit].members) > s.concurrent
		if ends, _ := s.forecast(running.plus(load{minBits: s.minBits[h.class]}), end); !ends {
			continue
		}
		free := s.reserve(s.slotNeeds[h.unit], 1)
		if s.reserve(s.slotNeeds[h.unit], -1); free {
			return false
		}
	}
	s.concurrencyLimited = s.concurrencyLimited || full
	return true
}

func (s *scheduler) minBitsOf(units []int) float64 {
	least := math.Inf(1)
	for _, u := range units {
		least = min(least, s.units[u].minBits)
	}
	return least
}

func (s *scheduler) endsInWindow(u unit, running load, end float64) bool {
	if !u.replicatedOnly && s.now+u.longestSolo > end*(1+tolerance) {
		return false
	}
	if ends, _ := s.forecast(running.plus(load{minBits: u.minBits}), end); !ends {
		return false
	}
	started := runners(u, 0, s.now)
	if ends, certain := s.forecast(running.plus(s.loadOf(started, end)), end); certain {
		return ends
	}
	trial := s.clone()
	trial.running = append(trial.running, started...)
	return trial.endsBy(end)
}

type heads []head

type head struct{ unit, class, at int }

func (h *heads) Len() int           { return len(*h) }
func (h *heads) Less(i, j int) bool { return (*h)[i].unit < (*h)[j].unit }
func (h *heads) Swap(i, j int)      { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }
func (h *heads) Push(v any) {
	if next, ok := v.(head); ok {
		*h = append(*h, next)
	}
}

func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (s *scheduler) hasMovesLeft(n int) bool {
	if s.maxMoves == math.MaxInt || s.movesByWindow[s.windowNumber(s.now)]+n <= s.maxMoves {
		return true
	}
	s.movesLimited = true
	return false
}

func (s *scheduler) countMoves(n int) {
	if s.maxMoves != math.MaxInt {
		s.movesByWindow[s.windowNumber(s.now)] += n
	}
}

// starvesGuest reports whether starting a unit now would leave some guest with a rate below its dirty rate when waiting
// for another hour or for the whole link would be sufficient. If there are no hourly weights, no guest waits.
func (s *scheduler) starvesGuest(index int) bool {
	if s.dirtyWeights == nil {
		return false
	}
	u, weight := s.units[index], s.weight(s.now)
	var sending [paths]int
	left := s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.sendsChanges():
			left -= r.changeRate
		case r.phase < waiting || r.phase == syncing || r.phase == lastSync:
			sending[r.path]++
		}
	}
	for _, m := range u.members {
		sending[m.path]++
	}
	share := s.limits.fairShare(sending, max(left, 0))
	for i := range s.running {
		if r := &s.running[i]; r.canOutpace && r.phase < rest && r.dirtyRate*weight > min(share, r.limit) {
			return true
		}
	}
	return u.outpaces(weight, share) && s.hasFittingStart(index)
}

func (u unit) outpaces(weight, share float64) bool {
	return slices.ContainsFunc(u.members, func(m *migration) bool { return m.dirtyRate*weight > min(share, m.limit) })
}
