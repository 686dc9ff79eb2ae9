package replication_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// group returns a modified estimate of VMs with an RPO of 15 minutes.
func group(
	t *testing.T,
	vms, sizeGiB, changePercent, mbps float64,
	change func(*replication.Input),
) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent = vms, sizeGiB, changePercent
	in.ThroughputMbps, in.RPOMinutes = mbps, 15
	change(&in)
	return estimate(t, in)
}

// TestEstimate_deadline checks batches by hand: 60 VMs of 200 GiB are 12,000 * 2^33 bit, 40.9045 h at 700 Mbit/s, and
// 6 % of them 10.2261 % of a day, so all at once need 40.9045 / (1 - 0.102261) = 45.5639 h. In 12 h floor(60 * 12 /
// (40.9045 + 0.102261 * 12)) = 17 VMs are in sync, the first 17 after 40.9045 * 17 / 60 / (1 - 0.102261 * 17 / 60) =
// 11.9354 h; three batches of 17 and one of 9 need 43.7654 h. 700 * (40.9045 / 12 + 0.102261) = 2,457.7 Mbit/s meet
// the deadline.
func TestEstimate_deadline(t *testing.T) {
	t.Parallel()
	deadline, peak := 12.0, 2.0
	ask := func(mbps float64) replication.Result {
		return group(t, 60, 200, 6, mbps, func(in *replication.Input) { in.DeadlineHours, in.PeakFactor = &deadline, &peak })
	}
	r := ask(700)
	within(t, "initial sync", r.InitialSyncSeconds/3600, 40.9045, 0.0001)
	within(t, "daily use", r.DailyLinkUsePercent, 10.2261, 0.0001)
	within(t, "all at once", *r.InitialSyncCaughtUpSeconds/3600, 45.5639, 0.0001)
	within(t, "all batches", *r.BatchesHours, 43.7654, 0.0001)
	assert.True(t, *r.BatchVMCount == 17 && !(*r.DeadlineMet) && r.Verdict == replication.VerdictMisses,
		"got batches of %d, deadline met %v, %s; want 17, false, misses", *r.BatchVMCount, *r.DeadlineMet, r.Verdict)
	require.True(t, r.ViolationFree,
		"got %v, violation free %v; want deadline_missed alone to decide", plan.Codes(r.Findings), r.ViolationFree)
	assert.Contains(t, plan.Codes(r.Findings), "deadline_missed")
	assert.Contains(t, r.Findings[0].Sentence, "it takes 2,457.7 Mbit/s, or batches of 17 VMs")
	if r = ask(2457.7); !*r.DeadlineMet || r.Verdict != replication.VerdictMeets {
		t.Errorf("at the printed need: got deadline met %v, %s; want true, meets", *r.DeadlineMet, r.Verdict)
	}
	r = ask(2457.6)
	assert.False(t, *r.DeadlineMet, "below the printed need: got deadline met, want missed")
	// 1e9 VMs in batches of one: -I * ln(1 - u) / u.
	tiny := group(t, 1e9, 1, 1, 1e9, func(in *replication.Input) { in.DeadlineHours = new(1e-3) })
	require.NotNil(t, tiny.BatchesHours)
	assert.GreaterOrEqual(t, *tiny.BatchesHours, tiny.InitialSyncSeconds/3600)
}

// TestEstimate_leastRPO checks the smallest RPO by hand: 20 VMs of 100 GiB, 5 % a day, are 8.59e11 bit a day: 28,633
// s at 30 Mbit/s, with a peak of 8 more than half of any RPO. With 4 at 79.4 Mbit/s it is 4 * 10,818.6 / 86,400 =
// 0.50086 of an RPO, at 80 it is 0.4971; at 100 Mbit/s 0.39768, and with 60 s of overhead x * 60 / 2 >= 60 + 0.39768
// * x * 60 from x = 9.8.
func TestEstimate_leastRPO(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		peak, mbps, overhead, rpo float64
		want                      int64 // 0 for null
	}{
		{8, 30, 0, 60, 0}, {4, 79.4, 0, 60, 0}, {4, 80, 0, 60, 5}, {4, 80, 0, 4, 1}, {4, 100, 60, 60, 10},
	} {
		r := group(t, 20, 100, 5, test.mbps, func(in *replication.Input) {
			in.PeakFactor, in.OverheadSeconds, in.RPOMinutes = &test.peak, test.overhead, test.rpo
		})
		got := int64(0)
		if r.MinRPOMinutes != nil {
			got = *r.MinRPOMinutes
		}
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.want == 0, slices.Contains(plan.Codes(r.Findings), "rpo_does_not_help"))
		setting := fmt.Sprintf("with a peak_factor of %v ", test.peak)
		assert.Equal(t, test.want == 0, strings.Contains(fmt.Sprint(r.Findings), setting), "%v, %v", r.Findings, setting)
	}
}

// TestEstimate_bands checks the bands by hand: 60 VMs of 100 GiB at 1,000 Mbit/s need 6,000 * 2^33 / 1e9 = 51,539.6
// s; times 1.14 and 1.32 for transfers, and / 0.7 * 1.87 = 137,684.4 s for a nominal rate, whether 70 or 100 % of it
// is usable.
func TestEstimate_bands(t *testing.T) {
	t.Parallel()
	ask := func(basis string, efficiency float64, change func(*replication.Input)) replication.Result {
		return group(t, 60, 100, 1, 1000, func(in *replication.Input) {
			in.ThroughputBasis, in.EfficiencyPercent = basis, efficiency
			change(in)
		})
	}
	none := func(*replication.Input) {}
	r := ask(plan.BasisTransfer, 100, none)
	within(t, "initial sync", r.InitialSyncSeconds, 51539.6, 0.05)
	within(t, "4 of 5 transfers", *r.InitialSyncSeconds80, 58755.2, 0.05)
	within(t, "9 of 10 transfers", *r.InitialSyncSeconds90, 68032.3, 0.05)
	within(t, "4 of 5 cycles", *r.OngoingSyncSeconds80, 1.14*r.OngoingSyncSeconds, 1e-9)
	for _, efficiency := range []float64{70, 80, 100} {
		r = ask(plan.BasisNominal, efficiency, none)
		within(t, "nominal", *r.InitialSyncSeconds80, 137684.4, 0.05)
		assert.Nil(t, r.InitialSyncSeconds90)
	}
	// 50 % stay 50 %: 51,539.6 / 0.5 * 1.87 s.
	within(t, "half a line", *ask(plan.BasisNominal, 50, none).InitialSyncSeconds80, 192758.1, 0.1)
	for name, r := range map[string]replication.Result{
		"absent": ask("", 100, none), "network": ask(plan.BasisNetwork, 100, none),
		"curve":   ask(plan.BasisTransfer, 100, func(in *replication.Input) { in.ChangeCurve = map[float64]float64{15: 1} }),
		"storage": ask(plan.BasisTransfer, 100, func(in *replication.Input) { in.SourceReadMbps = new(500.0) }),
	} {
		require.Nil(t, r.InitialSyncSeconds80, name)
		assert.Nil(t, r.OngoingSyncSeconds90, name)
	}
}

// TestEstimate_needsAsPrinted checks that the printed throughput suffices: 140 VMs of 150 GiB, 4 % a day, RPO 60: 840
// * 2^33 bit in 1,800 s are 4,008.636 Mbit/s, printed as 4,008.7.
func TestEstimate_needsAsPrinted(t *testing.T) {
	t.Parallel()
	ask := func(mbps float64) replication.Result {
		return group(t, 140, 150, 4, mbps, func(in *replication.Input) { in.RPOMinutes = 60 })
	}
	assert.Contains(t, ask(1000).Summary, "needs 4,008.7 Mbit/s.")
	require.True(t, ask(4008.7).ViolationFree, "want 4,008.7 Mbit/s to be violation free, and 4,008.6 not")
	assert.False(t, ask(4008.6).ViolationFree, "want 4,008.7 Mbit/s to be violation free, and 4,008.6 not")
}

// TestEstimate_curveSparse checks points at 15 and 240 minutes, a factor of 16 apart, with an RPO of 60 minutes in
// between.
func TestEstimate_curveSparse(t *testing.T) {
	t.Parallel()
	for rpo, want := range map[float64]bool{15: false, 60: true, 240: false} {
		r := group(t, 1, 100, 0, 1000, func(in *replication.Input) {
			in.ChangeCurve, in.RPOMinutes = map[float64]float64{15: 1.6, 240: 2.8}, rpo
		})
		i := slices.Index(plan.Codes(r.Findings), "curve_sparse")
		assert.Equal(t, want, i >= 0, rpo)
		if i >= 0 && !strings.Contains(r.Findings[i].Sentence, "measure the change in 60 minutes") {
			t.Errorf("got %q, want the point to measure, 60 minutes", r.Findings[i].Sentence)
		}
	}
}
