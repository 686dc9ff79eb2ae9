package simulation

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

func runsOf(converged bool, shares ...float64) []record {
	records := make([]record, 0, len(shares))
	for i, share := range shares {
		records = append(records, record{days: 8, converged: []bool{converged}, tiers: []tierRecord{{
			compliance: share, withinRPOPercent: share, decidedBy: Decider{Run: i + 1, VM: 3, SecondHalf: i%2 == 0},
			vms: []LateVM{{VM: 3, WithinRPOPercent: share, OldestRecoveryPointMinutes: float64(20 + i)}},
		}}})
	}
	return records
}

func TestJudge(t *testing.T) {
	t.Parallel()
	five := func(least float64) []float64 { return []float64{100, 100, least, 99.95, 100} }
	// The 5th percentile of 40 runs is the second-worst run, so a single bad run is not decisive.
	forty := append(slices.Repeat([]float64{100}, 38), 99.95, 50)
	for name, test := range map[string]struct {
		records []record
		target  *float64
		vms     int
		verdict string
		reasons []string
		share   float64
	}{
		"meets":            {runsOf(true, five(99.9)...), nil, 20, Meets, nil, 99.9},
		"at risk":          {runsOf(true, five(99.89)...), nil, 20, AtRisk, nil, 99.89},
		"misses":           {runsOf(true, five(98.99)...), nil, 20, Misses, nil, 98.99},
		"target":           {runsOf(true, five(95)...), new(95.0), 20, Meets, []string{TwoStates}, 95},
		"below target":     {runsOf(true, five(99.5)...), new(99.6), 20, Misses, nil, 99.5},
		"few runs":         {runsOf(true, 100, 100, 100, 100), nil, 499, AtRisk, []string{OneRun}, 100},
		"one run, 500":     {runsOf(true, 100), nil, 500, Meets, nil, 100},
		"not converged":    {runsOf(false, five(100)...), nil, 20, AtRisk, []string{NotConverged}, 99.95},
		"of 40 runs":       {runsOf(true, forty...), nil, 20, Meets, []string{TwoStates}, 99.95},
		"of 20, the least": {runsOf(true, forty[20:]...), nil, 20, Misses, []string{TwoStates}, 50},
	} {
		e := Estate{Links: []Link{steadyLink(1)}, Tiers: []Tier{{TargetPercent: test.target, VMs: []VM{{Count: test.vms}}}}}
		var got TierResult
		e.judge(&got, 0, test.records)
		if got.Verdict != test.verdict || !slices.Equal(got.Reasons, test.reasons) || got.WithinRPOPercent != test.share {
			t.Errorf("%s: %s %v by %v %%, want %s %v by %v", name, got.Verdict, got.Reasons, got.WithinRPOPercent, test.verdict,
				test.reasons, test.share)
		}
	}
	var got TierResult
	e := Estate{Links: []Link{steadyLink(1)}, Tiers: []Tier{{VMs: []VM{{Count: 5}}}}}
	e.judge(&got, 0, runsOf(true, 100, 99, 98, 99.95, 100))
	late := LateVM{VM: 3, WithinRPOPercent: 98, OldestRecoveryPointMinutes: 24}
	require.Equal(t, "second half of run 3", got.DecidedBy.String())
	assert.Equal(t, []LateVM{late}, got.LateVMs)
}

func TestRun_oneByOne(t *testing.T) {
	t.Parallel()
	e := sixtyVMs(70)
	a, err := Run(t.Context(), e, Options{Days: 2, Runs: 1})
	require.NoError(t, err)
	vm := e.Tiers[0].VMs[0]
	vm.Count = 0
	e.Tiers[0].VMs = slices.Repeat([]VM{vm}, 60)
	b, err := Run(t.Context(), e, Options{Days: 2, Runs: 1})
	assert.True(t, err == nil && a.ViolationMinutes == b.ViolationMinutes && a.TransferredGiB == b.TransferredGiB &&
		a.Tiers[0].WithinRPOPercent == b.Tiers[0].WithinRPOPercent && a.Violations != 0,
		"%+v differs from %+v (%v)", b.Figures, a.Figures, err)
}

// TestRun_coldStart checks initial syncs. No data changes. At 1,000 Mbit/s, sending 2 VMs of 100 GiB takes 2 * 100 *
// 2^33 / 1e9 = 1,717.99 s (28.633 minutes), and they are within their RPO from then on. A third VM has its own link,
// but its target writes each byte twice, so it is sent at only half the target's write rate. Sending it takes just as
// long: 100 * 2^33 / 500e6 = 1,717.99 s.
func TestRun_coldStart(t *testing.T) {
	t.Parallel()
	e := Estate{
		ColdStart: true, Links: []Link{steadyLink(1000), steadyLink(1000)},
		Targets: []Target{{WriteRate: 1000 * mbit, WriteFactor: 2}},
		Tiers: []Tier{
			{Name: "a", RPOMinutes: 60, CompressionRatio: 1, VMs: []VM{{SizeGiB: 100, Count: 2}}},
			{Name: "b", Link: 1, Target: new(0), RPOMinutes: 60, CompressionRatio: 1, VMs: []VM{{SizeGiB: 100}}},
		},
	}
	a, err := Run(t.Context(), e, Options{Days: 8, Runs: 1})
	require.NoError(t, err)
	initial, err := InitialSync(t.Context(), e)
	require.NoError(t, err)
	for i, tier := range a.Tiers {
		for _, minutes := range []*float64{tier.InSyncAfterMinutes, initial[i]} {
			require.NotNil(t, minutes, i)
			assert.InDelta(t, 28.63311, *minutes, 1e-4, i)
		}
		assert.True(t, tier.WithinRPOPercent == 100 && tier.CompliancePercent < 100,
			"tier %d: %v %% from then on, %v %% in all", i, tier.WithinRPOPercent, tier.CompliancePercent)
	}
	if use := a.Targets[0].BusiestHourPercent; use == nil || math.Abs(*use-100*1717.98692/3600) > 1e-3 {
		t.Errorf("the target writes %v %% of an hour, want 1,717.99 s of it", use)
	}
}

func TestRun_separateLinks(t *testing.T) {
	t.Parallel()
	e := sixtyVMs(600)
	e.Links = append(e.Links, steadyLink(30)) // half of the required 60 Mbit/s
	other := e.Tiers[0]
	other.Name, other.Link = "b", 1
	e.Tiers = append(e.Tiers, other)
	a, err := Run(t.Context(), e, Options{Days: 8, Runs: 5})
	require.NoError(t, err)
	if !a.Tiers[0].Converged || a.Tiers[0].Verdict != Meets || a.Tiers[1].Converged || a.Tiers[1].Verdict != Misses ||
		a.Verdict != Misses || a.Converged {
		t.Errorf("%s and %s, converged %v and %v; want meets and misses, true and false", a.Tiers[0].Verdict,
			a.Tiers[1].Verdict, a.Tiers[0].Converged, a.Tiers[1].Converged)
	}
}

func TestRun_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, sixtyVMs(70), Options{})
	assert.Error(t, err, "a cancelled run has an answer")
	_, err = InitialSync(ctx, sixtyVMs(70))
	assert.Error(t, err, "a cancelled initial sync has an answer")
}

// TestSimulation_lateness checks the example in the documentation: back-to-back syncs of ten minutes. In each cycle,
// the VM is late for 20 minutes minus the RPO. Lateness of more than one second counts in full; lateness of at least
// one minute raises an alarm. The first of the six cycles in an hour starts in the steady state, with a recovery point
// that is ten minutes old.
func TestSimulation_lateness(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rpo                float64 // in minutes
		violations, alarms int64
		late               float64 // in seconds per cycle
	}{{15, 6, 6, 300}, {18.5, 6, 6, 90}, {19.1, 6, 0, 54}, {19.98, 6, 0, 1.2}, {19.99, 0, 0, 0}, {20.1, 0, 0, 0}} {
		s := newSimulation(oneVM(), 1, 1, true)
		r := &s.replicas[0]
		s.tiers[0].rpo = test.rpo * 60
		r.recoveryPoint, r.startMinutes = -600, -10
		r.durationCount, r.nextDuration = 0, 0
		r.addDuration(600)
		for s.step(&s.segments[0]) {
		}
		s.accrue(r, 0)
		ts := s.tiers[0]
		if ts.violations != test.violations || ts.alarms != test.alarms || math.Abs(ts.days[0].late-6*test.late) > 1e-6 {
			t.Errorf("RPO of %v minutes: %d violations, %d alarms, %v s; want %d, %d, %v",
				test.rpo, ts.violations, ts.alarms, ts.days[0].late, test.violations, test.alarms, 6*test.late)
		}
		assert.InDelta(t, 6*test.late, ts.lateSpans.total(), 1e-6, test.rpo)
		assert.InDelta(t, 20*60, ts.oldestToday, 1e-6, test.rpo)
		for _, d := range ts.durations {
			assert.InDelta(t, 600.0, d, 1e-6)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	var u spans
	for _, s := range []span{{0, 60}, {100, 160}, {120, 200}, {100, 220}, {50, 230}, {300, 360}} {
		u = u.add(s)
	}
	require.Equal(t, 290.0, u.total())
	assert.Len(t, u, 2)
	for at, want := range map[float64]float64{0: 230, 229: 230, 230: 230, 250: 250, 300: 360, 400: 400} {
		assert.Equal(t, want, u.firstOutside(at), at)
	}
}

// TestP95 checks the nearest-rank method: the 95th percentile is the ceil(0.95 n)-th value.
func TestP95(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float64Range(0, 1e12), 0, 50).Draw(t, "a")
		b := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1.5, 1e-300, 7}), 0, 50).Draw(t, "b")
		all := slices.Sorted(slices.Values(slices.Concat(a, b)))
		got := p95(a, b)
		if len(all) == 0 {
			assert.Nil(t, got)
			return
		}
		assert.Equal(t, all[(95*len(all)+99)/100-1], *got)
	})
}

func TestTimetable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const end = 1000
		vms := rapid.IntRange(1, 40).Draw(t, "VMs")
		table := newTimetable(make([]event, vms), rapid.Float64Range(0.01, 100).Draw(t, "width"), 20, end)
		want := make(map[int]float64)
		push := func(id int, from float64) {
			key := from + rapid.Float64Range(0, 300).Draw(t, "wait")
			table.push(key, id)
			if key < end {
				want[id] = key
			}
		}
		for id := range vms {
			push(id, 0)
		}
		last := 0.0
		for table.count > 0 {
			e := table.first
			table.removeFirst()
			for id, key := range want {
				require.False(t, (entry{key, id}).before(e), "%v comes before %v", e, entry{key, id})
			}
			require.Equal(t, want[e.id], e.key)
			require.GreaterOrEqual(t, e.key, last)
			last = e.key
			delete(want, e.id)
			if rapid.Bool().Draw(t, "again") {
				push(e.id, last)
			}
		}
		assert.Empty(t, want)
	})
}

// TestSimulation_jitter checks the random shifts of the second of two VMs. The first number from the generator "3/a/1"
// delays the VM's first start by up to half of its 900-second RPO. The second number brings the next start forward.
func TestSimulation_jitter(t *testing.T) {
	t.Parallel()
	in := oneVM()
	in.Tiers[0].VMs[0] = VM{SizeGiB: 1, Count: 2}
	in.JitterPercent = 50
	s := newSimulation(in, 1, 3, true)
	numbers := draw.New("3/a/1")
	first := 450 + 450*numbers.Float64()
	assert.InDelta(t, first, s.replicas[1].recoveryPoint+900, 1e-9)
	for s.replicas[1].durationCount < 2 {
		s.step(&s.segments[0])
	}
	next := first + 900 - 450*numbers.Float64()
	for s.due.count > 0 {
		e := s.due.first
		s.due.removeFirst()
		if e.id == 1 {
			assert.InDelta(t, next, e.key, 1e-9)
			return
		}
	}
	t.Error("no start is due")
}

// TestTierState_changeMinutes checks weighted minutes. If the hour from 12:00 to 13:00 has all the weight, the 1,440
// weighted minutes of a day pass within that hour, even on days before the first day.
func TestTierState_changeMinutes(t *testing.T) {
	t.Parallel()
	weights := make([]float64, HoursPerDay)
	weights[12] = 7
	curve := map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	tier := Tier{RPOMinutes: 15, HourlyWeights: weights, CompressionRatio: 2, Curve: curve, VMs: []VM{{SizeGiB: 10}}}
	ts := newTierState(tier, Estate{})
	for hours, want := range map[float64]float64{0: 0, 12: 0, 12.5: 720, 13: 1440, 24: 1440, 36.25: 1800, -11.5: -720} {
		assert.InDelta(t, want, ts.changeMinutes(hours*quantity.SecondsPerHour), 1e-9, hours)
	}
	// With a compression ratio of 2, the 2.8 GiB that change in 240 minutes become 1.4 GiB on the wire. The change is
	// capped at the VM's 10 GiB, which is 5 GiB on the wire.
	for minutes, gib := range map[float64]float64{0: 0, 7.5: 0.4, 15: 0.8, 240: 1.4, 1440: 3.5, 1e6: 5} {
		assert.InDelta(t, gib, ts.groups[0].changedBits(minutes)/quantity.BitsPerGiB, 1e-9, minutes)
	}
}

func TestQueue_sorts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		n := rapid.IntRange(0, 200).Draw(t, "n")
		for id := range n {
			q.push(entry{key: float64(rapid.IntRange(0, 20).Draw(t, "key")), id: id})
		}
		last := entry{key: -1}
		for range n {
			e := q.pop()
			assert.False(t, e.before(last), "%v comes after %v", e, last)
			last = e
		}
		assert.Equal(t, 0, q.len())
	})
}
