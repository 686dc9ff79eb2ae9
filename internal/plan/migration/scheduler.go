package migration

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Slots in vCenter. A network adapter has 2 slots below 1 Gbit/s, 4 below 10 Gbit/s, and 8 otherwise.
const (
	DefaultHostSlots      = 8
	DefaultDatastoreSlots = 128
	slowestNetworkSlots   = 2
	slowNetworkSlots      = 4
	fastNetworkSlots      = 8
	slowNICMbps           = 1000
	fastNICMbps           = 10000
	// maxTicks is the maximum number of hours and windows that a plan can span.
	maxTicks = 200000
)

type scheduler struct {
	simulation

	units              []unit
	concurrent         int
	resources          []resource
	resourceIDs        map[resource]int
	totalSlots         []int
	usedSlots          []int     // slots in use, by resource
	slotNeeds          [][]int   // for each unit, pairs of a resource and the slots needed
	classes            [][]int   // units by class, in order; the units of a class need the same slots
	minBits            []float64 // by class, the smallest amount of data of any unit, in bits
	pending            int
	moves              []arrival // in order of arrival
	waves              []Wave
	slowestVMotion     float64 // lowest rate of a vMotion, in bit/s
	fastestVMotion     float64 // highest rate of a vMotion, in bit/s
	ticks              int
	unbounded          bool
	concurrencyLimited bool // whether max_concurrent delayed a unit
	rttUnsupported     bool // whether a vMotion exceeds the supported round-trip time
	// maxMoves is the maximum number of VMs that staff can move or switch over per window, and movesByWindow is the
	// number moved so far in each window. movesLimited reports whether this limit delayed a VM.
	maxMoves      int
	movesByWindow map[int64]int
	movesLimited  bool
	// minVMotionRate is the minimum rate that each vMotion requires, in bit/s.
	minVMotionRate float64
	// stuckVMs contains replicated VMs that change at least as fast as they are copied.
	stuckVMs     []*migration
	fittingStart map[int]bool
}

type arrival struct {
	name string
	wave int
	Move
}

func newScheduler(in PlanInput, c clock, units []unit) *scheduler {
	s := &scheduler{
		simulation:     simulation{clock: c, limits: in.pathLimits()},
		resourceIDs:    map[resource]int{},
		units:          units,
		concurrent:     math.MaxInt,
		pending:        len(units),
		slowestVMotion: math.Inf(1),
		maxMoves:       math.MaxInt,
		minVMotionRate: in.minMbpsPerVM() * quantity.BitsPerMbit,
	}
	if in.MaxConcurrent != nil {
		s.concurrent = int(*in.MaxConcurrent)
	}
	if in.MaxMovesPerWindow != nil {
		s.maxMoves = int(*in.MaxMovesPerWindow)
	}
	s.rttUnsupported = in.RTTMs > maxRTTMs && slices.ContainsFunc(units, func(u unit) bool {
		return slices.ContainsFunc(u.members, func(m *migration) bool { return m.method == MethodVMotion })
	})
	slots := in.slots()
	classes := map[string]int{}
	for i, u := range units {
		var charge []int
		for _, m := range u.members {
			for _, n := range m.slotNeeds {
				id, known := s.resourceIDs[n.resource]
				if !known {
					id = len(s.resources)
					s.resourceIDs[n.resource] = id
					s.resources = append(s.resources, n.resource)
					s.totalSlots = append(s.totalSlots, slots[n.kind])
				}
				charge = append(charge, id, n.slots)
			}
		}
		s.slotNeeds = append(s.slotNeeds, charge)
		key := fmt.Sprint(charge, u.replicatedOnly, len(u.members))
		class, known := classes[key]
		if !known {
			class = len(s.classes)
			classes[key] = class
			s.classes = append(s.classes, nil)
		}
		s.classes[class] = append(s.classes[class], i)
	}
	for _, units := range s.classes {
		s.minBits = append(s.minBits, s.minBitsOf(units))
	}
	s.reset()
	return s
}

func (s *scheduler) reset() {
	s.usedSlots = make([]int, len(s.resources))
	s.movesByWindow = map[int64]int{}
	s.fittingStart = map[int]bool{}
	s.classes, s.minBits = slices.Clone(s.classes), slices.Clone(s.minBits)
}

func (s *scheduler) schedule() {
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
			for _, n := range r.slotNeeds {
				s.usedSlots[s.resourceIDs[n.resource]] -= n.slots
			}
			r.slotsFreed, freed = true, true
		}
	}
	s.running = slices.DeleteFunc(s.running, func(r runner) bool {
		if r.phase == arrived {
			s.moves = append(s.moves, s.arrival(&r))
			freed = true
		}
		return r.phase == arrived
	})
	return freed || s.concurrentCount() < counted
}

func (s *scheduler) arrival(r *runner) arrival {
	m := Move{StartSeconds: new(r.start), EndSeconds: new(s.now)}
	if !math.IsInf(s.period, 1) {
		m.Window = new(s.windowNumber(s.now))
	}
	if !r.noDowntime {
		m.DowntimeSeconds = new(s.now - r.stopped)
	}
	return arrival{r.name, r.wave, m}
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

func (s *scheduler) result() PlanResult {
	r := PlanResult{Moves: make(map[string]Move, len(s.moves)), Waves: slices.Clone(s.waves), DurationSeconds: s.now}
	for _, m := range s.moves {
		r.Moves[m.name] = m.Move
		w := &r.Waves[m.wave]
		w.DurationSeconds = max(w.DurationSeconds, *m.EndSeconds-w.StartSeconds)
	}
	return r
}
