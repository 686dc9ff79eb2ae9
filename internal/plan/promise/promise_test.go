package promise_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
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

func TestJudge_empty(t *testing.T) {
	t.Parallel()
	p := on(1000, map[string]promise.Tier{"empty": tier(60, 5, nil)})
	assert.Equal(t, plan.Empty, judge(t, p).Verdict)
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
