// The outlook against the simulation.

package migration

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn is what runs at the start of a window, and when the window ends. Plain migrations send their bits and nothing
// else: they have no setup, no stop and no limit of their own, and dirty nothing.
func drawn(t *rapid.T, plain bool) (simulation, float64) {
	draw := func(name string, high float64) float64 { return rapid.Float64Range(0, high).Draw(t, name) }
	c := clock{link: []float64{1e9 + draw("link", 1e10)}, window: 3600 * float64(rapid.IntRange(1, 8).Draw(t, "hours"))}
	c.period = hoursPerDay * secondsPerHour
	if rapid.Bool().Draw(t, "hourly") {
		c.link = slices.Repeat(c.link, hoursPerDay)
		for h := 1; h < hoursPerDay; h++ {
			c.link[h] *= float64(rapid.IntRange(0, 2).Draw(t, "hour"))
		}
	}
	s, end, setup := simulation{clock: c, cap: math.Inf(1)}, stop{goal: 0.5}, 0.0
	if !plain {
		setup, end.fixed = draw("setup", 600), draw("fixed", 1)
		if rapid.Bool().Draw(t, "limited") {
			s.cap = 1e8 + draw("limit", 1e10)
		}
	}
	for range rapid.IntRange(1, 20).Draw(t, "VMs") {
		v := VM{DiskGiB: 1 + draw("disk", 1000), MemoryGiB: draw("memory", 64), Method: MethodVMotion}
		if !plain {
			v.MemoryDirtyMbps = draw("dirty", 2000)
			v.Method = rapid.SampledFrom([]string{MethodVMotion, MethodCold, MethodReplication}).Draw(t, "method")
		}
		m := newMigration("", v, setup, end)
		m.bits, m.alone = m.atRate(min(s.peak(), s.cap))
		s.running = append(s.running, runner{migration: m, left: m.setup})
	}
	return s, c.window
}

// TestOutlook: what is certain is what the simulation finds, at each of its steps.
func TestOutlook(t *testing.T) {
	t.Parallel()
	answers := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, end := drawn(t, rapid.Bool().Draw(t, "plain"))
		var said []bool
		runs := func(r runner) bool { return r.phase != arrived && r.needsWindow() }
		for s.settle(); s.now < end && slices.ContainsFunc(s.running, runs); s.settle() {
			if ends, certain := s.outlook(s.load(s.running, end), end); certain {
				said = append(said, ends)
				answers[ends]++
			}
			s.running = slices.DeleteFunc(s.running, func(r runner) bool { return r.phase == arrived })
			s.step(s.next(s.now))
		}
		ended := s.now <= end*(1+tolerance) && !slices.ContainsFunc(s.running, runs)
		if slices.Contains(said, !ended) {
			t.Errorf("ended is %v, certain were %v", ended, said)
		}
	})
	if answers[true] == 0 || answers[false] == 0 {
		t.Errorf("certain were %v", answers)
	}
}

// TestOutlook_plain: when the link alone decides, no simulation is needed, unless the window is just filled.
func TestOutlook_plain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, end := drawn(t, true)
		bits := 0.0
		for _, r := range s.running {
			bits += r.disk + r.memory
		}
		carried := 0.0
		for h := range int(end / secondsPerHour) {
			carried += s.link[h%len(s.link)] * secondsPerHour
		}
		ends, certain := s.outlook(s.load(s.running, end), end)
		if math.Abs(bits-carried) > 1e-6*carried && (!certain || ends != (bits < carried)) {
			t.Errorf("%v bits of %v: %v, certain %v", bits, carried, ends, certain)
		}
	})
}
