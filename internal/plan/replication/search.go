// The search for the smallest throughputs.

package replication

import (
	"math"
	"slices"
)

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
	// below all of them.
	found map[int]float64
}

// target is a compliance that is looked for.
type target struct {
	percent float64
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is what is asked next.
	fails, holds, k int
	done            bool
}

// next returns what is asked after k, for each outcome.
func (t *target) next(holds bool) int {
	switch {
	case holds:
		return (t.fails + t.k) / 2
	case t.holds == noneYet:
		return max(1, 2*t.k)
	}
	return (t.k + t.holds) / 2
}

// follow goes along the path of a target as far as its simulations are known.
func (t *target) follow(found map[int]float64, most int) {
	for !t.done {
		compliance, known := found[t.k]
		if !known {
			return
		}
		k, holds := t.k, compliance >= t.percent
		t.k = t.next(holds)
		if holds {
			t.holds = k
		} else {
			t.fails = k
		}
		t.done = t.k > most || (t.holds != noneYet && t.holds-t.fails == 1)
	}
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

// run simulates each throughput once for all targets, as many at a time as there are workers.
func (s *search) run() {
	for asked := s.asked(); len(asked) > 0; asked = s.asked() {
		results := make([]float64, len(asked))
		s.workers.each(len(asked), func(i int) {
			sim := newSimulation(s.in, s.mbps(asked[i])/s.base, 1, false)
			sim.run(s.loosest(asked[i]))
			results[i] = compliance(sim.late, sim.total)
		})
		for i, k := range asked {
			s.found[k] = results[i]
		}
		for i := range s.targets {
			s.targets[i].follow(s.found, s.most())
		}
	}
}

// asked returns the throughputs that are needed next, and likely ones after them as far as there are workers.
func (s *search) asked() []int {
	var list []int
	add := func(k int) {
		if _, known := s.found[k]; !known && !slices.Contains(list, k) && k <= s.most() {
			list = append(list, k)
		}
	}
	for _, t := range s.targets {
		if !t.done {
			add(t.k)
		}
	}
	for _, t := range s.targets {
		if likely := t.next(t.holds != noneYet); !t.done && len(list) < cap(s.workers) && t.fails < likely {
			add(likely)
		}
	}
	return list
}

// loosest returns the least target that still depends on the throughput.
func (s *search) loosest(k int) float64 {
	least := percent
	for _, t := range s.targets {
		if !t.done && t.fails < k && k < t.holds {
			least = min(least, t.percent)
		}
	}
	return least
}
