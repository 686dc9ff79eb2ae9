package migration

import (
	"cmp"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// maxTicks is the maximum number of hours and windows that a plan can span.
const maxTicks = 200000

// scheduler starts units as soon as the slots, the staff and the window allow, and simulates them.
type scheduler struct {
	simulation
	queue
	outcome

	slots      slots
	staff      staff
	concurrent int // maximum number of concurrent migrations
	// minVMotionRate is the minimum rate that each vMotion requires, in bit/s.
	minVMotionRate float64
	rttUnsupported bool         // whether a vMotion exceeds the supported round-trip time
	hasFixedCost   bool         // whether each migration has a known fixed cost
	deadline       float64      // promised end of the plan, in seconds
	maxWindows     float64      // promised number of windows
	fittingStart   map[int]bool // results of hasFittingStart by unit
}

func newScheduler(in PlanInput, c clock, units []unit) *scheduler {
	s := &scheduler{
		simulation:     simulation{clock: c, limits: in.pathLimits()},
		slots:          in.newSlots(units),
		staff:          staff{maxMoves: wholeOr(in.MaxMovesPerWindow, math.MaxInt)},
		concurrent:     wholeOr(in.MaxConcurrent, math.MaxInt),
		minVMotionRate: in.minMbpsPerVM() * quantity.BitsPerMbit,
		fittingStart:   map[int]bool{},
		hasFixedCost:   in.setupSeconds() > 0,
	}
	if in.DeadlineHours != nil || in.MaxWindows != nil {
		s.deadline = *cmp.Or(in.DeadlineHours, new(math.Inf(1))) * quantity.SecondsPerHour
		s.maxWindows = *cmp.Or(in.MaxWindows, new(math.Inf(1)))
	}
	s.rttUnsupported = in.RTTMs > maxRTTMs && slices.ContainsFunc(units, func(u unit) bool {
		return slices.ContainsFunc(u.members, func(m *migration) bool { return m.method == MethodVMotion })
	})
	s.queue = newQueue(units)
	return s
}

// wholeOr returns a given number, or another one if it is nil.
func wholeOr(given *float64, otherwise int) int {
	if given == nil {
		return otherwise
	}
	return int(*given)
}

func (s *scheduler) schedule() {
	s.detach()
	s.outcome = newOutcome()
	s.slots.used = make([]int, len(s.slots.total))
	s.staff.moves = map[int64]int{}
	s.startUnits()
	for s.pending > 0 || len(s.running) > 0 {
		tick := s.nextChange(s.now)
		if s.pending == 0 && !s.isHourly() && !slices.ContainsFunc(s.running, func(r runner) bool {
			return r.method == MethodReplication
		}) {
			tick = math.Inf(1)
		}
		s.recordRates()
		if s.isStuck(tick) {
			if s.unbounded = len(s.running) == 0; s.unbounded {
				return
			}
			s.dropStuckVM()
			s.startUnits()
			continue
		}
		s.step(tick)
		freed := s.now >= tick
		if freed {
			s.ticks++
			s.unbounded = s.ticks > maxTicks
		}
		if s.unbounded {
			return
		}
		if s.endPhases() || freed {
			s.startUnits()
		}
	}
}

func (s *scheduler) isStuck(tick float64) bool {
	share := s.fairShare()
	return math.IsInf(tick, 1) && !slices.ContainsFunc(s.running, func(r runner) bool {
		return r.phase != waiting && !math.IsInf(r.remainingSeconds(min(share, r.limit)), 1)
	})
}

func (s *scheduler) dropStuckVM() {
	most := 0
	for i, r := range s.running {
		if r.changeRate > s.running[most].changeRate {
			most = i
		}
	}
	s.stuckVMs = append(s.stuckVMs, s.running[most].migration)
	s.running = slices.Delete(s.running, most, most+1)
}

func (s *scheduler) recordRates() {
	if slices.ContainsFunc(s.running, func(r runner) bool { return r.method == MethodVMotion && r.isSending() }) {
		share := min(s.fairShare(), s.limits[pathVMotion])
		s.slowestVMotion, s.fastestVMotion = min(s.slowestVMotion, share), max(s.fastestVMotion, share)
	}
}

func (s *scheduler) endPhases() bool {
	counted := s.concurrentCount()
	s.startPhases()
	for s.startSwitchovers() {
		s.startPhases()
	}
	freed := false
	for i := range s.running {
		if r := &s.running[i]; r.phase >= switching && !r.slotsFreed {
			s.slots.add(r.needs, -1)
			r.slotsFreed, freed = true, true
		}
	}
	s.running = slices.DeleteFunc(s.running, func(r runner) bool {
		if r.phase == arrived {
			s.arrive(&r)
			freed = true
		}
		return r.phase == arrived
	})
	return freed || s.concurrentCount() < counted
}

func (s *scheduler) arrive(r *runner) {
	m := Move{StartSeconds: new(r.start), EndSeconds: new(s.now), Method: r.method}
	if !math.IsInf(s.period, 1) {
		m.Window = new(s.windowNumber(s.now))
	}
	if !r.noDowntime {
		m.DowntimeSeconds = new(s.now - r.stopped)
	}
	s.moves[r.name] = m
	w := &s.waves[r.wave]
	w.DurationSeconds = s.now - w.StartSeconds
}

func (s *scheduler) concurrentCount() int {
	n := 0
	for i := range s.running {
		if s.running[i].isConcurrent() {
			n++
		}
	}
	return n
}
