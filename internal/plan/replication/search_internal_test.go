package replication

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// sixtyVMs are 60 VMs like oneVM with a hundredth of its change: they need more than the mean.
func sixtyVMs() ScheduleInput {
	in := oneVM()
	g := in.Groups["a"]
	g.VMCount, g.DailyChangePercent, g.RPOMinutes = 60, 1, 30
	in.Groups["a"] = g
	return in
}

// TestSearch_path: the answers are at the end of the documented path, followed here for one target after the other by
// whole runs, with any number of workers; one worker simulates nothing beside it.
func TestSearch_path(t *testing.T) {
	t.Parallel()
	in := sixtyVMs()
	asked := map[int]float64{}
	reference := newSearch(in, newWorkers())
	var answers []int
	for _, wanted := range reference.targets {
		holds := func(k int) bool {
			if _, known := asked[k]; !known {
				sim := newSimulation(in, reference.mbps(k)/reference.base, 1, false)
				sim.run()
				asked[k] = compliance(sim.late, sim.total)
			}
			return asked[k] >= wanted.percent
		}
		fails, k := -1, 0
		for !holds(k) {
			fails, k = k, max(1, 2*k)
		}
		for k-fails > 1 {
			if middle := (fails + k) / 2; holds(middle) {
				k = middle
			} else {
				fails = middle
			}
		}
		answers = append(answers, k)
	}
	if answers[0] <= answers[1] || answers[1] <= answers[2] {
		t.Fatalf("answers at %v, want three that differ", answers)
	}
	path := slices.Sorted(maps.Keys(asked))
	for _, n := range []int{1, 2, 3, 16} {
		s := newSearch(in, make(workers, n))
		s.run()
		for i, k := range answers {
			if got := s.targets[i].holds; got != k {
				t.Errorf("%d workers: target %d holds at %d, want %d", n, i, got, k)
			}
		}
		if found := slices.Sorted(maps.Keys(s.found)); n == 1 && !slices.Equal(found, path) {
			t.Errorf("one worker simulates %v, want %v", found, path)
		}
	}
}

// TestSearch_loosest: a simulation continues as long as it may still reach a target that depends on it; without one it
// ends at once.
func TestSearch_loosest(t *testing.T) {
	t.Parallel()
	s := newSearch(sixtyVMs(), newWorkers())
	s.targets[0].fails, s.targets[0].holds = 8, 16
	s.targets[1].fails, s.targets[1].holds = 4, 10
	s.targets[2].done = true
	for k, want := range map[int]float64{4: math.Inf(1), 5: 99, 9: 99, 10: 100, 15: 100, 16: math.Inf(1)} {
		if got := s.loosest(k); got != want {
			t.Errorf("%d has to reach %v, want %v", k, got, want)
		}
	}
	sim := newSimulation(s.in, 1, 1, false)
	sim.endBelow(s.loosest(16))
	if sim.run(); sim.at != 0 || sim.now > secondsPerHour {
		t.Errorf("it ends at %v s", sim.now)
	}
}

// TestSearch_early: a simulation that ended early decides the targets above what it reached, and no others. How far one
// has to go follows from how those before it have done so far; if they end otherwise, it is asked for again.
func TestSearch_early(t *testing.T) {
	t.Parallel()
	s := newSearch(sixtyVMs(), newWorkers())
	for percent, reached := range map[float64]bool{100: false, 98: true} {
		s.found[0] = outcome{percent: 98.5}
		if _, known := s.holds(0, percent); known == reached {
			t.Errorf("ended early, target %v: known %v", percent, known)
		}
		s.found[0] = outcome{percent: 98.5, whole: true}
		if holds, known := s.holds(0, percent); !known || holds != reached {
			t.Errorf("whole, target %v: %v, %v; want %v", percent, holds, known, reached)
		}
	}

	// All targets ask for 1. As long as it has not shown anything, or fails 90 %, 2 may have to reach that.
	s.found = map[int]outcome{0: {percent: 50, whole: true}}
	for i := range s.targets {
		s.follow(&s.targets[i])
	}
	s.running[1] = newSimulation(s.in, 1, 1, false)
	for soFar, want := range map[float64]float64{0: 90, 80: 90, 95: 99, 99.5: 100} {
		s.running[1].soFar.Store(math.Float64bits(soFar))
		if got := s.loosest(2); got != want {
			t.Errorf("with %v %% at 1 so far, 2 has to reach %v, want %v", soFar, got, want)
		}
	}
	// It ends below 90 % after all: 2, which ended below 99 %, has to be simulated again.
	delete(s.running, 1)
	s.found[1], s.found[2] = outcome{percent: 89, whole: true}, outcome{percent: 98.9}
	for i := range s.targets {
		s.follow(&s.targets[i])
	}
	if k := s.targets[2].k; k != 2 {
		t.Errorf("90 %% asks for %d, want 2", k)
	}
	if got := s.loosest(2); got != 90 {
		t.Errorf("2 has to reach %v, want 90", got)
	}
	s.running[4] = newSimulation(s.in, 1, 1, false) // what the other targets ask for
	if k, wanted := s.wanted(); !wanted || k != 2 {
		t.Errorf("%d is simulated next (%v), want 2", k, wanted)
	}
}
