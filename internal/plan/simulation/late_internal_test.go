package simulation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/quantity"
)

// TestParts checks that links of 100 and 200 Mbit/s are simulated apart unless they can exhaust a target or a source
// that they share. Each received byte is written twice, so that they can write 600 Mbit/s.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Estate)
		parts  [][]int
	}{
		"links of their own":     {func(*Estate) {}, [][]int{{0, 2}, {1}}},
		"a target of 599 Mbit/s": {func(e *Estate) { e.Targets[0].WriteRate = 599 * mbit }, [][]int{{0, 1, 2}}},
		"a target of 601 Mbit/s": {func(e *Estate) { e.Targets[0].WriteRate = 601 * mbit }, [][]int{{0, 2}, {1}}},
		"a source of 299 Mbit/s": {func(e *Estate) { e.SourceReadRate = 299 * mbit }, [][]int{{0, 1, 2}}},
		"a source of 301 Mbit/s": {func(e *Estate) { e.SourceReadRate = 301 * mbit }, [][]int{{0, 2}, {1}}},
	} {
		e := Estate{Links: []Link{steadyLink(100), steadyLink(200)}, Targets: []Target{{WriteFactor: 2}}}
		for _, link := range []int{0, 1, 0} {
			e.Tiers = append(e.Tiers, Tier{Link: link, Target: new(0), CompressionRatio: 1})
		}
		test.change(&e)
		var got [][]int
		for _, p := range e.parts() {
			got = append(got, p.tiers)
		}
		assert.Equal(t, test.parts, got, name)
	}
}

// TestFirstLate_ends checks that two ends are judged like each of them alone, although one that is no worse than one
// that holds is not simulated.
func TestFirstLate_ends(t *testing.T) {
	t.Parallel()
	skipped := 0
	rapid.Check(t, func(t *rapid.T) {
		likely := Estate{Links: []Link{steadyLink(100)}, JitterPercent: 10}
		peak := rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "peak")
		busiest := 0.0
		for _, name := range []string{"a", "b", "c"}[:rapid.IntRange(2, 3).Draw(t, "tiers")] {
			tier := Tier{
				Name:             name,
				PromisedMinutes:  rapid.SampledFrom([]float64{30, 60, 240}).Draw(t, "promised"),
				CompressionRatio: 1,
				PeakFactor:       peak,
				PeakStartHour:    8,
			}
			tier.ConfiguredMinutes = tier.PromisedMinutes / rapid.SampledFrom([]float64{2, 3}).Draw(t, "part")
			for range rapid.IntRange(1, 3).Draw(t, "VMs") {
				tier.VMs = append(
					tier.VMs,
					VM{SizeGiB: rapid.Float64Range(1, 100).Draw(t, "size"), DailyChangePercent: 10},
				)
			}
			busiest += tier.BusiestRate()
			likely.Tiers = append(likely.Tiers, tier)
		}
		worse := likely.Scaled(rapid.Float64Range(1, 1.5).Draw(t, "factor"))
		worse.Links = []Link{steadyLink(busiest / rapid.Float64Range(0.2, 0.9).Draw(t, "use") / mbit)}
		likely.Links = []Link{
			steadyLink(worse.Links[0].maxRate() / mbit * rapid.Float64Range(1, 1.2).Draw(t, "faster")),
		}
		required := make([]Requirement, len(likely.Tiers))
		for i := range required {
			required[i] = NoLateSync
		}
		first := func(ends ...Estate) int {
			late, err := FirstLate(context.Background(), true, required, ends...)
			require.NoError(t, err)
			return late
		}
		want := first(worse)
		if want == None {
			want = first(likely)
		}
		assert.Equal(t, want, first(worse, likely))
		if late, punctual := worse.firstLate(t.Context(), true, required, nil); late == None &&
			len(punctual) > 0 && likely.parts()[0].isNoWorse(punctual[0]) {
			skipped++
		}
	})
	assert.NotZero(t, skipped)
}

// TestLink_isOverloaded checks that a VM is late, with a sync longer than half its configured RPO, if a link sends the
// change of a peak later than one and a half times the longest promise after the peak.
func TestLink_isOverloaded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		peak := rapid.SampledFrom([]float64{3, 6, 24}).Draw(t, "peak")
		e := Estate{JitterPercent: 10}
		bits, longest := 0.0, 0.0
		for _, name := range []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "tiers")] {
			tier := Tier{
				Name:             name,
				PromisedMinutes:  rapid.SampledFrom([]float64{15, 60}).Draw(t, "promised"),
				CompressionRatio: 1,
				PeakFactor:       peak,
				PeakStartHour:    8,
			}
			tier.ConfiguredMinutes = tier.PromisedMinutes / rapid.SampledFrom([]float64{1, 3}).Draw(t, "part")
			for range rapid.IntRange(1, 3).Draw(t, "VMs") {
				tier.VMs = append(
					tier.VMs,
					VM{SizeGiB: rapid.Float64Range(1, 100).Draw(t, "size"), DailyChangePercent: 10},
				)
			}
			bits += tier.MeanBits() * quantity.SecondsPerDay
			longest = max(longest, tier.PromisedMinutes)
			e.Tiers = append(e.Tiers, tier)
		}
		enough := bits / (quantity.SecondsPerDay/peak + 1.5*longest*quantity.SecondsPerMinute) / mbit
		assert.False(t, steadyLink(enough*(1+1e-6)).isOverloaded(e.Tiers))
		e.Links = []Link{steadyLink(enough / rapid.Float64Range(1+1e-6, 1.2).Draw(t, "slower"))}
		assert.True(t, e.Links[0].isOverloaded(e.Tiers))
		r, err := Run(context.Background(), e)
		require.NoError(t, err)
		failing := 0
		for i, of := range r.Tiers {
			if of.Late && of.LongestSyncMinutes > e.Tiers[i].ConfiguredMinutes/2 {
				failing++
			}
		}
		assert.NotZero(t, failing, "%+v", r.Tiers)
	})
}
