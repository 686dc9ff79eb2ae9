package migration

import (
	"container/heap"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

func (s *scheduler) startUnits() {
	if s.pending == 0 || s.rate(s.now) <= 0 {
		return
	}
	end, open := s.windowEnd(s.now)
	queue := s.heads(open)
	concurrent, waves := s.concurrentCount(), len(s.waves)
	running := s.loadOf(s.running, end)
	for checkAll, ordered := open, false; len(queue) > 0; {
		if s.isFull(concurrent, checkAll, queue, running, end) {
			break
		}
		if checkAll = false; !ordered {
			heap.Init(&queue)
			ordered = true
		}
		h := queue[0]
		u, units := s.units[h.unit], s.classes[h.class]
		switch {
		case concurrent+len(u.members) > s.concurrent:
			s.concurrencyLimited = true
			heap.Pop(&queue)
			continue
		case !s.reserve(s.slotNeeds[h.unit], 1):
			// The other units of this class need the same slots.
			s.reserve(s.slotNeeds[h.unit], -1)
			heap.Pop(&queue)
			continue
		case s.mustWait(h.unit, open, running, end):
			s.reserve(s.slotNeeds[h.unit], -1)
			h.at++
		default:
			if len(s.waves) == waves {
				s.waves = append(s.waves, Wave{Number: int64(waves + 1), StartSeconds: s.now})
			}
			s.startUnit(h.unit)
			concurrent += len(u.members)
			running = running.plus(s.loadOf(s.running[len(s.running)-len(u.members):], end))
			checkAll = open
			units = s.removeUnit(h)
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

func (s *scheduler) result() PlanResult {
	r := PlanResult{Moves: make(map[string]Move, len(s.moves)), Waves: slices.Clone(s.waves), DurationSeconds: s.now}
	for _, m := range s.moves {
		r.Moves[m.name] = m.Move
		w := &r.Waves[m.wave]
		w.DurationSeconds = max(w.DurationSeconds, *m.EndSeconds-w.StartSeconds)
	}
	return r
}

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

func (s *scheduler) progress() int { return len(s.moves) + len(s.stuckVMs) + s.ticks }

func (s *scheduler) startSwitchovers() bool {
	end, open := s.windowEnd(s.now)
	if !open {
		return false
	}
	began, stamp := false, s.progress()
	var running load
	known := false
	for i := range s.running {
		r := &s.running[i]
		if r.phase != waiting || r.left > 0 || r.refusedAt == stamp {
			continue
		}
		if !s.hasMovesLeft(1) {
			return began
		}
		if !math.IsInf(end, 1) && !known {
			running, known = s.loadOf(s.running, end), true
		}
		if !s.canSwitchOver(i, running, end) {
			r.refusedAt = stamp
			continue
		}
		r.startSwitchover(s.now)
		s.countMoves(1)
		began, known = true, false
	}
	return began
}

func (s *scheduler) canSwitchOver(i int, running load, end float64) bool {
	if math.IsInf(end, 1) {
		return true
	}
	one := s.running[i]
	one.startSwitchover(s.now)
	rate := one.limitedRate(s.peakRate())
	if s.now+one.left/rate+one.switchover > end*(1+tolerance) {
		return false
	}
	if one.left == 0 {
		return true
	}
	var more load
	more.add(&one, end-s.now, 1)
	if ends, certain := s.forecast(running.plus(more), end); certain {
		return ends
	}
	trial := s.clone()
	trial.running[i] = one
	return trial.endsBy(end)
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

// hasFittingStart reports whether there is a time at which a unit could start alone, send faster than its guests dirty
// memory, and end within the window.
func (s *scheduler) hasFittingStart(index int) bool {
	fits, known := s.fittingStart[index]
	if known {
		return fits
	}
	u := s.units[index]
	var sending [paths]int
	for _, m := range u.members {
		sending[m.path]++
	}
	fits = s.anyStart(func(at, end float64) bool {
		if s.rate(at) <= 0 || u.outpaces(s.weight(at), s.limits.fairShare(sending, s.rate(at))) {
			return false
		}
		alone := simulation{clock: s.clock, limits: s.limits, now: at, running: runners(u, 0, at)}
		return math.IsInf(end, 1) || alone.endsBy(end)
	})
	s.fittingStart[index] = fits
	return fits
}
