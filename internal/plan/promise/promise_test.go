package promise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
)

// oneBig returns 19 VMs of 100 GiB and one of 8 TiB that change by 10% a day. A sync is limited to 60 Mbit/s.
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
	r := compute(t, oneBig())
	gold := r.Promises["gold"]
	assert.Equal(t, plan.Misses, r.Verdict)
	assert.EqualValues(t, 1, gold.LateVMCount)
	assert.Equal(t, "files-01", gold.LateVirtualMachines[0].Name)
	require.Len(t, gold.Remedies, 2)
	assert.Equal(t, promise.RemedyPerSync, gold.Remedies[0].Kind)
	assert.InEpsilon(t, 81.4, *gold.Remedies[0].Value, 0.15)
	assert.Equal(t, []string{"files-01"}, gold.Remedies[1].VirtualMachines)
	assert.Nil(t, r.Links["metro"].ThroughputNeededMbps)
	assert.Equal(t, promise.LimitedByPerSync, *r.Links["metro"].NeededLimitedBy)
}

// TestCompute_oneNeed checks that the need does not depend on the given throughput.
func TestCompute_oneNeed(t *testing.T) {
	t.Parallel()
	var needs []float64
	for _, mbps := range []float64{100, 400, 2000} {
		r := compute(t, on(mbps, map[string]promise.Tier{
			"gold":   identical(15, 15, 100, 5, 3),
			"silver": identical(240, 40, 200, 3, 3),
		}))
		needs = append(needs, *r.Links["metro"].ThroughputNeededMbps)
	}
	assert.InEpsilon(t, needs[0], needs[1], 1e-9)
	assert.InEpsilon(t, needs[0], needs[2], 1e-9)
}

// TestCompute_silence checks that an omitted input never makes a verdict better than a known one.
func TestCompute_silence(t *testing.T) {
	t.Parallel()
	of := func(basis string, peak float64) promise.Promise {
		p := onBasis(60, basis, map[string]promise.Tier{"gold": identical(60, 15, 100, 5, peak)})
		return judge(t, p).Promises["gold"]
	}
	worst := plan.Meets
	for _, basis := range []string{plan.BasisTransfer, plan.BasisNetwork, plan.BasisNominal, ""} {
		verdict := of(basis, 3).Verdict
		worst = plan.Worse(worst, verdict)
		assert.Equal(t, worst, verdict, basis)
	}
	assert.Equal(t, plan.AtRisk, worst)
	assert.Equal(t, []string{"basis_unknown"}, plan.Codes(of("", 3).Findings))
	assert.Equal(t, []string{"peak_unknown"}, plan.Codes(of(plan.BasisTransfer, 0).Findings))
	assert.Equal(t, []string{"basis_unknown", "peak_unknown"}, plan.Codes(of("", 0).Findings))
	assert.Equal(t, plan.AtRisk, of("", 0).Verdict)
}

// TestCompute_assumed checks the list of assumptions: 60 Mbit/s without a basis are 60 * 0.7 / 1.87 = 22.46 Mbit/s at
// the worse end, and a peak is 24 at the worse end of an RPO of 60 minutes.
func TestCompute_assumed(t *testing.T) {
	t.Parallel()
	silver := tier(60, 1, map[string]float64{"a": 1, "b": 3, "c": 5})
	silver.AssumedInputs = []string{"daily_change_percent"}
	silver.VirtualMachines["d"] = promise.VM{}
	p := onBasis(60, "", map[string]promise.Tier{"gold": identical(60, 15, 100, 5, 0), "silver": silver})
	got := judge(t, p).Assumed
	require.Len(t, got, 4)
	assert.InDelta(t, 60*0.7/1.87, *got[0].WorseValue, 1e-9)
	got[0].WorseValue = nil
	assert.Equal(t, []plan.Assumption{
		{Input: "throughput_basis", At: "metro", Value: 60},
		{Input: "peak_factor", At: "gold", Value: 3, WorseValue: new(24.0), Decides: true},
		{Input: "daily_change_percent", At: "silver", Value: 1, Decides: true},
		{Input: "size_gib", At: "silver", Value: 3, Decides: true},
	}, got)
}

// TestCompute_parts checks that tiers on other links, and their outages, change nothing.
func TestCompute_parts(t *testing.T) {
	t.Parallel()
	gold := identical(15, 20, 100, 5, 3)
	gold.Link = "metro"
	alone := compute(t, on(50, map[string]promise.Tier{"gold": gold}))
	p := on(50, map[string]promise.Tier{"gold": gold, "other": identical(60, 500, 100, 5, 3)})
	slow := p.Links["metro"]
	slow.ThroughputMbps = new(2.0)
	slow.Ranges = nil
	slow.OutageMinutes = new(30.0)
	p.Links["b"] = slow
	other := p.Tiers["other"]
	other.Link = "b"
	p.Tiers["other"] = other
	both := compute(t, p)
	assert.Equal(t, alone.Promises["gold"], both.Promises["gold"])
	assert.Equal(t, alone.Links["metro"], both.Links["metro"])
	assert.Equal(t, plan.Misses, both.Promises["other"].Verdict)
}

func TestJudge_unknown(t *testing.T) {
	t.Parallel()
	unsized := tier(60, 5, map[string]float64{"a": 10, "b": 10})
	unsized.VirtualMachines["b"] = promise.VM{}
	sizeless := tier(60, 5, nil)
	sizeless.VirtualMachines["c"] = promise.VM{}
	p := on(1000, map[string]promise.Tier{
		"empty":              tier(60, 5, nil),
		"unsized":            unsized,
		"shared":             tier(60, 5, map[string]float64{"a": 10}),
		"sizeless":           sizeless,
		"beside":             tier(60, 5, map[string]float64{"x": 10}),
		"unsized's neighbor": tier(60, 5, map[string]float64{"y": 10}),
	})
	p.Links["other"], p.Links["third"] = p.Links["metro"], p.Links["metro"]
	for name, link := range map[string]string{
		"empty":              "metro",
		"unsized":            "metro",
		"unsized's neighbor": "metro",
		"shared":             "other",
		"sizeless":           "third",
		"beside":             "third",
	} {
		one := p.Tiers[name]
		one.Link = link
		p.Tiers[name] = one
	}
	r := judge(t, p)
	for name, code := range map[string]string{
		"unsized":  "size_unknown",
		"shared":   "in_two_tiers",
		"sizeless": "size_unknown",
		"beside":   "load_unknown",
	} {
		one := r.Promises[name]
		assert.Equal(t, plan.Unknown, one.Verdict, name)
		assert.Contains(t, plan.Codes(one.Findings), code, name)
	}
	assert.Equal(t, plan.Meets, r.Promises["unsized's neighbor"].Verdict)
	assert.Equal(t, plan.Empty, r.Promises["empty"].Verdict)
	assert.Contains(t, r.Promises["unsized"].Summary, "holds for 1 of 2 VMs, and is not known for 1: b.")
	assert.Equal(t, plan.Unknown, r.Verdict)
	assert.Nil(t, r.Promises["sizeless"].TotalGiB)
	assert.Nil(t, r.Promises["sizeless"].ChangeMbps)
	assert.InDelta(t, 10, *r.Promises["unsized"].TotalGiB, 0)
}

// TestJudge_unknownAndAtRisk has no evidence of the throughput, so 10 Mbit/s can be 10 * 0.7 / 1.87 = 3.7. Two VMs of
// 200 GiB, one of them by the median, change 5% per day, 3 times the mean at the peak: 5.97 Mbit/s.
func TestJudge_unknownAndAtRisk(t *testing.T) {
	t.Parallel()
	gold := tier(60, 5, map[string]float64{"a": 200})
	gold.VirtualMachines["b"] = promise.VM{}
	gold.PeakFactor = new(3.0)
	one := judge(t, onBasis(10, "", map[string]promise.Tier{"gold": gold})).Promises["gold"]
	assert.Equal(t, plan.Unknown, one.Verdict)
	assert.Contains(t, one.Summary, "The promise of 1 hour is at risk for 1 of 2 VMs, and is not known for 1: b.")
}

// TestJudge_median verifies that a VM of unknown size counts with the median: (100 + 900) / 2 = 500 GiB.
func TestJudge_median(t *testing.T) {
	t.Parallel()
	gold := tier(60, 5, map[string]float64{"a": 100, "b": 900})
	gold.VirtualMachines["c"] = promise.VM{}
	r := judge(t, on(1000, map[string]promise.Tier{"gold": gold}))
	assert.Equal(t, []plan.Assumption{{Input: "size_gib", At: "gold", Value: 500, Decides: true}}, r.Assumed)
}

func TestJudge_empty(t *testing.T) {
	t.Parallel()
	p := on(1000, map[string]promise.Tier{"empty": tier(60, 5, nil)})
	assert.Equal(t, plan.Empty, judge(t, p).Verdict)
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
	_, err := promise.Compute(t.Context(), on(1, nil))
	require.Error(t, err)
	for at, p := range map[string]promise.Plan{
		`tiers["gold"].link`:                                gold(func(t *promise.Tier) { t.Link = "none" }),
		`tiers["gold"].target`:                              gold(func(t *promise.Tier) { t.Target = "none" }),
		`tiers["gold"].ranges["daily_change_percent"].low`:  ranged(6, 4),
		`tiers["gold"].ranges["daily_change_percent"].high`: ranged(1, 4),
		`tiers["gold"].ranges["rpo_minutes"]`: gold(func(t *promise.Tier) {
			t.Ranges = map[string]calculator.Ends{"rpo_minutes": {Low: 10, High: 20}}
		}),
		`tiers["gold"].vm_count`: gold(func(t *promise.Tier) {
			t.VirtualMachines = nil
			t.VMCount = new(100001.0)
			t.VMSizeGiB = new(1.0)
		}),
		`tiers["gold"].daily_change_percent`: gold(func(t *promise.Tier) { t.DailyChangePercent = nil }),
		`tiers["gold"].assumed_inputs[0]`: gold(func(t *promise.Tier) {
			t.PeakFactor, t.AssumedInputs = nil, []string{"peak_factor"}
		}),
		`tiers["gold"].point_in_time`: gold(func(t *promise.Tier) {
			t.PointInTime = &promise.PointInTime{InstancesPerDay: 5, Days: 5}
		}),
		`tiers["gold"].point_in_time.instances_per_day`: gold(func(t *promise.Tier) {
			t.RPOMinutes, t.PointInTime = 240, &promise.PointInTime{InstancesPerDay: 7, Days: 1}
		}),
		`tiers`: gold(func(t *promise.Tier) { // 100,000 VMs * 1,440 syncs * 9 days / 0.9
			t.VirtualMachines = nil
			t.VMCount = new(100000.0)
			t.VMSizeGiB = new(1.0)
			t.RPOMinutes = 1
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

func TestCompute_nothingAssumed(t *testing.T) {
	t.Parallel()
	p := on(1000, map[string]promise.Tier{"gold": tier(15, 1, map[string]float64{"db": 10})})
	want := judge(t, p).Verdict
	gold := p.Tiers["gold"]
	gold.AssumedInputs = []string{}
	p.Tiers["gold"] = gold
	assert.Equal(t, want, judge(t, p).Verdict)
}

func TestCompute_notCounted(t *testing.T) {
	t.Parallel()
	p := on(1000, map[string]promise.Tier{"gold": tier(15, 1, map[string]float64{"db": 10})})
	want := []string{"free_gib", "overhead_seconds", "per_sync_mbps", "source_read_mbps", "write_mbps"}
	assert.Equal(t, want, judge(t, p).NotCounted)
	gold := p.Tiers["gold"]
	rate := 500.0
	free := 1000.0
	gold.OverheadSeconds = 5
	gold.PerSyncMbps = &rate
	gold.Target = "dr"
	gold.SeededPercent = 50
	p.Tiers["gold"] = gold
	p.Targets = map[string]promise.Target{"dr": {FreeGiB: &free, WriteMbps: &rate, WriteFactor: 2}}
	p.SourceReadMbps = &rate
	assert.Equal(t, []string{"checksum_mbps"}, judge(t, p).NotCounted)
	p.ChecksumMbps = &rate
	p.Tiers["without VMs"] = tier(15, 1, nil)
	assert.Empty(t, judge(t, p).NotCounted)
}

func TestJudge_limits(t *testing.T) {
	t.Parallel()
	gold := identical(5, 501, 1, 1, 1)
	gold.QuiesceSeconds = 1
	fast := tier(1, 1, map[string]float64{"db": 1})
	group := tier(5, 1, map[string]float64{"web": 1})
	group.Mechanism = promise.MechanismGroup
	late := tier(15, 1, map[string]float64{"app": 1})
	late.ConfiguredRPOMinutes = new(30.0)
	r := judge(t, on(1e6, map[string]promise.Tier{"gold": gold, "fast": fast, "group": group, "late": late}))
	for name, want := range map[string][]string{
		"gold":  {"above_500_at_5_minutes", "quiesced_below_15_minutes"},
		"fast":  {"above_500_at_5_minutes", "rpo_below_minimum"},
		"group": {"scheduler_not_documented"},
		"late":  {"configured_above_promise"},
	} {
		assert.Subset(t, plan.Codes(r.Promises[name].Findings), want, name)
	}
	assert.Equal(t, plan.Misses, r.Promises["fast"].Verdict)
	assert.Equal(t, plan.Misses, r.Promises["late"].Verdict)
	fast.MinConfiguredRPOMinutes = 1
	enhanced := judge(t, on(1e6, map[string]promise.Tier{"fast": fast})).Promises["fast"]
	assert.Equal(t, plan.Meets, enhanced.Verdict)
	assert.InDelta(t, 1, *enhanced.SuggestedRPOMinutes, 0)
}

// TestJudge_share checks a promise of 90% of the time. In the peak of 1 / 24 of the day, a change of 60 minutes is sent
// in 24 * 0.06 * 60 = 86 minutes and outside it in no time, so that a VM is late for less than 10% of the time.
func TestJudge_share(t *testing.T) {
	t.Parallel()
	gold := identical(60, 1, 100, 0.06*100, 24)
	gold.ConfiguredRPOMinutes, gold.TargetCompliancePercent = new(60.0), new(90.0)
	mbps := 100 * 8589.934592 / 86400.0 // 100 GiB a day
	for target, verdict := range map[float64]string{90: plan.Meets, 99.9: plan.Misses} {
		gold.TargetCompliancePercent = &target
		one := judge(t, on(mbps, map[string]promise.Tier{"gold": gold})).Promises["gold"]
		assert.Equal(t, verdict, one.Verdict, "%v: %v", target, *one.WithinRPOPercent)
	}
}

func TestCompute_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := promise.Compute(ctx, oneBig())
	require.ErrorIs(t, err, context.Canceled)
	_, err = promise.Judge(ctx, oneBig())
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPlan_callbacks(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	var runs atomic.Int64
	var partial []promise.Result
	r := compute(t, p.WithCallbacks(promise.Callbacks{
		Runs:    func(int, int) { runs.Add(1) },
		Partial: func(r promise.Result) { partial = append(partial, r) },
	}))
	assert.GreaterOrEqual(t, runs.Load(), r.Runs)
	require.Len(t, partial, 1)
	assert.Equal(t, r.Verdict, partial[0].Verdict)
	assert.Nil(t, partial[0].Links["metro"].ThroughputNeededMbps)
}

// TestJudge_space checks the space of replicas: 100 GiB, 24 instances of 10% * 4 / 24 of it, and 10% * 1 / 24 for the
// sync in progress.
func TestJudge_space(t *testing.T) {
	t.Parallel()
	gold := tier(60, 10, map[string]float64{"db": 100})
	gold.Target, gold.PointInTime = "dr", &promise.PointInTime{InstancesPerDay: 6, Days: 4}
	p := on(1000, map[string]promise.Tier{"gold": gold})
	p.Targets = map[string]promise.Target{"dr": {FreeGiB: new(141.0), WriteFactor: 2}}
	r := judge(t, p)
	want := 100 + 24*100*0.1*4/24 + 100*0.1/24
	assert.InDelta(t, want, r.Targets["dr"].NeededGiB, 1e-9)
	assert.InDelta(t, 141-want, *r.Targets["dr"].FreeAfterGiB, 1e-9)
	assert.Equal(t, plan.AtRisk, r.Promises["gold"].Verdict)
	p.Targets["dr"] = promise.Target{FreeGiB: new(140.0), WriteFactor: 2}
	assert.Equal(t, plan.Misses, judge(t, p).Promises["gold"].Verdict)
	assert.True(
		t,
		strings.HasPrefix(plan.Sentences(judge(t, p).Promises["gold"].Findings)[0], "The replicas on target"),
	)
}
