package replication

import (
	"maps"
	"math"
	"slices"
	"testing"

	"terraform-provider-vsla/internal/plan/quantity"
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
// whole runs, with any number of workers; one worker simulates nothing else.
func TestSearch_path(t *testing.T) {
	t.Parallel()
	in := sixtyVMs()
	for _, begin := range []func(workers) *search{
		func(w workers) *search { return newSearch(in, w, []int{1}, false) },
		func(w workers) *search {
			s := newSearch(in, w, in.lengths(), true)
			for i, origin := range []int{70, 80, 0} {
				s.targets[i].origin, s.targets[i].k = origin, origin
			}
			return s
		},
	} {
		asked := map[int]outcome{}
		reference := begin(newWorkers())
		var answers []int
		for _, wanted := range reference.targets {
			answers = append(answers, path(wanted.origin, func(k int) bool {
				if _, known := asked[k]; !known {
					sim := newSimulation(reference.at(reference.mbps(k)), slices.Max(reference.lengths), 1, false)
					reference.simulate(sim)
					asked[k] = sim.outcome()
				}
				return wanted.enough(asked[k].need)
			}))
		}
		if answers[0] < answers[1] || answers[1] <= answers[2] {
			t.Fatalf("answers at %v, want some that differ", answers)
		}
		for _, n := range []int{1, 2, 3, 16} {
			s := begin(make(workers, n))
			s.run()
			for i, k := range answers {
				if got := s.targets[i].holds; got != k {
					t.Errorf("%d workers, %v days: target %d holds at %d, want %d", n, s.lengths, i, got, k)
				}
			}
			if found, all := slices.Sorted(maps.Keys(s.found)), slices.Sorted(maps.Keys(asked)); n == 1 &&
				!slices.Equal(found, all) {
				t.Errorf("one worker simulates %v, want %v", found, all)
			}
		}
	}
}

// path returns where the documented path from an origin ends.
func path(origin int, holds func(k int) bool) int {
	fails, good := -1, origin
	if holds(origin) {
		for step := 1; good > 0; step *= 2 {
			k := max(0, origin-step)
			if !holds(k) {
				fails = k
				break
			}
			good = k
		}
	} else {
		fails = origin
		for step := 1; ; step *= 2 {
			if good = origin + step; holds(good) {
				break
			}
			fails = good
		}
	}
	for good-fails > 1 {
		if middle := (fails + good) / 2; holds(middle) {
			good = middle
		} else {
			fails = middle
		}
	}
	return good
}

// TestSearch_loosest: a simulation continues as long as it may still reach a target that depends on it; without one it
// ends at once.
func TestSearch_loosest(t *testing.T) {
	t.Parallel()
	s := newSearch(sixtyVMs(), newWorkers(), []int{1}, false)
	s.targets[0].fails, s.targets[0].holds = 8, 16
	s.targets[1].fails, s.targets[1].holds = 4, 10
	s.targets[2].done = true
	for k, want := range map[int]need{
		4: unreachable, 5: {percent: 99}, 9: {percent: 99}, 10: {percent: 99, clean: true}, 15: {percent: 99, clean: true},
		16: unreachable,
	} {
		if got := *s.loosest(k); got != want {
			t.Errorf("%d has to reach %v, want %v", k, got, want)
		}
	}
	sim := newSimulation(s.in, 1, 1, false)
	sim.need.Store(s.loosest(16))
	if sim.run(1); !sim.over || sim.now > quantity.SecondsPerHour {
		t.Errorf("it ends at %v s", sim.now)
	}
}

// TestSearch_early: a simulation that ended early decides the targets above what it reached, and no others. How far one
// has to go follows from how those before it have done so far; if they end otherwise, it is asked for again.
func TestSearch_early(t *testing.T) {
	t.Parallel()
	s := newSearch(sixtyVMs(), newWorkers(), []int{1}, false)
	for n, reached := range map[need]bool{{percent: 100}: false, {percent: 98}: true, {percent: 98, clean: true}: false} {
		s.found[0] = outcome{need: need{percent: 98.5}}
		if _, known := s.holds(0, n); known == reached {
			t.Errorf("ended early, target %v: known %v", n, known)
		}
		s.found[0] = outcome{need: need{percent: 98.5}, whole: true}
		if holds, known := s.holds(0, n); !known || holds != reached {
			t.Errorf("whole, target %v: %v, %v; want %v", n, holds, known, reached)
		}
	}

	// All targets ask for 1. As long as it has not shown anything, or fails 90 %, 2 may have to reach that.
	s.found = map[int]outcome{0: {need: need{percent: 50}, whole: true}}
	for i := range s.targets {
		s.follow(&s.targets[i])
	}
	s.running[1] = newSimulation(s.in, 1, 1, false)
	for soFar, want := range map[float64]float64{0: 90, 80: 90, 95: 99} {
		s.running[1].soFar.Store(math.Float64bits(soFar))
		if got := s.loosest(2); got.percent != want || got.clean {
			t.Errorf("with %v %% at 1 so far, 2 has to reach %v, want %v", soFar, got, want)
		}
	}
	// It ends below 90 % after all: 2, which ended below 99 %, has to be simulated again.
	delete(s.running, 1)
	s.found[1], s.found[2] = outcome{need: need{percent: 89}, whole: true}, outcome{need: need{percent: 98.9}}
	for i := range s.targets {
		s.follow(&s.targets[i])
	}
	if k := s.targets[2].k; k != 2 {
		t.Errorf("90 %% asks for %d, want 2", k)
	}
	if got := s.loosest(2); *got != (need{percent: 90}) {
		t.Errorf("2 has to reach %v, want 90", got)
	}
	s.running[4] = newSimulation(s.in, 1, 1, false) // what the other targets ask for
	if k, wanted := s.wanted(); !wanted || k != 2 {
		t.Errorf("%d is simulated next (%v), want 2", k, wanted)
	}
}
