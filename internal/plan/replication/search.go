// The search for the smallest throughputs.

package replication

import "math"

// searchStep is the ratio of two neighbouring throughputs.
const searchStep = 1.01

// search looks for the smallest throughput with each of several targets among those that are the mean change times
// 1.01^k. k is 0, 1, 2, 4, 8 and so on until a simulation reaches the target; between the last one that does not and
// that one it is bisected. Compliance does not always grow with throughput, so the path is part of the answer.
type search struct {
	in      ScheduleInput
	workers workers
	// least is the throughput of k = 0, base the mean of the input's.
	least, base float64
	targets     []target
	// found and running are the simulations by k. One may be simulated again, if it ended too early for a target that asks
	// for it after all.
	found   map[int]outcome
	running map[int]*simulation
}

// outcome is the compliance of a simulation. One that ended early is not whole: its compliance is that or less.
type outcome struct {
	percent float64
	whole   bool
}

// target is a compliance that is looked for.
type target struct {
	percent float64
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is what is asked next.
	fails, holds, k int
	done            bool
}

// learn takes the outcome of k.
func (t *target) learn(holds bool, most int) {
	k := t.k
	switch {
	case holds:
		t.k, t.holds = (t.fails+k)/2, k
	case t.holds == noneYet:
		t.k, t.fails = max(1, 2*k), k
	default:
		t.k, t.fails = (k+t.holds)/2, k
	}
	t.done = t.k > most || (t.holds != noneYet && t.holds-t.fails == 1)
}

const noneYet = math.MaxInt

func newSearch(in ScheduleInput, w workers) *search {
	hours := in.hourly()
	s := &search{in: in, workers: w, base: mean(hours[:]), found: map[int]outcome{}, running: map[int]*simulation{}}
	s.least = max(in.meanChangeMbps()*percent/in.EfficiencyPercent, RangeThroughputMbps.Min)
	for _, p := range []float64{percent, in.TargetCompliancePercent, 90} {
		s.targets = append(s.targets, target{percent: p, fails: -1, holds: noneYet})
	}
	return s
}

func (s *search) mbps(k int) float64 { return s.least * math.Pow(searchStep, float64(k)) }

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
	return int(math.Log(RangeThroughputMbps.Max/s.least) / math.Log(searchStep))
}

// run simulates each throughput once for all targets. A worker that is free starts the next one at once, and a
// simulation that no target asks for any longer ends: which ones are simulated beside the path, and how far, depends on
// the order in which they end, and the answers do not.
func (s *search) run() {
	ended := make(chan int)
	for {
		k, wanted := s.wanted()
		free := s.workers
		if !wanted {
			free = nil // never ready
		}
		if !wanted && len(s.running) == 0 {
			return
		}
		select {
		case free <- struct{}{}:
			sim := newSimulation(s.in, s.mbps(k)/s.base, 1, false)
			sim.endBelow(s.loosest(k))
			s.running[k] = sim
			go func() {
				// The result is known before the worker is free: what it does next depends on it.
				defer func() { <-s.workers }()
				sim.run()
				ended <- k
			}()
		case k := <-ended:
			sim := s.running[k]
			s.found[k] = outcome{percent: compliance(sim.late, sim.total), whole: sim.at == len(sim.segments)}
			delete(s.running, k)
			for i := range s.targets {
				s.follow(&s.targets[i])
			}
			for k, sim := range s.running {
				sim.endBelow(s.loosest(k))
			}
		}
	}
}

// holds reports whether a throughput reaches a target, and whether that is known.
func (s *search) holds(k int, percent float64) (holds, known bool) {
	o, simulated := s.found[k]
	holds = o.percent >= percent
	return holds, simulated && (o.whole || !holds)
}

// follow goes along the path of a target as far as its simulations are known.
func (s *search) follow(t *target) {
	for !t.done {
		holds, known := s.holds(t.k, t.percent)
		if !known {
			return
		}
		t.learn(holds, s.most())
	}
}

// ahead returns a target farther along its path, up to k: as if what runs ended as it has done so far.
func (s *search) ahead(t target, k int) *target {
	for !t.done && t.k != k {
		holds, known := s.holds(t.k, t.percent)
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

// wanted returns the throughput to simulate next, and whether there is one: what a target asks for, else what one is
// likely to ask for later.
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

// loosest returns the least target that is likely to ask for the throughput, or, without one, that may; +Inf if none
// does.
func (s *search) loosest(k int) float64 {
	likely, possible := math.Inf(1), math.Inf(1)
	for _, t := range s.targets {
		if !t.asks(k) {
			continue
		}
		possible = min(possible, t.percent)
		if s.ahead(t, k).asks(k) {
			likely = min(likely, t.percent)
		}
	}
	if math.IsInf(likely, 1) {
		return possible
	}
	return likely
}

// asks reports whether the answer may still depend on k.
func (t *target) asks(k int) bool { return !t.done && t.fails < k && k < t.holds }
