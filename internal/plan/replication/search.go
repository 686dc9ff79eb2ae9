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
	// found is the compliance by k. A simulation that fails every target that still asks for it ends early: its figure is
	// below all of them, and any figure if there is none.
	found map[int]float64
}

// target is a compliance that is looked for.
type target struct {
	percent float64
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is what is asked next.
	fails, holds, k int
	done            bool
}

// follow goes along the path of a target as far as its simulations are known.
func (t *target) follow(found map[int]float64, most int) {
	for !t.done {
		compliance, known := found[t.k]
		if !known {
			return
		}
		t.learn(compliance >= t.percent, most)
	}
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
	s := &search{in: in, workers: w, base: mean(hours[:]), found: map[int]float64{}}
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
	running := make(map[int]*simulation)
	ended := make(chan int)
	for {
		k, wanted := s.wanted(running)
		free := s.workers
		if !wanted {
			free = nil // never ready
		}
		if !wanted && len(running) == 0 {
			return
		}
		select {
		case free <- struct{}{}:
			sim := newSimulation(s.in, s.mbps(k)/s.base, 1, false)
			sim.endBelow(s.loosest(k))
			running[k] = sim
			go func() {
				// The result is known before the worker is free: what it does next depends on it.
				defer func() { <-s.workers }()
				sim.run()
				ended <- k
			}()
		case k := <-ended:
			s.found[k] = compliance(running[k].late, running[k].total)
			delete(running, k)
			for i := range s.targets {
				s.targets[i].follow(s.found, s.most())
			}
			for k, sim := range running {
				sim.endBelow(s.loosest(k))
			}
		}
	}
}

// wanted returns the throughput to simulate next, and whether there is one: what a target asks for, else what one is
// likely to ask for later.
func (s *search) wanted(running map[int]*simulation) (int, bool) {
	unknown := func(k int) bool {
		_, known := s.found[k]
		return !known && running[k] == nil && k <= s.most()
	}
	for _, t := range s.targets {
		if !t.done && unknown(t.k) {
			return t.k, true
		}
	}
	for _, t := range s.targets {
		for !t.done {
			if unknown(t.k) {
				return t.k, true
			}
			compliance, known := s.found[t.k]
			t.learn(known && compliance >= t.percent || !known && t.holds != noneYet, s.most())
		}
	}
	return 0, false
}

// loosest returns the least target that still depends on the throughput; +Inf without one.
func (s *search) loosest(k int) float64 {
	least := math.Inf(1)
	for _, t := range s.targets {
		if !t.done && t.fails < k && k < t.holds {
			least = min(least, t.percent)
		}
	}
	return least
}
