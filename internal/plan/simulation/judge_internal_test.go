package simulation

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runsOf returns runs of one tier whose worst VMs have these shares.
func runsOf(converged bool, shares ...float64) []record {
	records := make([]record, 0, len(shares))
	for i, share := range shares {
		records = append(records, record{days: 8, agreed: []bool{converged}, tiers: []tierRecord{{
			compliance: share, share: share, worst: Decider{Run: i + 1, VM: 3, SecondHalf: i%2 == 0},
			vms: []LateVM{{VM: 3, WithinRPOPercent: share, OldestRecoveryPointMinutes: float64(20 + i)}},
		}}})
	}
	return records
}

// TestJudge checks the limits: 99.9 and 99 without a target, 5 runs or 500 VMs on the link, and convergence.
func TestJudge(t *testing.T) {
	t.Parallel()
	five := func(least float64) []float64 { return []float64{100, 100, least, 99.95, 100} }
	// Of 40 runs the 5th percentile is the second one: a single bad run does not decide.
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
		var got TierAnswer
		e.judge(&got, 0, test.records)
		if got.Verdict != test.verdict || !slices.Equal(got.Reasons, test.reasons) || got.WithinRPOPercent != test.share {
			t.Errorf("%s: %s %v by %v %%, want %s %v by %v", name, got.Verdict, got.Reasons, got.WithinRPOPercent, test.verdict,
				test.reasons, test.share)
		}
	}
	var got TierAnswer
	e := Estate{Links: []Link{steadyLink(1)}, Tiers: []Tier{{VMs: []VM{{Count: 5}}}}}
	e.judge(&got, 0, runsOf(true, 100, 99, 98, 99.95, 100))
	late := LateVM{VM: 3, WithinRPOPercent: 98, OldestRecoveryPointMinutes: 24}
	require.Equal(t, "second half of run 3", got.DecidedBy.String())
	assert.Equal(t, []LateVM{late}, got.LateVMs)
}

// TestPlay_eachVM checks that the worst VM decides. 10 % of 8,192 GiB a day are 81.4 Mbit/s, but a sync has 60. The
// 19 VMs of 100 GiB change at 1 Mbit/s each and hold, the big one is always late, although 95 % of all VM-time is
// within the RPO.
func TestPlay_eachVM(t *testing.T) {
	t.Parallel()
	e := Estate{Links: []Link{steadyLink(1000)}, JitterPercent: 10, Tiers: []Tier{{
		Name: "gold", RPOMinutes: 15, CompressionRatio: 1, PerSync: 60 * mbit,
		VMs: []VM{{SizeGiB: 100, DailyChangePercent: 10, Count: 19}, {SizeGiB: 8192, DailyChangePercent: 10}},
	}}}
	ended := 0
	a, err := Play(t.Context(), e, Options{Progress: func(done, all int) {
		if ended++; done != ended || all != 20 {
			t.Errorf("progress %d of %d, want %d of 20", done, all, ended)
		}
	}})
	require.NoError(t, err)
	gold := a.Tiers[0]
	if math.Abs(gold.CompliancePercent-95) > 0.01 || gold.Verdict != Misses || len(gold.LateVMs) != 1 ||
		gold.LateVMs[0].VM != 19 || gold.LateVMs[0].WithinRPOPercent > 0.1 || gold.DecidedBy.VM != 19 || ended != 20 {
		t.Errorf("%v %%, %s, late %v, decided by %+v, %d runs", gold.CompliancePercent, gold.Verdict, gold.LateVMs,
			gold.DecidedBy, ended)
	}
}

// TestPlay_oneByOne checks that listed VMs and a count have identical results.
func TestPlay_oneByOne(t *testing.T) {
	t.Parallel()
	e := sixtyVMs(70)
	a, err := Play(t.Context(), e, Options{Days: 2, Runs: 1})
	require.NoError(t, err)
	vm := e.Tiers[0].VMs[0]
	vm.Count = 0
	e.Tiers[0].VMs = slices.Repeat([]VM{vm}, 60)
	b, err := Play(t.Context(), e, Options{Days: 2, Runs: 1})
	if err != nil || a.ViolationMinutes != b.ViolationMinutes || a.TransferredGiB != b.TransferredGiB ||
		a.Tiers[0].WithinRPOPercent != b.Tiers[0].WithinRPOPercent || a.Violations == 0 {
		t.Errorf("%+v differs from %+v (%v)", b.Figures, a.Figures, err)
	}
}

// TestPlay_coldStart checks initial syncs: without change 2 VMs of 100 GiB at 1,000 Mbit/s need 2 * 100 * 2^33 / 1e9
// = 1,717.99 s, 28.633 minutes, and are within their RPO from then on. A third VM on a separate link with half of the
// target's writes needs 100 * 2^33 / 500e6 = 1,717.99 s, too.
func TestPlay_coldStart(t *testing.T) {
	t.Parallel()
	e := Estate{
		ColdStart: true, Links: []Link{steadyLink(1000), steadyLink(1000)},
		Targets: []Target{{Write: 1000 * mbit, WriteFactor: 2}},
		Tiers: []Tier{
			{Name: "a", RPOMinutes: 60, CompressionRatio: 1, VMs: []VM{{SizeGiB: 100, Count: 2}}},
			{Name: "b", Link: 1, Target: new(0), RPOMinutes: 60, CompressionRatio: 1, VMs: []VM{{SizeGiB: 100}}},
		},
	}
	a, err := Play(t.Context(), e, Options{Days: 8, Runs: 1})
	require.NoError(t, err)
	initial, err := InitialSync(t.Context(), e)
	require.NoError(t, err)
	for i, tier := range a.Tiers {
		for _, minutes := range []*float64{tier.InSyncAfterMinutes, initial[i]} {
			require.NotNil(t, minutes, i)
			assert.InDelta(t, 28.63311, *minutes, 1e-4, i)
		}
		if tier.WithinRPOPercent != 100 || tier.CompliancePercent >= 100 {
			t.Errorf("tier %d: %v %% from then on, %v %% in all", i, tier.WithinRPOPercent, tier.CompliancePercent)
		}
	}
	if use := a.Targets[0].BusiestHourPercent; use == nil || math.Abs(*use-100*1717.98692/3600) > 1e-3 {
		t.Errorf("the target writes %v %% of an hour, want 1,717.99 s of it", use)
	}
}

// TestPlay_apart checks that an overloaded link does not affect the tiers of another link.
func TestPlay_apart(t *testing.T) {
	t.Parallel()
	e := sixtyVMs(600)
	e.Links = append(e.Links, steadyLink(30)) // of 60
	other := e.Tiers[0]
	other.Name, other.Link = "b", 1
	e.Tiers = append(e.Tiers, other)
	a, err := Play(t.Context(), e, Options{Days: 8, Runs: 5})
	require.NoError(t, err)
	if !a.Tiers[0].Converged || a.Tiers[0].Verdict != Meets || a.Tiers[1].Converged || a.Tiers[1].Verdict != Misses ||
		a.Verdict != Misses || a.Converged {
		t.Errorf("%s and %s, converged %v and %v; want meets and misses, true and false", a.Tiers[0].Verdict,
			a.Tiers[1].Verdict, a.Tiers[0].Converged, a.Tiers[1].Converged)
	}
}

func TestPlay_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Play(ctx, sixtyVMs(70), Options{})
	assert.Error(t, err, "a cancelled run has an answer")
	_, err = InitialSync(ctx, sixtyVMs(70))
	assert.Error(t, err, "a cancelled initial sync has an answer")
}
