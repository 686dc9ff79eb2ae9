package simulation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const mbit = 1e6

func steadyLink(mbps float64) Link {
	var l Link
	for h := range l.HourlyRates {
		l.HourlyRates[h] = mbps * mbit
	}
	return l
}

// sharing returns a simulation with the given number of transfers for each tier, and the resulting rate, in Mbit/s, of
// one transfer of each tier.
func sharing(e Estate, transfers ...int) (*simulation, []float64) {
	for i := range e.Tiers {
		t := &e.Tiers[i]
		t.PromisedMinutes, t.ConfiguredMinutes, t.CompressionRatio = 15, 15, max(1, t.CompressionRatio)
		t.VMs = []VM{{SizeGiB: 1, DailyChangePercent: 1, Count: 10}}
	}
	s := newSimulation(e, 1, spread, 1)
	for i, n := range transfers {
		for vm := range n {
			s.tiers[i].class.add(1, s.tiers[i].firstID+vm)
		}
	}
	s.assignRates(&s.segments[0])
	rates := make([]float64, len(e.Tiers))
	for i, ts := range s.tiers {
		rates[i] = ts.class.share / mbit
	}
	return s, rates
}

func TestAssignRates(t *testing.T) {
	t.Parallel()
	into := func(links ...float64) Estate {
		e := Estate{Targets: []Target{{WriteRate: 120 * mbit, WriteFactor: 1}}}
		for i, mbps := range links {
			e.Links = append(e.Links, steadyLink(mbps))
			e.Tiers = append(e.Tiers, Tier{Link: i, Target: new(0)})
		}
		return e
	}
	compressed := into(1000, 1000)
	compressed.Targets[0].WriteFactor, compressed.Tiers[0].CompressionRatio = 2, 2
	read := into(1000, 1000)
	read.SourceReadRate = 90 * mbit
	limited := Estate{
		Links: []Link{steadyLink(100)},
		Tiers: []Tier{
			{PerSyncRate: 10 * mbit},
			{PerSyncRate: 30 * mbit},
			{},
		},
	}
	for name, test := range map[string]struct {
		e         Estate
		transfers []int
		want      []float64
	}{
		// At 40 Mbit/s each, the 40 Mbit/s link is full. The rate of the other transfer rises until the target is full,
		// to 120 - 40 = 80 Mbit/s.
		"links of 40 and 100": {into(40, 100), []int{1, 1}, []float64{40, 80}},
		// At 60 Mbit/s each, the target is full.
		"links of 100 and 100": {into(100, 100), []int{1, 1}, []float64{60, 60}},
		// At 30 Mbit/s each, the 60 Mbit/s link is full. The rate of the third transfer rises until the target is full,
		// to 120 - 2 * 30 = 60 Mbit/s.
		"a link of 60 with two, and one of 100": {into(60, 100), []int{2, 1}, []float64{30, 60}},
		// At 40 Mbit/s each, the target is full: 3 * 40 = 120 Mbit/s. The link with two transfers carries only 80 of
		// its 100 Mbit/s.
		"a link of 100 with two, and one of 100": {into(100, 100), []int{2, 1}, []float64{40, 40}},
		// Each bit on the wire causes 4 bits of writes for the first tier (ratio 2 * factor 2) and 2 for the second
		// tier. At 20 Mbit/s each, the target writes 80 + 40 = 120 Mbit/s.
		"a ratio of 2, a write factor of 2": {compressed, []int{1, 1}, []float64{20, 20}},
		// At 45 Mbit/s each, the source is at its limit of 90 Mbit/s.
		"reads of 90": {read, []int{1, 1}, []float64{45, 45}},
		// Two transfers that are limited to 10 Mbit/s leave 80 of 100 Mbit/s for the other three. Each of these gets 80
		// / 3 = 26.67 Mbit/s, so none reaches the limit of 30 Mbit/s.
		"limits of a sync": {limited, []int{2, 1, 2}, []float64{10, 80.0 / 3, 80.0 / 3}},
		// Two transfers that are limited to 10 Mbit/s and one that is limited to 30 Mbit/s leave 50 of 100 Mbit/s for
		// the last transfer.
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

// TestAssignRates_fair checks that no capacity is exceeded, and that each transfer either is at its own limit or uses
// an exhausted capacity on which no other transfer is faster.
func TestAssignRates_fair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e Estate
		for range rapid.IntRange(1, 4).Draw(t, "links") {
			e.Links = append(e.Links, steadyLink(rapid.Float64Range(1, 1000).Draw(t, "rate")))
		}
		for range rapid.IntRange(0, 3).Draw(t, "targets") {
			e.Targets = append(e.Targets, Target{
				WriteRate:   mbit * rapid.Float64Range(1, 2000).Draw(t, "write"),
				WriteFactor: rapid.Float64Range(1, 3).Draw(t, "factor"),
			})
		}
		if rapid.Bool().Draw(t, "reads are limited") {
			e.SourceReadRate = mbit * rapid.Float64Range(1, 2000).Draw(t, "read")
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
				tier.PerSyncRate = mbit * rapid.Float64Range(1, 500).Draw(t, "limit")
			}
			e.Tiers = append(e.Tiers, tier)
			transfers = append(transfers, rapid.IntRange(0, 5).Draw(t, "transfers"))
		}
		s, _ := sharing(e, transfers...)
		used, most := make([]float64, len(s.capacities)), make([]float64, len(s.capacities))
		for _, c := range s.classes {
			for _, u := range c.uses {
				if c.users.count > 0 {
					used[u.capacity] += u.weight * c.share * float64(c.users.count)
					most[u.capacity] = max(most[u.capacity], c.share)
				}
			}
		}
		rate := func(i int) float64 {
			if i < len(e.Links) {
				return e.Links[i].HourlyRates[0]
			}
			return s.capacities[i].rate
		}
		for i, bits := range used {
			assert.LessOrEqual(t, bits, rate(i)*(1+1e-9))
		}
		for i, c := range s.classes {
			held := c.users.count == 0 || c.share >= c.userLimit*(1-1e-9)
			for _, u := range c.uses {
				full := used[u.capacity] >= rate(u.capacity)*(1-1e-9)
				held = held || full && c.share >= most[u.capacity]*(1-1e-9)
			}
			assert.True(t, held, "class %d gets %v, and nothing holds it", i, c.share)
		}
	})
}
