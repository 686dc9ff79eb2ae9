// The scheduler: which slots are free, and what happens when.

package migration

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// The slots of vCenter. A network adapter has 2 below 1 Gbit/s, 4 below 10 Gbit/s, and 8 from there up.
const (
	DefaultHostSlots      = 8
	DefaultDatastoreSlots = 128
	slowestNetworkSlots   = 2
	slowNetworkSlots      = 4
	fastNetworkSlots      = 8
	slowNICMbps           = 1000
	fastNICMbps           = 10000
	// maxTicks bounds the hours and windows that a plan runs through.
	maxTicks = 200000
)

// scheduler is the state of a plan while it is computed.
type scheduler struct {
	simulation

	units      []unit
	concurrent int
	resources  []resource
	ids        map[resource]int
	slots      []int     // slots by resource
	used       []int     // slots in use by resource
	charges    [][]int   // for each unit pairs of a resource and slots
	classes    [][]int   // units that need the same slots, each in the order of the units
	least      []float64 // for each class the least that one of its units sends, in bits
	pending    int       // units that have not started
	moves      []arrival // in the order of arrival
	waves      []Wave
	slowest    float64 // the least that a vMotion got, in bit/s
	fastest    float64 // the most that one got
	ticks      int
	endless    bool
	full       bool // max_concurrent kept something from starting
	distant    bool // a vMotion crosses a longer round trip than vSphere supports
	// people is how many VMs are moved or switched in a window at most, busy how many are by window, and crowded
	// whether that kept something from moving.
	people  int
	busy    map[int64]int
	crowded bool
	// leastRate is what vSphere asks of each vMotion, in bit/s.
	leastRate float64
	// stuckVMs are replicated VMs whose copies get no more than they change.
	stuckVMs []*migration
	// fitting is, for each unit, whether guests have what they dirty in some hour of a window; nil until it is asked.
	fitting map[int]bool
}

type arrival struct {
	name string
	wave int
	Move
}

func newScheduler(in PlanInput, c clock, units []unit) *scheduler {
	s := &scheduler{
		simulation: simulation{clock: c, limits: in.limits()},
		ids:        map[resource]int{},
		units:      units, concurrent: math.MaxInt, pending: len(units), slowest: math.Inf(1),
		people: math.MaxInt, leastRate: in.leastMbps() * quantity.BitsPerMbit,
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

// reset clears what a schedule fills.
func (s *scheduler) reset() {
	s.used, s.busy, s.fitting = make([]int, len(s.resources)), map[int64]int{}, map[int]bool{}
	s.classes, s.least = slices.Clone(s.classes), slices.Clone(s.least)
}

// slots returns what each kind of resource has.
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

// take changes the slots in use by sign times what a unit needs, and reports whether none is overdrawn.
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

// schedule starts what fits, waits for the next end, and so on.
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

// stuck reports whether nothing ends, ever: the copies that run get no more than their VMs change.
func (s *scheduler) stuck(tick float64) bool {
	share := s.share()
	return math.IsInf(tick, 1) && !slices.ContainsFunc(s.running, func(r runner) bool {
		return r.phase != waiting && !math.IsInf(r.seconds(min(share, r.limit)), 1)
	})
}

// giveUp leaves the copy that changes most.
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

// note keeps the least and the most that a vMotion got.
func (s *scheduler) note() {
	if slices.ContainsFunc(s.running, func(r runner) bool { return r.method == MethodVMotion && r.sends() }) {
		share := min(s.share(), s.limits[pathVMotion])
		s.slowest, s.fastest = min(s.slowest, share), max(s.fastest, share)
	}
}

// finish settles what has ended, and reports whether something else may start.
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

// arrival is the move of a VM that has arrived.
func (s *scheduler) arrival(r *runner) arrival {
	m := Move{StartSeconds: new(r.start), EndSeconds: new(s.now)}
	if !math.IsInf(s.period, 1) {
		m.Window = new(s.number(s.now))
	}
	if !r.unknown {
		m.DowntimeSeconds = new(s.now - r.stopped)
	}
	return arrival{r.name, r.wave, m}
}

// counted is how many migrations count for max_concurrent.
func (s *scheduler) counted() int {
	n := 0
	for i := range s.running {
		if s.running[i].counts() {
			n++
		}
	}
	return n
}
