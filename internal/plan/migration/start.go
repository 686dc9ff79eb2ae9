package migration

import (
	"container/heap"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

func (s *scheduler) start() {
	if s.pending == 0 || s.rate(s.now) <= 0 {
		return
	}
	end, open := s.closes(s.now)
	queue := s.heads(open)
	counted, waves := s.counted(), len(s.waves)
	running := s.load(s.running, end)
	for look, ordered := open, false; len(queue) > 0; {
		if s.isFull(counted, look, queue, running, end) {
			break
		}
		if look = false; !ordered {
			heap.Init(&queue)
			ordered = true
		}
		h := queue[0]
		u, units := s.units[h.unit], s.classes[h.class]
		switch {
		case counted+len(u.members) > s.concurrent:
			s.full = true
			heap.Pop(&queue)
			continue
		case !s.take(s.charges[h.unit], 1):
			// The other units of this class need the same slots.
			s.take(s.charges[h.unit], -1)
			heap.Pop(&queue)
			continue
		case s.keeps(h.unit, open, running, end):
			s.take(s.charges[h.unit], -1)
			h.at++
		default:
			if len(s.waves) == waves {
				s.waves = append(s.waves, Wave{Number: int64(waves + 1), StartSeconds: s.now})
			}
			s.begin(h.unit)
			counted += len(u.members)
			running = running.plus(s.load(s.running[len(s.running)-len(u.members):], end))
			look = open
			units = s.remove(h)
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
	if s.finish() {
		s.start()
	}
}

func (s *scheduler) keeps(index int, open bool, running load, end float64) bool {
	u := s.units[index]
	return s.slows(index) || open && (!s.roomFor(u.moved) || !s.ends(u, running, end))
}

// isFull reports whether no unit can start because of max_concurrent or, if look is set, because of the slots and the
// window.
func (s *scheduler) isFull(counted int, look bool, queue heads, running load, end float64) bool {
	if counted >= s.concurrent {
		s.full = true
		return true
	}
	return look && s.hopeless(queue, running, counted, end)
}

// heads returns, in no particular order, the first unit of each class that is allowed to start now.
func (s *scheduler) heads(open bool) heads {
	queue := make(heads, 0, len(s.classes))
	for class, units := range s.classes {
		if len(units) > 0 && (open || s.units[units[0]].copies) {
			queue = append(queue, head{units[0], class, 0})
		}
	}
	return queue
}

func (s *scheduler) begin(index int) {
	u, last := s.units[index], len(s.waves)-1
	for _, m := range u.members {
		s.waves[last].VMs = append(s.waves[last].VMs, m.name)
	}
	started := runners(u, last, s.now)
	for i := range started {
		started[i].fits = s.dirty != nil && s.hasFitting(index)
	}
	s.running = append(s.running, started...)
	s.occupy(u.moved)
	s.pending--
}

func (s *scheduler) remove(h head) []int {
	units := s.classes[h.class]
	// Copy the list unless the first unit is removed, because other plans share the underlying array.
	if h.at > 0 {
		units = slices.Concat(units[:h.at], units[h.at+1:])
	} else {
		units = units[1:]
	}
	s.classes[h.class], s.least[h.class] = units, s.leastOf(units)
	return units
}

// hopeless reports whether no unit in the queue can start, because its class has no free slots or its smallest unit
// exceeds the capacity of the window. It also records whether max_concurrent would have delayed a unit.
func (s *scheduler) hopeless(queue heads, running load, counted int, end float64) bool {
	full := false
	for _, h := range queue {
		full = full || counted+len(s.units[h.unit].members) > s.concurrent
		if ends, _ := s.outlook(running.plus(load{least: s.least[h.class]}), end); !ends {
			continue
		}
		free := s.take(s.charges[h.unit], 1)
		if s.take(s.charges[h.unit], -1); free {
			return false
		}
	}
	s.full = s.full || full
	return true
}

func (s *scheduler) leastOf(units []int) float64 {
	least := math.Inf(1)
	for _, u := range units {
		least = min(least, s.units[u].least)
	}
	return least
}

// ends reports whether a unit that starts now, and all running migrations, end within the window.
func (s *scheduler) ends(u unit, running load, end float64) bool {
	if !u.copies && s.now+u.longest > end*(1+tolerance) {
		return false
	}
	if ends, _ := s.outlook(running.plus(load{least: u.least}), end); !ends {
		return false
	}
	started := runners(u, 0, s.now)
	if ends, certain := s.outlook(running.plus(s.load(started, end)), end); certain {
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
	longest, bits, counted, moves := 0.0, 0.0, 0.0, 0
	slowest := LimitedByMigration
	work := make(map[resource]float64, len(s.resources))
	for _, u := range s.units {
		moves += len(u.members)
		for _, m := range u.members {
			if m.alone > longest {
				longest, slowest = m.alone, LimitedByMigration
				if m.path == pathNFC && s.peak() > m.limit && m.limit == nfcMbps*quantity.BitsPerMbit {
					slowest = LimitedByNFC
				}
			}
			bits += m.bits
			counted += m.copied
			for _, n := range m.needs {
				work[n.resource] += m.copied * float64(n.slots)
			}
		}
	}
	bound, name := s.capacity(bits), LimitedByLink
	raise := func(seconds float64, by string) {
		if seconds > bound*(1+tolerance) {
			bound, name = seconds, by
		}
	}
	raise(longest, slowest)
	raise(counted/concurrent, LimitedByConcurrent)
	for id, r := range s.resources {
		raise(work[r]/float64(s.slots[id]), r.kind)
	}
	if s.people < moves {
		raise(s.opensNth((moves+s.people-1)/s.people), LimitedByPeople)
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

func (s *scheduler) stamp() int { return len(s.moves) + len(s.stuckVMs) + s.ticks }

func (s *scheduler) switchOver() bool {
	end, open := s.closes(s.now)
	if !open {
		return false
	}
	began, stamp := false, s.stamp()
	var running load
	known := false
	for i := range s.running {
		r := &s.running[i]
		if r.phase != waiting || r.left > 0 || r.refused == stamp {
			continue
		}
		if !s.roomFor(1) {
			return began
		}
		if !math.IsInf(end, 1) && !known {
			running, known = s.load(s.running, end), true
		}
		if !s.canSwitch(i, running, end) {
			r.refused = stamp
			continue
		}
		r.beginSwitch(s.now)
		s.occupy(1)
		began, known = true, false
	}
	return began
}

// canSwitch reports whether a VM that starts its switchover now is running again by the end of the window, and all
// running migrations still end within the window.
func (s *scheduler) canSwitch(i int, running load, end float64) bool {
	if math.IsInf(end, 1) {
		return true
	}
	one := s.running[i]
	one.beginSwitch(s.now)
	rate := one.best(s.peak())
	if s.now+one.left/rate+one.switchover > end*(1+tolerance) {
		return false
	}
	if one.left == 0 {
		return true
	}
	var more load
	more.add(&one, end-s.now, 1)
	if ends, certain := s.outlook(running.plus(more), end); certain {
		return ends
	}
	trial := s.clone()
	trial.running[i] = one
	return trial.endsBy(end)
}

func (s *scheduler) roomFor(n int) bool {
	if s.people == math.MaxInt || s.busy[s.number(s.now)]+n <= s.people {
		return true
	}
	s.crowded = true
	return false
}

func (s *scheduler) occupy(n int) {
	if s.people != math.MaxInt {
		s.busy[s.number(s.now)] += n
	}
}

// slows reports whether starting a unit now would leave some guest with a rate below its dirty rate, although another
// hour or the whole link would be sufficient. Without hourly weights, no guest waits.
func (s *scheduler) slows(index int) bool {
	if s.dirty == nil {
		return false
	}
	u, weight := s.units[index], s.weight(s.now)
	var sending [paths]int
	left := s.rate(s.now)
	for i := range s.running {
		switch r := &s.running[i]; {
		case r.changes():
			left -= r.change
		case r.phase < waiting || r.phase == syncing || r.phase == lastSync:
			sending[r.path]++
		}
	}
	for _, m := range u.members {
		sending[m.path]++
	}
	share := s.limits.share(sending, max(left, 0))
	for i := range s.running {
		if r := &s.running[i]; r.fits && r.phase < rest && r.dirty*weight > min(share, r.limit) {
			return true
		}
	}
	return u.dirties(weight, share) && s.hasFitting(index)
}

// dirties reports whether any guest of the unit dirties memory faster than the given share of the link.
func (u unit) dirties(weight, share float64) bool {
	return slices.ContainsFunc(u.members, func(m *migration) bool { return m.dirty*weight > min(share, m.limit) })
}

// hasFitting reports whether there is an hour in which a unit can start alone, has a rate above the dirty rates of its
// guests, and can end within the window.
func (s *scheduler) hasFitting(index int) bool {
	fits, known := s.fitting[index]
	if known {
		return fits
	}
	u := s.units[index]
	var sending [paths]int
	for _, m := range u.members {
		sending[m.path]++
	}
	fits = s.anyStart(func(at, end float64) bool {
		if s.rate(at) <= 0 || u.dirties(s.weight(at), s.limits.share(sending, s.rate(at))) {
			return false
		}
		alone := simulation{clock: s.clock, limits: s.limits, now: at, running: runners(u, 0, at)}
		return math.IsInf(end, 1) || alone.endsBy(end)
	})
	s.fitting[index] = fits
	return fits
}
