// The search for the smallest throughputs.

package replication

import (
	"fmt"
	"math"
	"strconv"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// searchStep is the ratio of two neighbouring throughputs.
const searchStep = 1.01

// search finds the smallest throughput with each of several targets among those that are the mean change times
// 1.01^k, rounded up to four digits. From an origin that holds, k goes down by 1, 2, 4 and so on until a simulation
// does not reach the target; from one that does not, it goes up until one does. Between the last one that does not and
// the one that does it is bisected. Compliance does not always grow with throughput, so the path is part of the answer.
type search struct {
	in      ScheduleInput
	workers workers
	// lengths are those of each simulation. In the final search they are the plan's own, and a clean one has halves that
	// agree: the throughput found is sufficient when it is used as input.
	lengths []int
	final   bool
	// least is the throughput of k = 0 before it is rounded, base the mean of the input's.
	least, base float64
	targets     []target
	// found and running are the simulations by k. One may be simulated again, if it ended too early for a target that asks
	// for it after all.
	found   map[int]outcome
	running map[int]*simulation
}

// outcome is the result of a simulation. One that ended early is not whole: it reaches that or less.
type outcome struct {
	need
	whole bool
}

// target is the goal of a search.
type target struct {
	need
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is the next value to simulate, origin
	// first.
	fails, holds, origin, k int
	done                    bool
}

// learn takes the outcome of k.
func (t *target) learn(holds bool, most int) {
	k := t.k
	switch {
	case holds && t.fails < 0:
		t.k, t.holds = max(0, t.origin-max(1, 2*(t.origin-k))), k
	case holds:
		t.k, t.holds = (t.fails+k)/2, k
	case t.holds == noneYet:
		t.k, t.fails = t.origin+max(1, 2*(k-t.origin)), k
	default:
		t.k, t.fails = (k+t.holds)/2, k
	}
	t.done = t.k > most || (t.holds != noneYet && t.holds-t.fails == 1)
}

const noneYet = math.MaxInt

// newSearch returns a search. The first target is the verdict that VerdictMeets is.
func newSearch(in ScheduleInput, w workers, lengths []int, final bool) *search {
	hours := in.hourly()
	s := &search{
		in: in, workers: w, lengths: lengths, final: final, base: mean(hours[:]),
		found: map[int]outcome{}, running: map[int]*simulation{},
	}
	s.least = max(in.meanChangeMbps()*quantity.Percent/in.EfficiencyPercent, RangeThroughputMbps.Min)
	for i, p := range []float64{in.TargetCompliancePercent, in.TargetCompliancePercent, 90} {
		s.targets = append(s.targets, target{need: need{percent: p, clean: i == 0}, fails: -1, holds: noneYet})
	}
	// Without halves that are compared, no verdict is meets.
	s.targets[0].done = in.longest() < leastComparedDays
	return s
}

// throughputs searches by runs of the least length, and then from their answers on by runs like the plan's own.
func (in ScheduleInput) throughputs(w workers) *search {
	least := in.leastDays()
	if in.longest() == least {
		return newSearch(in, w, in.lengths(), true).run()
	}
	short := newSearch(in, w, []int{least}, false).run()
	long := newSearch(in, w, in.lengths(), true)
	for i, t := range short.targets {
		if t.holds != noneYet {
			long.targets[i].origin, long.targets[i].k = t.holds, t.holds
		}
	}
	return long.run()
}

// mbps returns a throughput to simulate. It has four significant digits, so that the printed value is the simulated
// one.
func (s *search) mbps(k int) float64 {
	return ceiling(s.least*plan.Pow(searchStep, float64(k)), 4)
}

// ceiling returns the least number with so many significant digits that is not less.
func ceiling(v float64, digits int) float64 {
	exponent := int(math.Floor(math.Log10(v))) - digits + 1
	for mantissa := int64(v / math.Pow10(exponent)); ; mantissa++ {
		rounded, err := strconv.ParseFloat(fmt.Sprintf("%de%d", mantissa, exponent), 64)
		if err != nil || rounded >= v {
			return rounded
		}
	}
}

// at returns the input with another throughput; hourly ones keep their profile.
func (s *search) at(mbps float64) ScheduleInput {
	if s.in.ThroughputMbps == nil {
		return s.in.scaled(mbps / s.base)
	}
	in := s.in
	in.ThroughputMbps = &mbps
	return in
}

// answer returns the smallest throughput for a target; nil if none in the range is enough.
func (s *search) answer(i int) *float64 {
	if s.targets[i].holds == noneYet {
		return nil
	}
	mbps := s.mbps(s.targets[i].holds)
	return &mbps
}

// most returns the largest k in the range of throughputs.
func (s *search) most() int {
	return int(plan.Log(RangeThroughputMbps.Max/s.least) / plan.Log(searchStep))
}

// run simulates each throughput once for all targets. A worker that is free starts the next one at once, and a
// simulation that no target asks for any longer ends: which ones are simulated in addition to the path, and how far,
// depends on the order in which they end, and the answers do not.
func (s *search) run() *search {
	ended := make(chan int)
	for {
		k, wanted := s.wanted()
		free := s.workers
		if !wanted {
			free = nil // never ready
		}
		if !wanted && len(s.running) == 0 {
			return s
		}
		select {
		case free <- struct{}{}:
			sim := newSimulation(s.at(s.mbps(k)), s.lengths[len(s.lengths)-1], 1, false)
			sim.need.Store(s.loosest(k))
			s.running[k] = sim
			go func() {
				// The result is known before the worker is free: its next simulation depends on it.
				defer func() { <-s.workers }()
				s.simulate(sim)
				ended <- k
			}()
		case k := <-ended:
			sim := s.running[k]
			s.found[k] = sim.outcome()
			delete(s.running, k)
			for i := range s.targets {
				s.follow(&s.targets[i])
			}
			for k, sim := range s.running {
				sim.need.Store(s.loosest(k))
			}
		}
	}
}

// simulate runs a simulation to its end. Before the final search its halves need not agree.
func (s *search) simulate(sim *simulation) {
	sim.agreed = sim.runUntilAgreed(s.lengths) || !s.final
}

// outcome returns what a simulation has reached.
func (s *simulation) outcome() outcome {
	if s.over {
		return outcome{need: need{percent: quantity.Percent * (1 - s.lateShare), clean: s.alarms == 0}}
	}
	o := outcome{need: need{percent: quantity.Percent, clean: s.alarms == 0 && s.agreed && s.meetsDeadline()}, whole: true}
	for _, f := range s.flows {
		o.percent = min(o.percent, f.compliance(f.days[:s.day]), s.secondHalf(f))
	}
	return o
}

func (s *simulation) meetsDeadline() bool {
	var r ScheduleResult
	s.moments(&r)
	r.judgeDeadline(s.in)
	return r.DeadlineMet == nil || *r.DeadlineMet
}

// enough reports whether the reached goal satisfies n.
func (n need) enough(reached need) bool {
	return reached.percent >= n.percent && (reached.clean || !n.clean)
}

// holds reports whether a throughput reaches a target, and whether that is known.
func (s *search) holds(k int, n need) (holds, known bool) {
	o, simulated := s.found[k]
	holds = n.enough(o.need)
	return holds, simulated && (o.whole || !holds)
}

// follow goes along the path of a target as far as its simulations are known.
func (s *search) follow(t *target) {
	for !t.done {
		holds, known := s.holds(t.k, t.need)
		if !known {
			return
		}
		t.learn(holds, s.most())
	}
}

// ahead returns a target farther along its path, up to k: as if what runs ended as it has done so far.
func (s *search) ahead(t target, k int) *target {
	for !t.done && t.k != k {
		holds, known := s.holds(t.k, t.need)
		if sim := s.running[t.k]; !known && sim == nil {
			break
		} else if !known {
			holds = t.likely(math.Float64frombits(sim.soFar.Load()))
		}
		t.learn(holds, s.most())
	}
	return &t
}

// likely reports whether what a target asks next will probably hold, by its compliance so far, 0 at first.
func (t *target) likely(soFar float64) bool {
	if soFar == 0 {
		return t.holds != noneYet
	}
	return soFar >= t.percent
}

// wanted returns the throughput to simulate next, and whether there is one: the next one of a target, else one that a
// target is likely to need later.
func (s *search) wanted() (int, bool) {
	for _, t := range s.targets {
		if !t.done && s.running[t.k] == nil {
			return t.k, true
		}
	}
	for _, t := range s.targets {
		if ahead := s.ahead(t, -1); !ahead.done {
			return ahead.k, true
		}
	}
	return 0, false
}

// loosest returns the least that a target which is likely to ask for the throughput needs, or, without one, one that
// may; what cannot be reached if none does.
func (s *search) loosest(k int) *need {
	likely, possible := unreachable, unreachable
	for _, t := range s.targets {
		if !t.asks(k) {
			continue
		}
		possible = possible.or(t.need)
		if s.ahead(t, k).asks(k) {
			likely = likely.or(t.need)
		}
	}
	if likely == unreachable {
		likely = possible
	}
	return &likely
}

// unreachable is what no simulation reaches.
var unreachable = need{percent: math.Inf(1), clean: true}

// or returns the weaker need: every result that is enough for one of the two is enough for it.
func (n need) or(other need) need {
	return need{percent: min(n.percent, other.percent), clean: n.clean && other.clean}
}

// asks reports whether the answer may still depend on k.
func (t *target) asks(k int) bool { return !t.done && t.fails < k && k < t.holds }
