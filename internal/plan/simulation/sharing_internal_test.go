package simulation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const mbit = 1e6

// steadyLink returns a link with the same rate in all hours, in Mbit/s.
func steadyLink(mbps float64) Link {
	var l Link
	for h := range l.Hourly {
		l.Hourly[h] = mbps * mbit
	}
	return l
}

// sharing returns a simulation with a number of transfers for each tier, and their rates in Mbit/s.
func sharing(e Estate, transfers ...int) (*simulation, []float64) {
	for i := range e.Tiers {
		t := &e.Tiers[i]
		t.RPOMinutes, t.CompressionRatio = 15, max(1, t.CompressionRatio)
		t.VMs = []VM{{SizeGiB: 1, DailyChangePercent: 1, Count: 10}}
	}
	s := newSimulation(e, 1, 1, true)
	for i, n := range transfers {
		for vm := range n {
			s.flows[i].class.add(1, s.flows[i].first+vm)
		}
	}
	s.divide(&s.segments[0])
	rates := make([]float64, len(e.Tiers))
	for i, f := range s.flows {
		rates[i] = f.class.share / mbit
	}
	return s, rates
}

// TestDivide checks the limiting capacities by hand.
func TestDivide(t *testing.T) {
	t.Parallel()
	into := func(links ...float64) Estate {
		e := Estate{Targets: []Target{{Write: 120 * mbit, WriteFactor: 1}}}
		for i, mbps := range links {
			e.Links = append(e.Links, steadyLink(mbps))
			e.Tiers = append(e.Tiers, Tier{Link: i, Target: new(0)})
		}
		return e
	}
	compressed := into(1000, 1000)
	compressed.Targets[0].WriteFactor, compressed.Tiers[0].CompressionRatio = 2, 2
	read := into(1000, 1000)
	read.SourceRead = 90 * mbit
	limited := Estate{
		Links: []Link{steadyLink(100)},
		Tiers: []Tier{{PerSync: 10 * mbit}, {PerSync: 30 * mbit}, {}},
	}
	for name, test := range map[string]struct {
		e         Estate
		transfers []int
		want      []float64
	}{
		// At 40 each the link of 40 is full; the other one rises until the target is: 120 - 40 = 80.
		"links of 40 and 100": {into(40, 100), []int{1, 1}, []float64{40, 80}},
		// At 60 each the target is full.
		"links of 100 and 100": {into(100, 100), []int{1, 1}, []float64{60, 60}},
		// At 30 each the link of 60 is full; the third one rises until the target is: 120 - 2 * 30 = 60.
		"a link of 60 with two, and one of 100": {into(60, 100), []int{2, 1}, []float64{30, 60}},
		// At 40 each the target is full: 3 * 40 = 120. The link of 100 has 80.
		"a link of 100 with two, and one of 100": {into(100, 100), []int{2, 1}, []float64{40, 40}},
		// 1 bit on the wire of the first is 2 of data and 4 of writes, of the second 2: at 20 each 80 + 40 = 120.
		"a ratio of 2, a write factor of 2": {compressed, []int{1, 1}, []float64{20, 20}},
		// At 45 each the source is full.
		"reads of 90": {read, []int{1, 1}, []float64{45, 45}},
		// Two at 10 each, two at 25 of the remaining 80: the first of them may use 30, but the link is full before.
		"limits of a sync": {limited, []int{2, 1, 2}, []float64{10, 80.0 / 3, 80.0 / 3}},
		// Two at 10, one at 30: 50 are left for the last.
		"limits of a sync that fill": {limited, []int{2, 1, 1}, []float64{10, 30, 50}},
	} {
		_, got := sharing(test.e, test.transfers...)
		for i, want := range test.want {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("%s: the rates are %v, want %v", name, got, test.want)
				break
			}
		}
	}
}

// TestDivide_fair checks that no capacity is exceeded, and that each transfer is limited by its own limit or by a
// full capacity in which no transfer is faster.
func TestDivide_fair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e Estate
		for range rapid.IntRange(1, 4).Draw(t, "links") {
			e.Links = append(e.Links, steadyLink(rapid.Float64Range(1, 1000).Draw(t, "rate")))
		}
		for range rapid.IntRange(0, 3).Draw(t, "targets") {
			e.Targets = append(e.Targets, Target{
				Write: mbit * rapid.Float64Range(1, 2000).Draw(t, "write"), WriteFactor: rapid.Float64Range(1, 3).Draw(t, "factor"),
			})
		}
		if rapid.Bool().Draw(t, "reads are limited") {
			e.SourceRead = mbit * rapid.Float64Range(1, 2000).Draw(t, "read")
		}
		var transfers []int
		for range rapid.IntRange(1, 6).Draw(t, "tiers") {
			tier := Tier{
				Link:             rapid.IntRange(0, len(e.Links)-1).Draw(t, "link"),
				CompressionRatio: rapid.Float64Range(1, 3).Draw(t, "ratio"),
			}
			if len(e.Targets) > 0 && rapid.Bool().Draw(t, "has a target") {
				tier.Target = new(rapid.IntRange(0, len(e.Targets)-1).Draw(t, "target"))
			}
			if rapid.Bool().Draw(t, "is limited") {
				tier.PerSync = mbit * rapid.Float64Range(1, 500).Draw(t, "limit")
			}
			e.Tiers = append(e.Tiers, tier)
			transfers = append(transfers, rapid.IntRange(0, 5).Draw(t, "transfers"))
		}
		s, _ := sharing(e, transfers...)
		used, most := make([]float64, len(s.capacities)), make([]float64, len(s.capacities))
		for _, c := range s.classes {
			for _, u := range c.uses {
				if c.users.n > 0 {
					used[u.capacity] += u.weight * c.share * float64(c.users.n)
					most[u.capacity] = max(most[u.capacity], c.share)
				}
			}
		}
		rate := func(i int) float64 {
			if i < len(e.Links) {
				return e.Links[i].Hourly[0]
			}
			return s.capacities[i].rate
		}
		for i, bits := range used {
			assert.LessOrEqual(t, bits, rate(i)*(1+1e-9))
		}
		for i, c := range s.classes {
			held := c.users.n == 0 || c.share >= c.most*(1-1e-9)
			for _, u := range c.uses {
				full := used[u.capacity] >= rate(u.capacity)*(1-1e-9)
				held = held || full && c.share >= most[u.capacity]*(1-1e-9)
			}
			assert.True(t, held, "class %d gets %v, and nothing holds it", i, c.share)
		}
	})
}
