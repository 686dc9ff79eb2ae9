package promise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
)

func tier(rpo, change float64, sizes map[string]float64) promise.Tier {
	t := promise.TierDefaults()
	t.RPOMinutes, t.DailyChangePercent = rpo, &change
	t.VirtualMachines = make(map[string]promise.VM, len(sizes))
	for name, size := range sizes {
		t.VirtualMachines[name] = promise.VM{SizeGiB: &size}
	}
	return t
}

func on(mbps float64, tiers map[string]promise.Tier) promise.Plan {
	p, l := promise.Defaults(), promise.LinkDefaults()
	l.ThroughputMbps = &mbps
	p.Links, p.Tiers = map[string]promise.Link{"metro": l}, tiers
	return p
}

func oneBig() promise.Plan {
	sizes := map[string]float64{"files-01": 8192}
	for i := range 19 {
		sizes[fmt.Sprintf("db-%02d", i+1)] = 100
	}
	gold := tier(15, 10, sizes)
	gold.PerSyncMbps = new(60.0)
	return on(1000, map[string]promise.Tier{"gold": gold})
}

// TestCompute_oneBig checks that only the large VM is late. Its data changes at 8,192 GiB * 10% * 2^33 / 86,400 s =
// 81.4 Mbit/s, but a sync is limited to 60 Mbit/s. The data of each other VM changes at only 0.99 Mbit/s.
func TestCompute_oneBig(t *testing.T) {
	t.Parallel()
	r, err := promise.Compute(t.Context(), oneBig())
	require.NoError(t, err)
	gold := r.Promises["gold"]
	if r.Verdict != promise.VerdictMisses || gold.Verdict != promise.VerdictMisses || gold.LateVMCount != 1 ||
		gold.LateVirtualMachines[0].Name != "files-01" {
		t.Errorf("got %s, %s, late %v; want misses of files-01 alone", r.Verdict, gold.Verdict, gold.LateVirtualMachines)
	}
	if len(gold.Remedies) != 1 || gold.Remedies[0].Kind != promise.RemedyWithout ||
		!slices.Equal(gold.Remedies[0].VirtualMachines, []string{"files-01"}) {
		t.Errorf("got remedies %+v, want the plan without files-01 alone", gold.Remedies)
	}
	metro := r.Links["metro"]
	if metro.ThroughputNeededMbps != nil || metro.NeededLimitedBy == nil ||
		*metro.NeededLimitedBy != promise.LimitedByPerSync {
		t.Errorf("got a need of %v limited by %v, want none, limited by per_sync", metro.ThroughputNeededMbps,
			metro.NeededLimitedBy)
	}
}

func TestCompute_oneNeed(t *testing.T) {
	t.Parallel()
	needs := make(map[float64]float64)
	for _, mbps := range []float64{100, 400, 2000} {
		gold, silver := tier(15, 5, nil), tier(240, 3, nil)
		gold.VMCount, gold.VMSizeGiB, gold.PeakFactor = new(15.0), new(100.0), new(3.0)
		silver.VMCount, silver.VMSizeGiB, silver.PeakFactor = new(40.0), new(200.0), new(3.0)
		p := on(mbps, map[string]promise.Tier{"gold": gold, "silver": silver})
		r := compute(t, p)
		needs[mbps] = *r.Links["metro"].ThroughputNeededMbps
		for _, vm := range r.Promises["gold"].LateVirtualMachines {
			assert.LessOrEqual(t, vm.OldestRecoveryPointMinutes, (*r.Promises["gold"].WorstRecoveryPointMinutes))
		}
	}
	for mbps, need := range needs {
		assert.Equal(t, needs[2000], need, mbps)
	}
}

// TestCompute_worseEnd checks the worse end of a range. If the daily change is 20% instead of 5%, the data of a VM
// changes at 100 GiB * 20% * 2^33 / 86,400 s = 1.99 Mbit/s, but the link is limited to 1.5 Mbit/s.
func TestCompute_worseEnd(t *testing.T) {
	t.Parallel()
	gold := tier(60, 5, map[string]float64{"db": 100})
	gold.Ranges = map[string]calculator.Ends{"daily_change_percent": {Low: 1, High: 20}}
	r, err := promise.Compute(t.Context(), on(1.5, map[string]promise.Tier{"gold": gold}))
	require.NoError(t, err)
	of := r.Promises["gold"]
	if of.Verdict != promise.VerdictAtRisk || of.LikelyVerdict != promise.VerdictMeets ||
		*of.WorseEndVerdict != promise.VerdictMisses || !slices.Contains(plan.Codes(of.Findings), "not_at_worse_end") {
		t.Errorf("got %s of %s and %s, %v; want at_risk of meets and misses", of.Verdict, of.LikelyVerdict,
			*of.WorseEndVerdict, plan.Codes(of.Findings))
	}
	need := r.Links["metro"].ThroughputNeededMbps
	require.NotNil(t, need)
	assert.GreaterOrEqual(t, *need, 1.988)
}

func TestCompute_unknown(t *testing.T) {
	t.Parallel()
	sizeless := tier(60, 5, map[string]float64{"a": 10, "b": 10})
	sizeless.VirtualMachines["b"] = promise.VM{}
	shared := tier(60, 5, map[string]float64{"a": 10})
	p := on(1000, map[string]promise.Tier{
		"empty": tier(60, 5, nil), "sizeless": sizeless, "shared": shared, "alone": tier(60, 5, map[string]float64{"x": 10}),
	})
	p.Links["other"] = p.Links["metro"]
	for name, link := range map[string]string{"empty": "other", "sizeless": "metro", "shared": "other", "alone": "metro"} {
		one := p.Tiers[name]
		one.Link = link
		p.Tiers[name] = one
	}
	r, err := promise.Verdicts(t.Context(), p)
	require.NoError(t, err)
	for name, code := range map[string]string{
		"empty": "no_virtual_machines", "sizeless": "size_unknown", "shared": "in_two_tiers", "alone": "load_unknown",
	} {
		one := r.Promises[name]
		require.Equal(t, promise.VerdictUnknown, one.Verdict, name)
		assert.Contains(t, plan.Codes(one.Findings), code, name)
	}
	assert.Contains(t, strings.Join(plan.Sentences(r.Promises["sizeless"].Findings), " "), ": b.")
}

func TestCompute_refuses(t *testing.T) {
	t.Parallel()
	gold := func(change func(*promise.Tier)) promise.Plan {
		one := tier(15, 5, map[string]float64{"db": 100})
		change(&one)
		return on(1000, map[string]promise.Tier{"gold": one})
	}
	ranged := func(low, high float64) promise.Plan {
		return gold(func(t *promise.Tier) {
			t.Ranges = map[string]calculator.Ends{"daily_change_percent": {Low: low, High: high}}
		})
	}
	runs := func(change func(*promise.Plan)) promise.Plan {
		p := gold(func(*promise.Tier) {})
		change(&p)
		return p
	}
	_, err := promise.Compute(t.Context(), on(1, nil))
	assert.Error(t, err, "got no error without tiers")
	for at, p := range map[string]promise.Plan{
		`tiers["gold"].link`:                                gold(func(t *promise.Tier) { t.Link = "none" }),
		`tiers["gold"].target`:                              gold(func(t *promise.Tier) { t.Target = "none" }),
		`tiers["gold"].ranges["daily_change_percent"].low`:  ranged(6, 4),
		`tiers["gold"].ranges["daily_change_percent"].high`: ranged(1, 4),
		`tiers["gold"].ranges["rpo_minutes"]`: gold(func(t *promise.Tier) {
			t.Ranges = map[string]calculator.Ends{"rpo_minutes": {Low: 10, High: 20}}
		}),
		`tiers["gold"].vm_count`: gold(func(t *promise.Tier) {
			t.VirtualMachines, t.VMCount, t.VMSizeGiB = nil, new(50001.0), new(1.0)
		}),
		`tiers["gold"].daily_change_percent`: gold(func(t *promise.Tier) { t.DailyChangePercent = nil }),
		`tiers`: runs(func(p *promise.Plan) { // 50,000 VMs * 288 syncs a day * 31 days = 446 million syncs
			one := p.Tiers["gold"]
			one.VirtualMachines, one.VMCount, one.VMSizeGiB, one.RPOMinutes = nil, new(50000.0), new(1.0), 5
			p.Tiers["gold"], p.Days = one, new(31.0)
		}),
		`days`: runs(func(p *promise.Plan) { // 3 days is shorter than four one-day RPOs
			one := p.Tiers["gold"]
			one.RPOMinutes = 1440
			p.Tiers["gold"], p.Days = one, new(3.0)
		}),
		`runs`: runs(func(p *promise.Plan) { p.Runs, p.JitterPercent = new(2.0), 0 }),
		`links["metro"].outage_start_hours`: runs(func(p *promise.Plan) {
			metro := p.Links["metro"]
			metro.OutageMinutes, metro.OutageStartHours = new(10.0), 48
			p.Links["metro"], p.Days = metro, new(2.0)
		}),
		`links["metro"].throughput_mbps`: on(0, nil),
	} {
		_, err := promise.Compute(t.Context(), p)
		problems, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "got %v, want an error at %s", err, at)
		assert.True(t, slices.ContainsFunc(problems, func(e *plan.InputError) bool { return e.Path.String() == at }),
			"got %v, want an error at %s", err, at)
	}
}

func TestCompute_notCounted(t *testing.T) {
	t.Parallel()
	p := on(1000, map[string]promise.Tier{"gold": tier(15, 1, map[string]float64{"db": 10})})
	want := []string{
		"free_gib", "overhead_seconds", "peak_factor", "per_sync_mbps", "source_read_mbps",
		"throughput_basis", "write_mbps",
	}
	assert.Equal(t, want, compute(t, p).NotCounted)
	gold, peak, rate, free := p.Tiers["gold"], 3.0, 500.0, 1000.0
	gold.PeakFactor, gold.OverheadSeconds, gold.PerSyncMbps, gold.Target = &peak, 5, &rate, "dr"
	gold.SeededPercent = 50
	p.Tiers["gold"] = gold
	target := promise.TargetDefaults()
	target.FreeGiB, target.WriteMbps = &free, &rate
	p.Targets = map[string]promise.Target{"dr": target}
	metro := p.Links["metro"]
	metro.ThroughputBasis = plan.BasisTransfer
	p.Links["metro"], p.SourceReadMbps = metro, &rate
	assert.Equal(t, []string{"checksum_mbps"}, compute(t, p).NotCounted)
	p.ChecksumMbps = &rate
	assert.Empty(t, compute(t, p).NotCounted)
}

func TestVerdicts_maxima(t *testing.T) {
	t.Parallel()
	gold := tier(5, 1, nil)
	gold.VirtualMachines, gold.VMCount, gold.VMSizeGiB, gold.QuiesceSeconds = nil, new(501.0), new(1.0), 1
	fast := tier(1, 1, map[string]float64{"db": 1})
	group := tier(5, 1, map[string]float64{"web": 1})
	group.Mechanism = replication.MechanismGroup
	p := on(1e6, map[string]promise.Tier{"gold": gold, "fast": fast, "group": group})
	p.Days, p.Runs = new(1.0), new(1.0)
	r := verdictsOf(t, p)
	for name, want := range map[string][]string{
		"gold":  {"above_500_at_5_minutes", "quiesced_below_15_minutes"},
		"fast":  {"above_500_at_5_minutes", "rpo_below_5_minutes"},
		"group": {"scheduler_not_documented"},
	} {
		got := plan.Codes(r.Promises[name].Findings)
		for _, code := range want {
			assert.Contains(t, got, code, name)
		}
	}
	assert.Equal(t, promise.VerdictAtRisk, r.Promises["gold"].Verdict)
}

func TestCompute_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, compute := range map[string]func(context.Context, promise.Plan) (promise.Result, error){
		"compute": promise.Compute, "verdicts": promise.Verdicts,
	} {
		_, err := compute(ctx, oneBig())
		assert.ErrorIs(t, err, context.Canceled, name)
	}
}
