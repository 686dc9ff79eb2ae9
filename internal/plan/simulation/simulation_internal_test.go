package simulation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/quantity"
)

// oneVM returns a VM with an RPO of 15 minutes and a daily change of 8.64e12 bits, or 100 Mbit/s. Its link has the same
// rate, so sending the changes of an interval takes as long as the interval (c = 1).
func oneVM() Estate {
	return Estate{Links: []Link{steadyLink(100)}, Tiers: []Tier{{
		Name: "a", RPOMinutes: 15, CompressionRatio: 1,
		VMs: []VM{{SizeGiB: 8.64e12 / quantity.BitsPerGiB, DailyChangePercent: 100, Count: 1}},
	}}}
}

// TestLengths checks run lengths near the limits on the number of syncs:
//
//   - 60 VMs with an RPO of 15 minutes have 60 * 96 * 31 = 178,560 syncs in 31 days. This is below 500,000, so a run
//     lasts 31 days. 2.5 million / 178,560 = 14.0, so there are 14 runs.
//   - 400 VMs have 400 * 96 * 8 = 307,200 syncs in 8 days, so a run lasts 8 days. 2.5 million / 307,200 = 8.1, so there
//     are 8 runs.
//   - 1,000 VMs have 768,000 syncs in 8 days. This exceeds 500,000, so a run lasts until its halves agree. There are 3
//     runs.
//   - 4,000 VMs with an RPO of 5 minutes have 9.216 million syncs in 8 days, which is below 10 million. 8,000 VMs have
//     the same number in 4 days.
//   - One VM with an RPO of one day has so few syncs that there are 20 runs, the maximum.
func TestLengths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		vms     int
		rpo     float64
		lengths []int
		runs    int
	}{
		{60, 15, []int{31}, 14},
		{400, 15, []int{8}, 8},
		{1000, 15, []int{8, 16, 31}, 3},
		{4000, 5, []int{8}, 1},
		{8000, 5, []int{4}, 1},
		{16000, 5, []int{2}, 1},
		{1, 1440, []int{31}, 20},
	} {
		e := oneVM()
		e.Tiers[0].VMs[0].Count, e.Tiers[0].RPOMinutes, e.JitterPercent = test.vms, test.rpo, 10
		got := e.Lengths(Options{})
		runs := e.runs(Options{}, got[0])
		require.Equal(t, test.lengths, got)
		assert.Equal(t, test.runs, runs)
		e.JitterPercent = 0
		assert.Equal(t, 1, e.runs(Options{}, got[0]), test.vms)
	}
}

// TestSimulation_steadyState checks that syncs of a single VM with c < 1 start every RPO / (1 + 1.2 c), take c times
// that interval, and always meet the RPO.
func TestSimulation_steadyState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0.001, 0.9).Draw(t, "c")
		in := oneVM()
		in.Links[0] = steadyLink(100 / c)
		s := newSimulation(in, 1, 1, true)
		s.run(t.Context(), 1)
		r := s.result()
		interval := 900 / (1 + PredictionFactor*c)
		require.EqualValues(t, 0, r.Violations)
		assert.Equal(t, 100.0, r.CompliancePercent)
		assert.InDelta(t, 86400/interval, float64(len(s.tiers[0].durations)), 2)
		assert.InDelta(t, c*interval, *r.P95SyncSeconds, 1e-3)
		// The maximum age of a recovery point is the interval plus the duration of a sync.
		assert.InDelta(t, interval*(1+c)/60, r.WorstRecoveryPointMinutes, 1e-3)
		want := c * 100
		assert.InDelta(t, want, r.Links[0].UsePercent, 2, "link use %v %%, want %v", r.Links[0].UsePercent, want)
	})
}

// naive simulates in steps of half a second, without events, queues or virtual time.
func naive(in Estate) (late, sent float64) {
	s := newSimulation(in, 1, 1, false)
	due := make([]float64, len(s.replicas))
	for s.due.count > 0 {
		e := s.due.first
		s.due.removeFirst()
		due[e.id] = e.key
	}
	const step = 0.5
	left := make(map[int]float64)
	since := make([]float64, len(s.replicas))
	for now := 0.0; now < s.end; now += step {
		for id := range s.replicas {
			r := &s.replicas[id]
			if _, busy := left[id]; busy || now < due[id] || len(left) >= s.links[0].limit {
				continue
			}
			r.syncStart = now
			r.syncBits = r.vmGroup().changedBits(r.tier.changeMinutes(now) - r.tier.changeMinutes(r.recoveryPoint))
			left[id] = r.syncBits
		}
		share := s.segments[int(now/quantity.SecondsPerHour)].rates[0] * step / float64(max(len(left), 1))
		for id := range left {
			left[id] -= share
			if left[id] > 0 {
				continue
			}
			delete(left, id)
			r := &s.replicas[id]
			sent += r.syncBits
			r.recoveryPoint = r.syncStart
			r.addDuration(now + step - r.syncStart)
			due[id] = max(now+step, r.recoveryPoint+r.tier.rpo-r.predictedDuration())
		}
		for id := range s.replicas {
			if r := &s.replicas[id]; now+step-r.recoveryPoint > r.tier.rpo {
				since[id] += step
			} else {
				if since[id] > 1 {
					late += since[id]
				}
				since[id] = 0
			}
		}
	}
	for _, open := range since {
		if open > 1 {
			late += open
		}
	}
	return late, sent
}

// TestSimulation_syncsLongerThanTheRPO checks a VM that is late for hours because the link is very slow until 8:00. It
// has at most three violations, and its lateness never exceeds the elapsed time.
func TestSimulation_syncsLongerThanTheRPO(t *testing.T) {
	t.Parallel()
	in := oneVM()
	in.Tiers[0].RPOMinutes = 60
	for h := range in.Links[0].HourlyRates {
		if in.Links[0].HourlyRates[h] = 1 * mbit; h >= 8 {
			in.Links[0].HourlyRates[h] = 100 * mbit / 0.75
		}
	}
	s := newSimulation(in, 1, 1, true)
	s.run(t.Context(), 1)
	ts := s.tiers[0]
	late := ts.days[0].late
	require.LessOrEqual(t, late, s.end)
	assert.GreaterOrEqual(t, late, 7.0*quantity.SecondsPerHour)
	s.closeViolations()
	total := 0.0
	for h, late := range s.links[0].late {
		total += late
		assert.LessOrEqual(t, late, float64(quantity.SecondsPerHour), h)
	}
	assert.InDelta(t, ts.days[0].late, total, 1e-6)
	assert.True(t, ts.violations <= 3, "%d violations", ts.violations)
}

func TestSimulation_agreesWithNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := Estate{Links: []Link{steadyLink(rapid.Float64Range(20, 400).Draw(t, "throughput"))}}
		for _, name := range []string{"a", "b"} {
			tier := Tier{Name: name, CompressionRatio: 1, RPOMinutes: float64(rapid.IntRange(15, 240).Draw(t, name+" RPO"))}
			for range rapid.IntRange(1, 4).Draw(t, name+" VMs") {
				tier.VMs = append(tier.VMs, VM{
					SizeGiB:            rapid.Float64Range(1, 200).Draw(t, name+" size"),
					DailyChangePercent: rapid.Float64Range(0, 50).Draw(t, name+" change"),
				})
			}
			if rapid.Bool().Draw(t, name+" has weights") {
				tier.HourlyWeights = make([]float64, HoursPerDay)
				for h := range tier.HourlyWeights {
					tier.HourlyWeights[h] = float64(rapid.IntRange(1, 5).Draw(t, name+" weight"))
				}
			}
			in.Tiers = append(in.Tiers, tier)
		}
		s := newSimulation(in, 1, 1, true)
		s.run(t.Context(), 1)
		brief := newSimulation(in, 1, 1, false)
		brief.run(t.Context(), 1)
		if got, want := late(brief.total().days), late(s.total().days); got != want {
			t.Errorf("late %v s without details, %v with them", got, want)
		}
		s.addUnfinished()
		wantLate, sent := naive(in)
		gotSent := 0.0
		for _, ts := range s.tiers {
			gotSent += ts.sentBits
		}
		// The naive simulation is inaccurate by up to one step at each start and end, and a sync near the end of the day
		// might end on the next day.
		lastSyncs := 0.0
		for i := range s.replicas {
			ts, g := s.replicas[i].tier, s.replicas[i].vmGroup()
			lastSyncs += max(g.changedBits(ts.changeMinutes(s.end)-ts.changeMinutes(s.end-2*ts.rpo)), s.replicas[i].syncBits)
		}
		// If the changes use almost exactly the whole link, the errors of the individual steps accumulate.
		got, total := late(s.total().days), s.end*float64(len(s.replicas))
		require.InDelta(t, wantLate, got, 0.02*total+0.1*got)
		assert.InDelta(t, sent, gotSent, 0.01*sent+lastSyncs)
	})
}
