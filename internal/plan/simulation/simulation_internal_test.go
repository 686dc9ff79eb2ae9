package simulation

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/quantity"
)

// oneVM returns a VM whose data changes by 8.64e12 bits per day, or 100 Mbit/s, on a link of the given rate. RPOs of 60
// minutes are promised, and 30 minutes are configured.
func oneVM(mbps float64) Estate {
	return Estate{
		Links: []Link{steadyLink(mbps)},
		Tiers: []Tier{{
			Name:              "a",
			PromisedMinutes:   60,
			ConfiguredMinutes: 30,
			CompressionRatio:  1,
			VMs:               []VM{{SizeGiB: 8.64e12 / quantity.BitsPerGiB, DailyChangePercent: 100, Count: 1}},
		}},
	}
}

// limited limits single syncs to a rate that is never reached, so that the closed form does not apply.
func limited(e Estate) Estate {
	e.Tiers[0].PerSyncRate = 1e15
	return e
}

func run(t *testing.T, e Estate) Result {
	t.Helper()
	r, err := Run(t.Context(), e)
	require.NoError(t, err)
	return r
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for vms, runs := range map[int]int{1: 20, 50: 20, 51: 8, 500: 8, 501: 4, 4000: 4, 4001: 2, 100000: 2} {
		e := oneVM(100)
		e.Tiers[0].VMs[0].Count = vms
		assert.Equal(t, runs, e.Runs(), "%+v", vms)
	}
}

// TestRun_steadyState checks that each sync of a single VM sends the change of 30 minutes, which takes c * 30 minutes
// at 100 / c Mbit/s, and that the recovery point that it replaces is 30 + c * 30 minutes old.
func TestRun_steadyState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0.01, 0.99).Draw(t, "c")
		r, err := Run(context.Background(), limited(oneVM(100/c)))
		require.NoError(t, err)
		one := r.Tiers[0]
		assert.InDelta(t, 30*c, one.LongestSyncMinutes, 1e-6)
		assert.InDelta(t, 30+30*c, one.OldestMinutes, 1e-6)
		assert.False(t, one.Late)
		assert.InDelta(t, 100.0, one.WithinPercent, 0)
		assert.InDelta(t, 100*c, r.Links[0].UsePercent, 1)
	})
}

// TestRun_late checks that a VM whose syncs take 0.9 * 50 = 45 minutes, with 50 minutes configured, is late from minute
// 60 to minute 95 of its recovery points. Between two syncs, an age runs from 45 to 95 minutes, so it is within 60
// minutes for (60 - 45) / (95 - 45) = 30% of the time, apart from the interval in which the count begins.
func TestRun_late(t *testing.T) {
	t.Parallel()
	e := limited(oneVM(100 / 0.9))
	e.Tiers[0].ConfiguredMinutes = 50
	one := run(t, e).Tiers[0]
	assert.True(t, one.Late)
	assert.InDelta(t, 95, one.OldestMinutes, 1e-6)
	assert.InDelta(t, 30, one.WithinPercent, 0.1)
	require.Len(t, one.LateVMs, 1)
	assert.InDelta(t, 95, one.LateVMs[0].OldestMinutes, 1e-6)
}

// TestRun_overloaded checks that syncs that take twice as long as the interval whose change they send never catch up.
func TestRun_overloaded(t *testing.T) {
	t.Parallel()
	e := limited(oneVM(50))
	one := run(t, e).Tiers[0]
	assert.True(t, one.Late)
	assert.InDelta(t, 0, one.WithinPercent, 1e-9)
	first, err := FirstLate(t.Context(), false, []Requirement{NoLateSync}, e)
	require.NoError(t, err)
	assert.Equal(t, 0, first)
}

// TestFirstLate checks the requirements of two tiers on links of their own. The syncs of tier b take 0.4 * 50 = 20
// minutes, less than half the configured RPO of 50 minutes, and replace recovery points of 70 minutes.
func TestFirstLate(t *testing.T) {
	t.Parallel()
	e := limited(oneVM(1000))
	b := e.Tiers[0]
	b.Name = "b"
	b.Link = 1
	b.ConfiguredMinutes = 50
	e.Links, e.Tiers = append(e.Links, steadyLink(250)), append(e.Tiers, b)
	for _, test := range []struct {
		required Requirement
		late     int
	}{
		{NoLateSync, 1},
		{NoLateOrLongSync, None},
		{Anything, None},
	} {
		got, err := FirstLate(t.Context(), false, []Requirement{NoLateSync, test.required}, e)
		require.NoError(t, err)
		assert.Equal(t, test.late, got, "%+v", test.required)
	}
	e.Links[1] = steadyLink(100 / 0.6) // 30 minutes, more than half
	got, err := FirstLate(t.Context(), false, []Requirement{NoLateSync, NoLateOrLongSync}, e)
	require.NoError(t, err)
	assert.Equal(t, 1, got)
}

func TestRun_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := limited(oneVM(1000))
	_, err := Run(ctx, e)
	require.ErrorIs(t, err, context.Canceled)
	_, err = FirstLate(ctx, false, []Requirement{NoLateSync}, e)
	require.ErrorIs(t, err, context.Canceled)
}

// TestRun_waiting checks that a sync that waits for another one counts from the time at which it was due. Two VMs that
// start together send their change one after the other: 0.2 * 30 = 6 minutes, and then 0.2 * 36 = 7.2 minutes.
func TestRun_waiting(t *testing.T) {
	t.Parallel()
	e := oneVM(500)
	e.Tiers[0].VMs[0].Count, e.Links[0].MaxSyncs = 2, 1
	r, err := Together(t.Context(), e)
	require.NoError(t, err)
	assert.InDelta(t, 30+6+7.2, r[0].OldestMinutes, 1e-6)
}

// TestTogether checks ten VMs that start together. Each sends 0.05 * 30 = 1.5 minutes of change, so that all syncs end
// after 15 minutes. With 50 minutes configured, they end after 25 minutes and are late until then: 50 + 25 > 60.
func TestTogether(t *testing.T) {
	t.Parallel()
	e := oneVM(2000)
	e.Tiers[0].VMs[0].Count = 10
	for configured, want := range map[float64]Recovery{
		30: {OldestMinutes: 45, WithinAfterMinutes: new(0.0)},
		50: {OldestMinutes: 75, WithinAfterMinutes: nil},
	} {
		e.Tiers[0].ConfiguredMinutes = configured
		r, err := Together(t.Context(), e)
		require.NoError(t, err)
		assert.InDelta(t, want.OldestMinutes, r[0].OldestMinutes, 1e-6)
		assert.Equal(t, want.WithinAfterMinutes == nil, r[0].WithinAfterMinutes == nil)
	}
}

// TestOutage checks an outage of 120 minutes that begins in the third hour. A sync that was due when it began ends 120
// minutes later, plus the time to send the change of at least 30 and at most 150 minutes at a tenth of the link: 3 to
// 15 minutes. The recovery point that it replaces is 30 minutes older.
func TestOutage(t *testing.T) {
	t.Parallel()
	e := oneVM(1000)
	e.Links[0].OutageFrom, e.Links[0].OutageTo = 3*3600, 5*3600
	r, err := Outage(t.Context(), e)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, r[0].OldestMinutes, 150.0+3)
	assert.LessOrEqual(t, r[0].OldestMinutes, 150.0+15)
	require.NotNil(t, r[0].WithinAfterMinutes)
	assert.LessOrEqual(t, *r[0].WithinAfterMinutes, 15.0+3)
	assert.False(t, run(t, limited(e)).Tiers[0].Late, "outages do not count in other runs")
}

// TestInitialSync checks that an initial sync begins at once: 1,000 GiB without change at 40 Mbit/s take 1,000 * 2^33 /
// 40e6 / 60 = 3,579.1 minutes. With change, the deltas follow: 100 GiB at 100 Mbit/s take 143.2 minutes, and if a tenth
// of the rate changes, the next ones take 14.3 and 1.4 minutes; the first recovery point of at most 60 minutes of age
// is that of the first delta.
func TestInitialSync(t *testing.T) {
	t.Parallel()
	still := oneVM(40)
	still.JitterPercent = 10
	still.Tiers[0].PromisedMinutes, still.Tiers[0].ConfiguredMinutes = 1440, 1440
	still.Tiers[0].VMs = []VM{{SizeGiB: 1000}}
	got, err := InitialSync(t.Context(), still)
	require.NoError(t, err)
	assert.InDelta(t, 3579.1, *got[0], 0.05)

	changing := oneVM(100)
	seconds := 100 * quantity.BitsPerGiB / 100e6
	changing.Tiers[0].VMs = []VM{{SizeGiB: 100, DailyChangePercent: 0.1 * 100 * 86400 / seconds}}
	got, err = InitialSync(t.Context(), changing)
	require.NoError(t, err)
	assert.InDelta(t, seconds*1.1/60, *got[0], 1e-6)

	// 600 GiB at 1,000 Mbit/s. The delta of 86 minutes takes 5,154 s * 5% * 3 * 5,154 / 86,400 = 46 s. Afterwards, each
	// sync of 5 minutes takes 3 s: within the rule, although a recovery point is then 303 s old.
	least := oneVM(1000)
	least.Tiers[0].PromisedMinutes = 5
	least.Tiers[0].ConfiguredMinutes = 5
	least.Tiers[0].VMs = []VM{{SizeGiB: 600, DailyChangePercent: 15}}
	got, err = InitialSync(t.Context(), least)
	require.NoError(t, err)
	assert.InDelta(t, (5153.96+46.1)/60, *got[0], 0.01)

	never := oneVM(50)
	got, err = InitialSync(t.Context(), never)
	require.NoError(t, err)
	assert.Nil(t, got[0])
}

// TestClosed checks the closed form: 30 VMs that change by 1/30 of 100 Mbit/s each send 30 minutes of change in 0.5 *
// 30 minutes at 200 Mbit/s.
func TestClosed(t *testing.T) {
	t.Parallel()
	e := oneVM(200)
	e.Tiers[0].VMs[0] = VM{SizeGiB: 8.64e12 / quantity.BitsPerGiB / 30, DailyChangePercent: 100, Count: 30}
	r, holds := Closed(e)
	assert.True(t, holds)
	assert.InDelta(t, 15, r.Tiers[0].LongestSyncMinutes, 1e-9)
	assert.InDelta(t, 45, r.Tiers[0].OldestMinutes, 1e-9)
	for name, change := range map[string]func(*Estate){
		"two tiers":        func(e *Estate) { e.Tiers = append(e.Tiers, e.Tiers[0]) },
		"hourly":           func(e *Estate) { e.Links[0].HourlyRates[3] = 1 },
		"per sync":         func(e *Estate) { e.Tiers[0].PerSyncRate = 1 },
		"concurrent syncs": func(e *Estate) { e.Links[0].MaxSyncs = 1 },
	} {
		changed := oneVM(200)
		change(&changed)
		assert.False(t, changed.IsClosed(), name)
	}
	// Sources and targets of a single tier limit it like the link: 100 Mbit/s of uncompressed data at a ratio of 2, and
	// 200 Mbit/s that are written twice.
	changed := oneVM(200)
	changed.SourceReadRate, changed.Tiers[0].CompressionRatio = 100*mbit, 2
	assert.InDelta(t, 30, mustOnly(t, changed).longestSyncMinutes(), 1e-9)
	changed.SourceReadRate, changed.Tiers[0].CompressionRatio = 0, 1
	changed.Targets = []Target{{WriteRate: 200 * mbit, WriteFactor: 2}}
	changed.Tiers[0].Target = new(0)
	assert.InDelta(t, 30, mustOnly(t, changed).longestSyncMinutes(), 1e-9)
}

func mustOnly(t *testing.T, e Estate) onlyTier {
	t.Helper()
	of, ok := e.only()
	require.True(t, ok)
	return of
}

// TestClosed_bounds checks that the simulation never exceeds the closed form where that applies.
func TestClosed_bounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := oneVM(100)
		tier := &e.Tiers[0]
		tier.ConfiguredMinutes = rapid.SampledFrom([]float64{5, 15, 60, 240}).Draw(t, "configured")
		tier.PromisedMinutes = 2 * tier.ConfiguredMinutes
		tier.OverheadSeconds = rapid.Float64Range(0, 60).Draw(t, "overhead")
		tier.VMs = nil
		for range rapid.IntRange(1, 8).Draw(t, "VMs") {
			tier.VMs = append(tier.VMs, VM{SizeGiB: rapid.Float64Range(1, 100).Draw(t, "size"), DailyChangePercent: 10})
		}
		if rapid.Bool().Draw(t, "has a peak") {
			tier.PeakFactor, tier.PeakStartHour = rapid.Float64Range(1, 100).Draw(t, "peak"), 8
		}
		e.JitterPercent = rapid.Float64Range(0, 10).Draw(t, "jitter")
		use := rapid.Float64Range(0.05, 0.9).Draw(t, "use")
		left := tier.ConfiguredMinutes*60*use - tier.OverheadSeconds
		if left <= 0 {
			return
		}
		e.Links[0] = steadyLink(tier.BusiestBits(tier.ConfiguredMinutes) / left / mbit)
		closed, holds := Closed(e)
		require.True(t, holds)
		r, err := Run(context.Background(), limited(e))
		require.NoError(t, err)
		assert.LessOrEqual(t, r.Tiers[0].LongestSyncMinutes, closed.Tiers[0].LongestSyncMinutes*(1+1e-9))
		assert.LessOrEqual(t, r.Tiers[0].OldestMinutes, closed.Tiers[0].OldestMinutes*(1+1e-9))
	})
}

// TestBusiestBits checks the change of the busiest interval, in minutes of mean change: a peak of factor 6 lasts for
// 240 minutes, and 60 of the 1,440 minutes of a day with one hour of weight 7 and 23 of weight 1 have 7 / 30 of the
// change.
func TestBusiestBits(t *testing.T) {
	t.Parallel()
	weights := make([]float64, HoursPerDay)
	for h := range weights {
		weights[h] = 1
	}
	weights[22] = 7
	for name, test := range map[string]struct {
		change        func(*Tier)
		minutes, mean float64
	}{
		"even":               {func(*Tier) {}, 30, 30},
		"peak":               {func(t *Tier) { t.PeakFactor = 6 }, 30, 180},
		"long peak":          {func(t *Tier) { t.PeakFactor = 6 }, 300, 1440},
		"weights":            {func(t *Tier) { t.HourlyWeights = weights }, 60, 1440.0 * 7 / 30},
		"weights, 90 min":    {func(t *Tier) { t.HourlyWeights = weights }, 90, 1440.0 * 7.5 / 30},
		"weights, whole day": {func(t *Tier) { t.HourlyWeights = weights }, 1440, 1440},
	} {
		tier := oneVM(100).Tiers[0]
		test.change(&tier)
		assert.InEpsilon(t, 100*mbit*60*test.mean, tier.BusiestBits(test.minutes), 1e-9, name)
	}
}

// naive simulates one run in steps of half a second, without events, queues or virtual time, and returns the greatest
// age in minutes.
func naive(e Estate) float64 {
	s := newSimulation(e, 1, spread, warmUpDays+1)
	due, points := make([]float64, len(s.replicas)), make([]float64, len(s.replicas))
	for id, r := range s.replicas {
		due[id], points[id] = r.due, r.syncStart
	}
	const step = 0.5
	left := make(map[int]float64)
	oldest := 0.0
	for now := 0.0; now < s.end; now += step {
		for id := range s.replicas {
			r := &s.replicas[id]
			if _, busy := left[id]; busy || now < due[id] {
				continue
			}
			r.syncStart = now
			left[id] = s.changedBits(r, s.tiers[0].changeMinutes(now)-s.tiers[0].changeMinutes(points[id]))
		}
		share := s.segments[int(now/quantity.SecondsPerHour)].rates[0] * step / float64(max(len(left), 1))
		for id := range left {
			if left[id] -= share; left[id] > 0 {
				continue
			}
			delete(left, id)
			r := &s.replicas[id]
			took := now + step - due[id]
			if now >= s.countFrom {
				oldest = max(oldest, max(s.tiers[0].configured, r.lastDuration)+took)
			}
			r.lastDuration, points[id] = now+step-r.syncStart, r.syncStart
			due[id] = max(now+step, r.syncStart+s.tiers[0].configured)
		}
	}
	return oldest / 60
}

// TestSimulation_agreesWithNaive compares the greatest age with that of a simulation in small steps.
func TestSimulation_agreesWithNaive(t *testing.T) {
	t.Parallel()
	for seed := range 8 {
		e := oneVM(100)
		e.Tiers[0].VMs = nil
		for i := range 3 {
			e.Tiers[0].VMs = append(e.Tiers[0].VMs,
				VM{SizeGiB: float64(20 * (1 + (seed+i)%4)), DailyChangePercent: 100})
		}
		e.Tiers[0].PeakFactor = float64(1 + seed%3)
		e.Links[0] = steadyLink(e.Tiers[0].BusiestRate() / mbit / (0.4 + 0.1*float64(seed%4)))
		s := newSimulation(e, 1, spread, warmUpDays+1)
		s.run(t.Context(), warmUpDays+1)
		got := s.tiers[0].oldest / 60
		require.False(t, math.IsNaN(got))
		assert.InDelta(t, naive(e), got, 0.2, "%+v", seed)
	}
}
