package promise_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/promise"
)

// identical returns a tier of identical VMs. A peak of 0 is unknown.
func identical(rpo, count, gib, change, peak float64) promise.Tier {
	t := tier(rpo, change, nil)
	t.VirtualMachines = nil
	t.VMCount = &count
	t.VMSizeGiB = &gib
	t.PeakFactor = &peak
	if peak == 0 {
		t.PeakFactor = nil
	}
	return t
}

func onBasis(mbps float64, basis string, tiers map[string]promise.Tier) promise.Plan {
	p := on(mbps, tiers)
	metro := p.Links["metro"]
	metro.Ranges, metro.ThroughputBasis = nil, basis
	p.Links["metro"] = metro
	return p
}

// TestCompute_goldens checks the closed form for plans of one tier:
//
//   - seed: 15 * 95.367 GiB * 5% * 2^33 bit = 614.4 Gbit a day, 7.111 Mbit/s. At 901 / 1.14 = 790.4 Mbit/s, a whole day
//     takes 777.4 s, 0.8638 of 15 minutes, and 15 / 1.8638 = 8.05 minutes. The need is 614.4 Gbit / 900 s * 1.14 / 0.9
//     = 864.7 Mbit/s, and the largest change is 5% * 901 / 864.7 = 5.21%.
//   - slow seed: at 440 Mbit/s with a peak of 3, 15 / (1 + 21.33 / 440) = 14.3 minutes. The largest peak is 0.9 * 440 /
//     1.14 / 7.111 = 48.8, with 15 / 1.9 = 7.9 minutes.
//   - large: 8,192 GiB * 5% * 2^33 / 86,400 s * 3 = 122.17 Mbit/s. At 700 / 1.14 = 614.0 Mbit/s, 240 / (1 + 0.199) =
//     200.2 minutes. The need is 122.17 * 1.14 / 0.9 = 154.7 Mbit/s with 240 / 1.9 = 126.3 minutes, the largest change
//     5% * 700 / 154.7 = 22.6%, and the largest peak 3 * 700 / 154.7 = 13.6 if a whole day takes longer than a setting.
//   - configured: a sync of 240 minutes of change takes 240 * 0.199 = 47.8 minutes, less than 120.
//   - assumed: 8,392 GiB change by 125.15 Mbit/s at the peak. At 1,000 * 0.7 / 1.87 = 374.3 Mbit/s, 240 / 1.3344 =
//     179.9 minutes. The need is 125.15 * 1.87 / 0.7 / 0.9 = 371.5 Mbit/s, and the largest change 5% * 1,000 / 371.5 =
//     13.46%.
//   - least: 10 * 300 GiB * 10% * 2.94 change by 87.7 Mbit/s, 0.1 of 1,000 / 1.14 Mbit/s. A sync takes 0.5 minutes.
func TestCompute_goldens(t *testing.T) {
	t.Parallel()
	configured := identical(240, 1, 8192, 5, 3)
	configured.ConfiguredRPOMinutes = new(240.0)
	assumed := tier(240, 5, map[string]float64{"a": 100, "b": 100, "c": 8192})
	assumed.PeakFactor = new(3.0)
	assumed.AssumedInputs = []string{"daily_change_percent", "peak_factor"}
	known := assumed
	known.AssumedInputs = nil
	for name, test := range map[string]struct {
		mbps      float64
		basis     string
		tier      promise.Tier
		verdict   string
		holds     string
		reasons   []string
		suggested float64
		need      float64
		change    float64
		changeRPO float64
	}{
		"seed": {
			mbps:      901,
			basis:     plan.BasisNetwork,
			tier:      identical(15, 15, 95.367, 5, 0),
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 8,
			need:      864.7,
			change:    5.21,
			changeRPO: 6,
		},
		"slow seed": {
			mbps:      440,
			basis:     plan.BasisNetwork,
			tier:      identical(15, 15, 95.367, 5, 0),
			verdict:   plan.AtRisk,
			holds:     promise.ByBound,
			reasons:   []string{"peak_unknown"},
			suggested: 12,
			need:      864.7,
			change:    5 * 440 / 864.7,
			changeRPO: 6,
		},
		"large": {
			mbps:      700,
			basis:     plan.BasisNetwork,
			tier:      identical(240, 1, 8192, 5, 3),
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 180,
			need:      154.7,
			change:    22.6,
			changeRPO: 120,
		},
		"configured": {
			mbps:      700,
			basis:     plan.BasisNetwork,
			tier:      configured,
			verdict:   plan.Meets,
			holds:     promise.ByVendorRule,
			reasons:   []string{"vendor_rule"},
			suggested: 180,
			need:      154.7,
			change:    22.6,
			changeRPO: 120,
		},
		"assumed": {
			mbps:      1000,
			basis:     plan.BasisNominal,
			tier:      assumed,
			verdict:   plan.AtRisk,
			holds:     promise.ByBound,
			reasons:   []string{"inputs_assumed"},
			suggested: 150,
			need:      371.5,
			change:    13.46,
			changeRPO: 120,
		},
		"known": {
			mbps:      1000,
			basis:     plan.BasisNominal,
			tier:      known,
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 150,
			need:      371.5,
			change:    13.46,
			changeRPO: 120,
		},
		"least": {
			mbps:      1000,
			basis:     plan.BasisNetwork,
			tier:      identical(5, 10, 300, 10, 2.94),
			verdict:   plan.Meets,
			holds:     promise.ByVendorRule,
			reasons:   []string{"vendor_rule_only"},
			suggested: 5,
			need:      87.7 * 1.14 / 0.5,
			change:    10 * 1000 / (87.7 * 1.14 / 0.5),
			changeRPO: 5,
		},
	} {
		r := compute(t, onBasis(test.mbps, test.basis, map[string]promise.Tier{"gold": test.tier}))
		gold := r.Promises["gold"]
		assert.Equal(t, test.verdict, gold.Verdict, name)
		assert.ElementsMatch(t, test.reasons, plan.Codes(gold.Findings), name)
		require.NotNil(t, gold.HoldsBy, name)
		assert.Equal(t, test.holds, *gold.HoldsBy, name)
		assert.InDelta(t, test.suggested, *gold.SuggestedRPOMinutes, 0, name)
		assert.InEpsilon(t, test.need, *r.Links["metro"].ThroughputNeededMbps, 0.01, name)
		assert.InEpsilon(t, test.change, *gold.MaxDailyChangePercent, 0.01, name)
		assert.InDelta(t, test.changeRPO, *gold.MaxDailyChangeRPOMinutes, 0, name)
	}
}

// TestCompute_maxPeak checks the sentence about an unknown peak; see the slow seed of TestCompute_goldens.
func TestCompute_maxPeak(t *testing.T) {
	t.Parallel()
	p := onBasis(440, plan.BasisNetwork, map[string]promise.Tier{"gold": identical(15, 15, 95.367, 5, 0)})
	gold := compute(t, p).Promises["gold"]
	assert.InEpsilon(t, 48.8, *gold.MaxPeakFactor, 0.01)
	assert.InDelta(t, 6, *gold.MaxPeakRPOMinutes, 0)
	assert.Contains(
		t,
		gold.Findings[0].Sentence,
		"holds while the busiest time changes at most 48.8 times the daily mean",
	)
	kinds := map[string]promise.Remedy{}
	for _, r := range gold.Remedies {
		kinds[r.Kind] = r
	}
	require.Contains(t, kinds, promise.RemedyPeak)
	assert.Equal(t, gold.MaxPeakFactor, kinds[promise.RemedyPeak].Value)
	require.Contains(t, kinds, promise.RemedyThroughput)
	assert.Equal(t, map[string]float64{"gold": 6}, kinds[promise.RemedyThroughput].ConfiguredRPOMinutes)
}

// TestCompute_perSync checks a single sync that is limited to one of 16 streams. 1,024 KiB in flight at 50 ms allow
// 2^23 bit / 0.05 s = 167.77 Mbit/s. At its peak, the VM changes by 4,096 GiB * 10% * 4 * 2^33 / 86,400 s = 162.9
// Mbit/s. The remedy is a rate of one sync of at least this, and no throughput of the link.
func TestCompute_perSync(t *testing.T) {
	t.Parallel()
	network := link.Defaults()
	network.BandwidthMbps = 1000
	network.RTTMs = new(50.0)
	network.WindowKiB = new(1024.0)
	network.Streams = 16
	network.ThroughputBasis = plan.BasisTransfer
	p := on(1, map[string]promise.Tier{"gold": identical(15, 1, 4096, 10, 4)})
	metroLink := promise.LinkDefaults()
	metroLink.Network = &network
	p.Links["metro"] = metroLink
	r := compute(t, p)
	gold, metro := r.Promises["gold"], r.Links["metro"]
	assert.Equal(t, plan.AtRisk, gold.Verdict)
	require.NotNil(t, metro.NeededLimitedBy)
	assert.Equal(t, promise.LimitedByPerSync, *metro.NeededLimitedBy)
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyPerSync, gold.Remedies[0].Kind)
	assert.InEpsilon(t, 162.9, *gold.Remedies[0].Value, 0.08)
	assert.Contains(t, gold.Remedies[0].Sentence, "(now 167.77)")
}

// TestCompute_networkWithoutStreamLimit checks that a network whose streams have no limit is like a throughput: one VM
// changes by 100 GiB * 50% * 2^33 / 86,400 s = 4.97 Mbit/s, and a transfer was measured, so 4.97 * 1.14 / 0.9 = 6.3
// Mbit/s are needed.
func TestCompute_networkWithoutStreamLimit(t *testing.T) {
	t.Parallel()
	network := link.Defaults()
	network.BandwidthMbps, network.ThroughputBasis = 4, plan.BasisTransfer
	p := on(1, map[string]promise.Tier{"gold": identical(60, 1, 100, 50, 1)})
	metro := promise.LinkDefaults()
	metro.Network = &network
	p.Links["metro"] = metro
	r := compute(t, p)
	assert.Equal(t, plan.Misses, r.Verdict)
	require.NotNil(t, r.Links["metro"].ThroughputNeededMbps)
	assert.InEpsilon(t, 6.297, *r.Links["metro"].ThroughputNeededMbps, 0.001)
	require.NotEmpty(t, r.Promises["gold"].Remedies)
	assert.Equal(t, promise.RemedyThroughput, r.Promises["gold"].Remedies[0].Kind)
}

// TestCompute_outage checks that an outage changes no verdict without a promise about it. During 120 minutes, a
// recovery point gets 120 minutes older than the configured RPO.
func TestCompute_outage(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	metro.OutageStartHours, metro.OutageMinutes = 2, new(120.0)
	p.Links["metro"] = metro
	gold := judge(t, p).Promises["gold"]
	assert.Equal(t, plan.Meets, gold.Verdict)
	assert.InDelta(t, *gold.SuggestedRPOMinutes+120, *gold.OutageOldestRecoveryPointMinutes, 1)
	for most, verdict := range map[float64]string{200: plan.Meets, 150: plan.Misses} {
		one := p.Tiers["gold"]
		one.MaxOutageRPOMinutes = &most
		p.Tiers["gold"] = one
		assert.Equal(t, verdict, judge(t, p).Promises["gold"].Verdict, most)
	}
}

// TestCompute_moves checks migrations that use the whole link from 2:00 to 4:00, so that no sync completes. Outside
// them, 10 GiB * 1% * 2^33 / 86,400 s / 0.9 = 0.011 Mbit/s are needed.
func TestCompute_moves(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	require.Nil(t, judge(t, p).Promises["gold"].MovesVerdict)
	metro := p.Links["metro"]
	metro.HourlyMovesPercent = make([]float64, 24)
	metro.HourlyMovesPercent[2], metro.HourlyMovesPercent[3] = 100, 100
	p.Links["metro"] = metro
	r := compute(t, p)
	gold := r.Promises["gold"]
	assert.Equal(t, plan.Meets, gold.LikelyVerdict)
	assert.Equal(t, plan.Misses, *gold.MovesVerdict)
	assert.Equal(t, plan.Misses, gold.Verdict)
	assert.Contains(t, plan.Codes(gold.Findings), "during_moves")
	assert.InEpsilon(t, 0.011, *r.Links["metro"].ThroughputNeededMbps, 0.01)
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyMoves, gold.Remedies[0].Kind)
}

// TestCompute_settingForMoves checks that the setting, the remedy and the reasons consider migrations. 10 * 100 GiB *
// 20% * 2^33 / 86,400 s = 19.88 Mbit/s change. While migrations use half of 100 Mbit/s, u is 0.398, and 60 / 1.398 =
// 42.9. Without them, 60 / 1.199 = 50.05. Half of 30 Mbit/s does not suffice, but 19.88 / 0.9 / 30 = 73.6% of it do,
// and so does half of 19.88 / 0.5 / 0.9 = 44.19. With 30 minutes configured, a fifth used and 22.5 Mbit/s at the worse
// end, u is 0.884 without migrations, and 1.105 with them: 2 * 1.105 * 30 > 60.
func TestCompute_settingForMoves(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": identical(60, 10, 100, 20, 1)})
	moving := func(percent, low float64) promise.Plan {
		metro := p.Links["metro"]
		metro.HourlyMovesPercent = slices.Repeat([]float64{percent}, 24)
		metro.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: low, High: 100}}
		p.Links = map[string]promise.Link{"metro": metro}
		return p
	}
	assert.Equal(t, new(45.0), judge(t, p).Promises["gold"].SuggestedRPOMinutes)
	r := compute(t, moving(50, 100))
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.Equal(t, new(40.0), r.Promises["gold"].SuggestedRPOMinutes)
	assert.InEpsilon(t, 22.09, *r.Links["metro"].ThroughputNeededMbps, 0.01)
	small := moving(50, 100).WithThroughput("metro", 30)
	one := compute(t, small).Promises["gold"]
	assert.Equal(t, plan.Misses, one.Verdict)
	require.Equal(t, promise.RemedyMoves, one.Remedies[0].Kind)
	assert.Equal(t, new(26.0), one.Remedies[0].Value)
	require.Equal(t, promise.RemedyThroughput, one.Remedies[1].Kind)
	assert.InEpsilon(t, 44.19, *one.Remedies[1].Value, 0.01)
	gold := p.Tiers["gold"]
	gold.ConfiguredRPOMinutes = new(30.0)
	p.Tiers["gold"] = gold
	one = judge(t, moving(20, 22.5)).Promises["gold"]
	assert.Equal(t, plan.AtRisk, one.Verdict)
	assert.Contains(
		t,
		message(one, "not_at_worse_end"),
		"not at the worse end of uncertain inputs while migrations use",
	)
	assert.Equal(t, new(plan.Misses), one.WorseEndVerdict)
}

// TestJudge_othersAtWorseEnd checks that a tier keeps its promise at the worse end although another one cannot. On 12
// Mbit/s, 9.94 Mbit/s of heavy and 0.05 of light change. At the worse end, the link carries 12 / 1.87 * 0.7 = 4.5
// Mbit/s, and each of 61 syncs 0.074: with 45 minutes, light's sync takes 30 minutes, but with 30, 20.
func TestJudge_othersAtWorseEnd(t *testing.T) {
	t.Parallel()
	r := judge(t, onBasis(12, "", map[string]promise.Tier{
		"heavy": identical(60, 60, 100./3, 5, 1),
		"light": identical(60, 1, 2.5, 20, 1),
	}))
	assert.Equal(t, plan.AtRisk, r.Promises["heavy"].Verdict)
	assert.Equal(t, plan.Meets, r.Promises["light"].Verdict)
}

// TestPlan_Shares checks the shares at throughputs of a link. 10 * 100 GiB * 20% * 2^33 / 86,400 s = 19.88 Mbit/s
// change: at 10 Mbit/s syncs take ever longer, and at 19.88 / 0.9 = 22.1 Mbit/s none is late. The other link is no
// matter.
func TestPlan_Shares(t *testing.T) {
	t.Parallel()
	bronze := identical(60, 10, 100, 20, 1)
	p := on(100, map[string]promise.Tier{"gold": identical(60, 10, 100, 20, 1), "bronze": bronze})
	p.Links["other"] = p.Links["metro"]
	for name, link := range map[string]string{"gold": "metro", "bronze": "other"} {
		one := p.Tiers[name]
		one.Link = link
		p.Tiers[name] = one
	}
	shares, err := p.Shares(t.Context(), "metro", []float64{10, 22.1})
	require.NoError(t, err)
	require.Len(t, shares, 5, "three between the late and the timely one")
	moving := p.Links["metro"]
	moving.HourlyMovesPercent = slices.Repeat([]float64{90}, 24)
	p.Links["metro"] = moving
	still, err := p.Shares(t.Context(), "metro", []float64{10, 22.1})
	require.NoError(t, err)
	assert.Equal(t, shares, still, "migrations are left out")
	assert.Less(t, shares[0].Percent, 50.0)
	assert.Equal(t, promise.Share{Mbps: 22.1, Percent: 100, Tier: "gold"}, shares[4])
	bend := slices.IndexFunc(shares, func(s promise.Share) bool { return s.Percent == 100 })
	assert.Greater(t, shares[bend-1].Mbps, 0.9*shares[bend].Mbps)
	shares, err = p.Shares(t.Context(), "none", []float64{10})
	require.NoError(t, err)
	assert.Empty(t, shares)
}

// TestCompute_limits checks the remedies for limits that are not the link. Two tiers change by 100 * 100 GiB * 10% *
// 2^33 / 86,400 s = 99.4 Mbit/s in total.
func TestCompute_limits(t *testing.T) {
	t.Parallel()
	tiers := func() map[string]promise.Tier {
		return map[string]promise.Tier{"gold": identical(60, 50, 100, 10, 1), "silver": identical(240, 50, 100, 10, 1)}
	}
	source := on(1000, tiers())
	source.SourceReadMbps = new(80.0)
	target := on(1000, tiers())
	target.Targets = map[string]promise.Target{"dr": {WriteMbps: new(160.0), WriteFactor: 2}}
	for name, one := range target.Tiers {
		one.Target = "dr"
		target.Tiers[name] = one
	}
	for name, test := range map[string]struct {
		plan            promise.Plan
		limitedBy, kind string
		value           float64
	}{
		"source": {source, promise.LimitedBySource, promise.RemedySource, 99.4},
		"target": {target, promise.LimitedByTarget, promise.RemedyWrite, 2 * 99.4},
	} {
		r := compute(t, test.plan)
		gold := r.Promises["gold"]
		assert.Equal(t, plan.Misses, gold.Verdict, name)
		require.NotNil(t, r.Links["metro"].NeededLimitedBy, name)
		assert.Equal(t, test.limitedBy, *r.Links["metro"].NeededLimitedBy, name)
		require.NotEmpty(t, gold.Remedies, name)
		assert.Equal(t, test.kind, gold.Remedies[0].Kind, name)
		assert.InEpsilon(t, test.value, *gold.Remedies[0].Value, 0.15, name)
	}
}

// TestCompute_deadline checks deadlines and space. The initial sync of 5,200 GiB takes 24.8 h at 500 Mbit/s. The VMs of
// silver have 80 GiB each and are in sync when 60 * 80 GiB have been sent, after 22.9 h.
func TestCompute_deadline(t *testing.T) {
	t.Parallel()
	p := on(500, map[string]promise.Tier{"gold": identical(15, 20, 100, 1, 3), "silver": identical(60, 40, 80, 1, 3)})
	gold := p.Tiers["gold"]
	gold.DeadlineHours, gold.Target = new(20.0), "dr"
	p.Tiers["gold"] = gold
	p.Targets = map[string]promise.Target{"dr": {FreeGiB: new(2010.0), WriteFactor: 2}}
	r := compute(t, p)
	one := r.Promises["gold"]
	assert.Equal(t, plan.Misses, one.Verdict)
	assert.Equal(t, []string{"deadline_missed", "no_remedy", "target_nearly_full"}, plan.Codes(one.Findings))
	assert.InDelta(t, 22.9*60, *r.Promises["silver"].InitialSyncMinutes, 20)
	p.Targets["dr"] = promise.Target{FreeGiB: new(20000.0), WriteFactor: 2}
	kinds := []string{}
	for _, remedy := range compute(t, p).Promises["gold"].Remedies {
		kinds = append(kinds, remedy.Kind)
	}
	assert.Equal(t, []string{promise.RemedyThroughput, promise.RemedyDeadline}, kinds)
}

// TestCompute_networkRemedy checks the throughput of a network whose basis is unknown: 1,380 GiB * 8% * 2^33 bit * 96 /
// 86,400 s = 1,053.7 Mbit/s change within 15 minutes, and need 1,053.7 * 1.87 / 0.9 = 2,190 Mbit/s.
func TestCompute_networkRemedy(t *testing.T) {
	t.Parallel()
	one := identical(15, 1, 1380, 8, 0)
	one.PeakFactor, one.TargetCompliancePercent = nil, new(100.0)
	p := on(1, map[string]promise.Tier{"gold": one})
	network := link.Defaults()
	network.BandwidthMbps, network.EfficiencyPercent = 1000, 70
	metro := promise.LinkDefaults()
	metro.Network = &network
	p.Links["metro"] = metro
	gold := compute(t, p).Promises["gold"]
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyThroughput, gold.Remedies[0].Kind)
	assert.Equal(t, new(2190.0), gold.Remedies[0].Value)
}
