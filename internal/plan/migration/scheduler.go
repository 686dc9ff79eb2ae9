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

	units      []unit
	concurrent int
	resources  []resource
	ids        map[resource]int
	slots      []int
	used       []int     // slots in use of each resource
	charges    [][]int   // for each unit, pairs of a resource and the slots needed
	classes    [][]int   // units by class; units that need the same slots are in one class, in order
	least      []float64 // by class, the smallest amount of data of any unit, in bits
	pending    int
	moves      []arrival // in order of arrival
	waves      []Wave
	slowest    float64 // lowest rate of a vMotion, in bit/s
	fastest    float64 // highest rate of a vMotion, in bit/s
	ticks      int
	endless    bool
	full       bool // max_concurrent delayed a unit
	distant    bool // a vMotion exceeds the supported round-trip time
	// people is the maximum number of VMs that staff can move or switch over per window, and busy is the number so far in
	// each window. crowded reports whether this limit delayed a VM.
	people  int
	busy    map[int64]int
	crowded bool
	// leastRate is the minimum rate that each vMotion requires, in bit/s.
	leastRate float64
	// stuckVMs contains replicated VMs that change at least as fast as they are copied.
	stuckVMs []*migration
	fitting  map[int]bool
}

type arrival struct {
	name string
	wave int
	Move
}

func newScheduler(in PlanInput, c clock, units []unit) *scheduler {
	s := &scheduler{
		simulation: simulation{clock: c, limits: in.limits()}, ids: map[resource]int{}, units: units,
		concurrent: math.MaxInt, pending: len(units), slowest: math.Inf(1), people: math.MaxInt,
		leastRate: in.leastMbps() * quantity.BitsPerMbit,
	}
	if in.MaxConcurrent != nil {
		s.concurrent = int(*in.MaxConcurrent)
	}
	if in.MaxMovesPerWindow != nil {
		s.people = int(*in.MaxMovesPerWindow)
	}
	s.distant = in.RTTMs > maxRTTMs && slices.ContainsFunc(units, func(u unit) bool {
		return slices.ContainsFunc(u.members, func(m *migration) bool { return m.method == MethodVMotion })
	})
	slots := in.slots()
	classes := map[string]int{}
	for i, u := range units {
		var charge []int
		for _, m := range u.members {
			for _, n := range m.needs {
				id, known := s.ids[n.resource]
				if !known {
					id = len(s.resources)
					s.ids[n.resource] = id
					s.resources = append(s.resources, n.resource)
					s.slots = append(s.slots, slots[n.kind])
				}
				charge = append(charge, id, n.slots)
			}
		}
		s.charges = append(s.charges, charge)
		key := fmt.Sprint(charge, u.copies, len(u.members))
		class, known := classes[key]
		if !known {
			class = len(s.classes)
			classes[key] = class
			s.classes = append(s.classes, nil)
		}
		s.classes[class] = append(s.classes[class], i)
	}
	for _, units := range s.classes {
		s.least = append(s.least, s.leastOf(units))
	}
	s.reset()
	return s
}

func (s *scheduler) reset() {
	s.used, s.busy, s.fitting = make([]int, len(s.resources)), map[int64]int{}, map[int]bool{}
	s.classes, s.least = slices.Clone(s.classes), slices.Clone(s.least)
}

func (in PlanInput) slots() map[string]int {
	slots := map[string]int{
		LimitedByHost: DefaultHostSlots, LimitedByDatastore: DefaultDatastoreSlots, LimitedByNetwork: fastNetworkSlots,
	}
	switch {
	case in.NICMbps < slowNICMbps:
		slots[LimitedByNetwork] = slowestNetworkSlots
	case in.NICMbps < fastNICMbps:
		slots[LimitedByNetwork] = slowNetworkSlots
	}
	for kind, given := range map[string]*float64{
		LimitedByHost: in.HostSlots, LimitedByDatastore: in.DatastoreSlots, LimitedByNetwork: in.NetworkSlots,
	} {
		if given != nil {
			slots[kind] = int(*given)
		}
	}
	return slots
}

// take adds the slots that a unit needs to the slots in use, or subtracts them if sign is -1. It reports whether there
// are enough slots.
func (s *scheduler) take(charge []int, sign int) bool {
	ok := true
	for i := 0; i < len(charge); i += 2 {
		id := charge[i]
		s.used[id] += sign * charge[i+1]
		ok = ok && s.used[id] <= s.slots[id]
	}
	return ok
}

func runners(u unit, wave int, now float64) []runner {
	list := make([]runner, len(u.members))
	for i, m := range u.members {
		list[i] = runner{migration: m, left: m.setup, wave: wave, start: now, stopped: now, refused: -1}
	}
	return list
}

func (s *scheduler) schedule() {
	s.start()
	for s.pending > 0 || len(s.running) > 0 {
		tick := s.next(s.now)
		if s.pending == 0 && !s.hourly() && !slices.ContainsFunc(s.running, func(r runner) bool {
			return r.method == MethodReplication
		}) {
			tick = math.Inf(1)
		}
		s.note()
		if s.stuck(tick) {
			if s.endless = len(s.running) == 0; s.endless {
				return
			}
			s.giveUp()
			s.start()
			continue
		}
		s.step(tick)
		freed := s.now >= tick
		if freed {
			s.ticks++
			s.endless = s.ticks > maxTicks
		}
		if s.endless {
			return
		}
		if s.finish() || freed {
			s.start()
		}
	}
}

// stuck reports whether no running migration will ever end, because every VM changes at least as fast as it is copied.
func (s *scheduler) stuck(tick float64) bool {
	share := s.share()
	return math.IsInf(tick, 1) && !slices.ContainsFunc(s.running, func(r runner) bool {
		return r.phase != waiting && !math.IsInf(r.seconds(min(share, r.limit)), 1)
	})
}

func (s *scheduler) giveUp() {
	most := 0
	for i, r := range s.running {
		if r.change > s.running[most].change {
			most = i
		}
	}
	s.stuckVMs = append(s.stuckVMs, s.running[most].migration)
	s.running = slices.Delete(s.running, most, most+1)
}

func (s *scheduler) note() {
	if slices.ContainsFunc(s.running, func(r runner) bool { return r.method == MethodVMotion && r.sends() }) {
		share := min(s.share(), s.limits[pathVMotion])
		s.slowest, s.fastest = min(s.slowest, share), max(s.fastest, share)
	}
}

func (s *scheduler) finish() bool {
	counted := s.counted()
	s.settle()
	for s.switchOver() {
		s.settle()
	}
	freed := false
	for i := range s.running {
		if r := &s.running[i]; r.phase >= switching && !r.freed {
			for _, n := range r.needs {
				s.used[s.ids[n.resource]] -= n.slots
			}
			r.freed, freed = true, true
		}
	}
	s.running = slices.DeleteFunc(s.running, func(r runner) bool {
		if r.phase == arrived {
			s.moves = append(s.moves, s.arrival(&r))
			freed = true
		}
		return r.phase == arrived
	})
	return freed || s.counted() < counted
}

func (s *scheduler) arrival(r *runner) arrival {
	m := Move{StartSeconds: new(r.start), EndSeconds: new(s.now)}
	if !math.IsInf(s.period, 1) {
		m.Window = new(s.number(s.now))
	}
	if !r.noDowntime {
		m.DowntimeSeconds = new(s.now - r.stopped)
	}
	return arrival{r.name, r.wave, m}
}

func (s *scheduler) counted() int {
	n := 0
	for i := range s.running {
		if s.running[i].counts() {
			n++
		}
	}
	return n
}
