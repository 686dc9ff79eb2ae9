package promise_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_moves checks migrations that use the whole link from 2:00 to 4:00. On the VM, (10 GiB * 1% * 8,590
// Mbit/GiB) / 24 = 36 Mbit changes per hour, and sending it takes 0.4 s at 100 Mbit/s. The recovery point taken between
// 1:00 and 2:00 is not replaced until 4:00. The VM is therefore late for 1 to 2 hours a day, and within its RPO for
// 91.67% to 95.83% of the time. If migrations use only 99% of the link, a sync takes 36 s at the remaining 1 Mbit/s.
// The VM is then late only until its first sync after 2:00 is complete: for less than 36 s, or 36 / 86,400 = 0.04% of
// the day.
func TestCompute_moves(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	still := compute(t, p).Promises["gold"]
	require.Nil(t, still.MovesVerdict)
	assert.Equal(t, promise.VerdictMeets, still.Verdict)
	metro := p.Links["metro"]
	metro.HourlyMovesPercent = make([]float64, 24)
	metro.HourlyMovesPercent[2], metro.HourlyMovesPercent[3] = 100, 100
	p.Links["metro"] = metro
	r := compute(t, p)
	gold := r.Promises["gold"]
	if gold.LikelyVerdict != promise.VerdictMeets || *gold.MovesVerdict != promise.VerdictMisses ||
		gold.Verdict != promise.VerdictMisses || !slices.Contains(plan.Codes(gold.Findings), "during_moves") {
		t.Errorf("got %s of %s and %s, %v; want misses of meets and misses during moves", gold.Verdict, gold.LikelyVerdict,
			*gold.MovesVerdict, plan.Codes(gold.Findings))
	}
	share := *gold.MovesWithinRPOPercent
	require.GreaterOrEqual(t, share, 91.66, "got %v %% during the moves, want 91.67 to 95.83", share)
	assert.LessOrEqual(t, share, 95.84, "got %v %% during the moves, want 91.67 to 95.83", share)
	by := r.Links["metro"].NeededLimitedBy
	require.NotNil(t, by)
	assert.Equal(t, promise.LimitedByMoves, *by)
	of := gold.Remedies
	require.Equal(t, promise.RemedyMoves, of[0].Kind, "got remedies %+v, want 99 %% for the moves first", of)
	assert.Equal(t, 99.0, *of[0].Value, "got remedies %+v, want 99 %% for the moves first", of)
}

// TestVerdicts_outage checks the VM of TestCompute_moves without jitter. The VM starts a sync every 3,600 - 1.2 * 0.358
// = 3,599.57 s: at 0, 3,599.57 and 7,199.14 s. The third sync ends just before the link fails at 7,200 s for two hours.
// Its recovery point is older than the RPO from 10,799.14 to 14,400.36 s, for a total of 3,601 s.
func TestVerdicts_outage(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	metro.OutageStartHours, metro.OutageMinutes = 2, new(120.0)
	p.Links["metro"], p.JitterPercent = metro, 0
	const want = "With the outage, a VM is late for up to 1h 0m 1s at a time."
	assert.Contains(t, verdictsOf(t, p).Promises["gold"].Summary, want)
}

// TestVerdicts_goldens checks a source read limit and a deadline. With a daily change of 5% and a peak factor of 3,
// gold (2,000 GiB) and silver (3,200 GiB) require 5,200 GiB * 5% * 3 * 2^33 / 86,400 s = 77.5 Mbit/s, but the source
// can be read at only 50 Mbit/s. At 500 Mbit/s, the initial sync of 5,200 GiB takes 24.8 h, which exceeds the deadline
// of 20 h, although gold alone would meet it.
func TestVerdicts_goldens(t *testing.T) {
	t.Parallel()
	estate := func(change func(p *promise.Plan)) promise.Plan {
		gold, silver := tier(15, 5, nil), tier(60, 5, nil)
		gold.VirtualMachines, gold.VMCount, gold.VMSizeGiB, gold.PeakFactor = nil, new(20.0), new(100.0), new(3.0)
		silver.VirtualMachines, silver.VMCount, silver.VMSizeGiB, silver.PeakFactor = nil, new(40.0), new(80.0), new(3.0)
		p := on(500, map[string]promise.Tier{"gold": gold, "silver": silver})
		change(&p)
		return p
	}
	deadline := func(p *promise.Plan) {
		for name, one := range p.Tiers {
			one.DeadlineHours = new(20.0)
			p.Tiers[name] = one
		}
	}
	for name, test := range map[string]struct {
		plan promise.Plan
		want string
	}{
		"as given":          {estate(func(*promise.Plan) {}), promise.VerdictMeets},
		"source":            {estate(func(p *promise.Plan) { p.SourceReadMbps = new(50.0) }), promise.VerdictMisses},
		"deadlines of both": {estate(deadline), promise.VerdictMisses},
		"deadline of gold": {estate(func(p *promise.Plan) {
			deadline(p)
			delete(p.Tiers, "silver")
		}), promise.VerdictMeets},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, verdictsOf(t, test.plan).Verdict)
		})
	}
}

// TestVerdicts_band checks a link that is just fast enough at its given throughput, but too slow at 1 / 1.14 of it. Of
// the measured transfers, 4 of 5 reached at least this fraction. The data of the VM changes at 100 GiB * 5% * 2^33 /
// 86,400 s = 0.497 Mbit/s. For an RPO of 4 hours, 0.54 Mbit/s is sufficient, but 0.54 / 1.14 = 0.474 Mbit/s is not.
func TestVerdicts_band(t *testing.T) {
	t.Parallel()
	p := on(0.54, map[string]promise.Tier{"gold": tier(240, 5, map[string]float64{"db": 100})})
	one := p.Tiers["gold"]
	one.TargetCompliancePercent = new(90.0)
	p.Tiers["gold"] = one
	metro := p.Links["metro"]
	metro.ThroughputBasis = plan.BasisTransfer
	p.Links["metro"] = metro
	gold := verdictsOf(t, p).Promises["gold"]
	if gold.LikelyVerdict != promise.VerdictMeets || gold.Verdict != promise.VerdictAtRisk ||
		!slices.Contains(plan.Codes(gold.Findings), "band_misses") {
		t.Errorf("got %s, %s, %v; want at_risk of meets by band_misses", gold.Verdict, gold.Summary,
			plan.Codes(gold.Findings))
	}
}

// TestVerdicts_range checks two tiers in which a total of 760 GiB changes each day: 760 * 2^33 / 86,400 s = 75.6
// Mbit/s. A 225 Mbit/s link is three times as fast, whereas a 60 Mbit/s link never catches up.
func TestVerdicts_range(t *testing.T) {
	t.Parallel()
	of := func(change float64) promise.Tier {
		one := tier(60, change, nil)
		one.VirtualMachines, one.VMCount, one.VMSizeGiB = nil, new(20.0), new(100.0)
		one.TargetCompliancePercent = new(99.0)
		return one
	}
	p := on(225, map[string]promise.Tier{"gold": of(20), "silver": of(18)})
	metro := p.Links["metro"]
	metro.Ranges = map[string]calculator.Ends{"throughput_mbps": {Low: 60, High: 230}}
	p.Links["metro"] = metro
	r := verdictsOf(t, p)
	for _, name := range []string{"gold", "silver"} {
		one := r.Promises[name]
		assert.Equal(t, promise.VerdictAtRisk, one.Verdict, one.Summary)
		assert.Equal(t, promise.VerdictMeets, one.LikelyVerdict)
		assert.Contains(t, plan.Codes(one.Findings), "not_at_worse_end")
	}
}

// TestVerdicts_stream checks that a single sync on a network uses only one of 16 streams and therefore has the same
// result as a per-sync limit. 1,024 KiB in flight at 50 ms allow 2^23 bit / 0.05 s = 167.77 Mbit/s. At its peak, the
// data of the VM changes at 4,096 GiB * 10% * 4 * 2^33 / 86,400 s = 162.9 Mbit/s, so late syncs take hours to catch up.
func TestVerdicts_stream(t *testing.T) {
	t.Parallel()
	gold := tier(15, 10, map[string]float64{"db": 4096})
	gold.PeakFactor = new(4.0)
	limited := gold
	limited.PerSyncMbps = new(167.77216)
	want := verdictsOf(t, on(1000, map[string]promise.Tier{"gold": limited})).Promises["gold"]
	assert.Equal(t, promise.VerdictMisses, want.Verdict)
	p := on(1000, map[string]promise.Tier{"gold": gold})
	assert.NotEqual(t, promise.VerdictMisses, verdictsOf(t, p).Verdict)
	network := link.Defaults()
	network.BandwidthMbps, network.RTTMs, network.WindowKiB, network.Streams = 1000, new(50.0), new(1024.0), 16
	metro := p.Links["metro"]
	metro.ThroughputMbps, metro.Network = nil, &network
	p.Links["metro"] = metro
	got := verdictsOf(t, p).Promises["gold"]
	assert.Equal(t, promise.VerdictMisses, got.Verdict)
	assert.InDelta(t, *want.WithinRPOPercent, *got.WithinRPOPercent, 1e-6)
}

// large returns 400 VMs of different sizes in 3 tiers with ranges. The promises are met with the inputs as given, but
// not at the worse end.
func large() promise.Plan {
	tiers := map[string]promise.Tier{}
	for name, of := range map[string]struct{ vms, rpo, change float64 }{
		"gold": {80, 15, 5}, "silver": {120, 60, 4}, "bronze": {200, 240, 3},
	} {
		sizes := map[string]float64{}
		for i := range int(of.vms) { // 8 GiB to 1 TiB, with a geometric mean of 90 GiB
			sizes[fmt.Sprintf("%s-%03d", name, i)] = 8 * math.Pow(128, float64(i)/of.vms)
		}
		one := tier(of.rpo, of.change, sizes)
		one.PeakFactor = new(3.0)
		one.Ranges = map[string]promise.Ends{"daily_change_percent": {Low: of.change / 2, High: 1.6 * of.change}}
		tiers[name] = one
	}
	p := on(2000, tiers)
	p.GrowthPercentPerYear = new(20.0)
	return p
}

// BenchmarkPlanningVerdicts measures Verdicts for a large plan, which must take at most 2 s on two idle cores.
func BenchmarkPlanningVerdicts(b *testing.B) {
	p := large()
	for b.Loop() {
		_, err := promise.Verdicts(b.Context(), p)
		require.NoError(b, err)
	}
}

// BenchmarkPlanningCompute measures Compute for a large plan, which must take at most 15 s on two idle cores.
func BenchmarkPlanningCompute(b *testing.B) {
	p := large()
	for b.Loop() {
		_, err := promise.Compute(b.Context(), p)
		require.NoError(b, err)
	}
}
