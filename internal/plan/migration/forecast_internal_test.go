package migration

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/quantity"
)

// drawn generates running migrations and the end of a window. If plain is set, migrations have no setup time, fixed
// stop time, rate limit or dirty memory.
func drawn(t *rapid.T, plain bool) (simulation, float64) {
	draw := func(name string, high float64) float64 { return rapid.Float64Range(0, high).Draw(t, name) }
	in := PlanInput{
		SwitchoverGoalMs: 500,
		WindowHours:      new(float64(rapid.IntRange(1, 8).Draw(t, "hours"))),
		WindowStartHour:  new(0.0),
		ThroughputMbps:   new(1000 + draw("link", 1e4)),
	}
	c := in.clock()
	if rapid.Bool().Draw(t, "hourly") {
		c.linkRates = slices.Repeat(c.linkRates, hoursPerDay)
		for h := 1; h < hoursPerDay; h++ {
			c.linkRates[h] *= float64(rapid.IntRange(0, 2).Draw(t, "hour"))
		}
	}
	if !plain {
		in.SetupSeconds, in.ResumeSeconds = new(draw("setup", 600)), draw("fixed", 1)
		if rapid.Bool().Draw(t, "limited") {
			in.PerMigrationMbps = new(100 + draw("limit", 1e4))
		}
	}
	s := simulation{clock: c, limits: in.pathLimits()}
	for range rapid.IntRange(1, 20).Draw(t, "VMs") {
		v := VM{DiskGiB: 1 + draw("disk", 1000), MemoryGiB: draw("memory", 64), Method: MethodVMotion}
		if !plain {
			v.MemoryDirtyMbps = new(draw("dirty", 2000))
			v.Method = rapid.SampledFrom([]string{MethodVMotion, MethodCold, MethodReplication}).Draw(t, "method")
		}
		m := in.newMigration("", v, s.limits)
		m.computeAt(m.limitedRate(s.peakRate()), m.dirtyRate)
		s.running = append(s.running, runner{migration: m, left: m.setup})
	}
	return s, c.length
}

func TestForecast(t *testing.T) {
	t.Parallel()
	answers := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, end := drawn(t, rapid.Bool().Draw(t, "plain"))
		var said []bool
		for ; !s.hasEnded() && s.now < end; s.step(s.nextChange(s.now)) {
			if ends, certain := s.forecast(s.loadOf(s.running, end), end); certain {
				said = append(said, ends)
				answers[ends]++
			}
		}
		ended := s.now <= end*(1+tolerance) && s.hasEnded()
		assert.False(t, slices.Contains(said, !ended), "ended is %v, certain were %v", ended, said)
	})
	require.NotEqual(t, 0, answers[true])
	assert.NotEqual(t, 0, answers[false])
}

func TestForecast_linkLimited(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, end := drawn(t, true)
		bits := 0.0
		for _, r := range s.running {
			bits += r.disk + r.memory
		}
		carried := 0.0
		for h := range int(end / quantity.SecondsPerHour) {
			carried += s.linkRates[h%len(s.linkRates)] * quantity.SecondsPerHour
		}
		ends, certain := s.forecast(s.loadOf(s.running, end), end)
		if math.Abs(bits-carried) > 1e-6*carried {
			assert.True(t, certain, "%v bits of %v: %v, certain %v", bits, carried, ends, certain)
			assert.Equal(t, bits < carried, ends, "%v bits of %v", bits, carried)
		}
	})
}

// TestForecast_shared checks migrations that do not end within an hour. In that time, a 1 Gbit/s link sends 3.6 * 10^12
// bit. A cold migration of 2.4 * 10^12 bit takes 4,800 s if it shares the link with a replicated VM. Two VMs with 1.2 *
// 10^12 bit of memory and a dirty rate of 0.2 Gbit/s would each send 1.5 * 10^12 bit at the full rate. Because they
// share the link, each sends 2 * 10^12 bit at half the rate, which takes 4,000 s.
func TestForecast_shared(t *testing.T) {
	t.Parallel()
	memory := VM{Method: MethodVMotion, MemoryGiB: 1.2e12 / quantity.BitsPerGiB, MemoryDirtyMbps: new(200.0)}
	for name, vms := range map[string][]VM{
		"replicated": {
			{Method: MethodCold, DiskGiB: 2.4e12 / quantity.BitsPerGiB},
			{Method: MethodReplication, DiskGiB: 36e12 / quantity.BitsPerGiB},
		},
		"dirtied": {memory, memory},
	} {
		in := PlanInput{SwitchoverGoalMs: 500, WindowHours: new(1.0), ThroughputMbps: new(1000.0)}
		s := simulation{clock: in.clock(), limits: in.pathLimits()}
		for _, v := range vms {
			m := in.newMigration("", v, s.limits)
			m.computeAt(1e9, m.dirtyRate)
			s.running = append(s.running, runner{migration: m})
		}
		ends, certain := s.forecast(s.loadOf(s.running, 3600), 3600)
		if ends {
			assert.False(t, certain, "%s: certain to end", name)
		}
		assert.False(t, s.endsBy(3600), "%s: ends", name)
	}
}
