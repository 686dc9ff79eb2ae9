package replication_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// gibOf102400MB is the size of the published VM in GiB: 102,400e6 bytes / 2^30.
const gibOf102400MB = 95.367431640625

// published returns the published example, 15 VMs with a daily change of 5% and an RPO of 15 minutes, on a link with
// the given throughput.
func published(sizeGiB, mbps float64) replication.Input {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.ThroughputMbps, in.RPOMinutes = 15, sizeGiB, 5, mbps, 15
	return in
}

type failer interface {
	require.TestingT
	Helper()
}

func estimate(t failer, in replication.Input) replication.Result {
	t.Helper()
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return r
}

func near(t failer, what string, got, want float64) {
	t.Helper()
	nearBy(t, what, got, want, 1e-12)
}

func nearBy(t failer, what string, got, want, tolerance float64) {
	t.Helper()
	assert.True(t, math.Abs(got-want) <= tolerance*math.Abs(want), "%s is %v, want %v", what, got, want)
}

// TestEstimate_publishedExample checks the published numbers for both interpretations of "102,400 MB".
//
// If 1 MB is 10^6 bytes, the VMs have 15 * 102,400e6 * 8 bit = 12.288e12 bit. At 901e6 bit/s, sending all of it takes
// 13,638.2 s, and sending 5% of it takes 681.9 s (11.4 min). At 440e6 bit/s, the times are 27,927.3 s and 1,396.4 s
// (23.3 min). If 1 MB is 2^20 bytes, the VMs have 15 * 100 * 2^33 bit = 12,884,901,888,000 bit. At 901e6 bit/s, the
// times are 14,300.7 s and 715.0 s.
func TestEstimate_publishedExample(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size, mbps, initial, delta float64
		verdict                    string
	}{
		{gibOf102400MB, 901, 13638.2, 681.9, replication.VerdictAtRisk},
		{gibOf102400MB, 440, 27927.3, 1396.4, replication.VerdictMisses},
		{100, 901, 14300.7, 715.0, replication.VerdictAtRisk},
	} {
		r := estimate(t, published(test.size, test.mbps))
		// The published numbers have one decimal place.
		require.InDelta(t, test.initial, r.InitialSyncSeconds, 0.05)
		assert.InDelta(t, test.delta, r.OngoingSyncSeconds, 0.05)
		assert.True(t, r.Verdict == test.verdict && r.MeetsRPO == (test.delta <= 900) && !r.ViolationFree,
			"%v Mbit/s: %s, meets %v, violation free %v", test.mbps, r.Verdict, r.MeetsRPO, r.ViolationFree)
	}
	r := estimate(t, published(gibOf102400MB, 901))
	// 2 * 681.9 s = 22.7 min, rounded up to 23 min.
	assert.EqualValues(t, 23, *r.MinRPOMinutes)
	// 12.288e12 bit * 5% = 614.4e9 bit, which requires 682.67 Mbit/s to send in 900 s and 1,365.33 Mbit/s to send in 450
	// s.
	near(t, "throughput for the RPO", *r.ThroughputForRPOMbps, 614.4e9/900/1e6)
	near(t, "throughput violation free", *r.ThroughputViolationFreeMbps, 614.4e9/450/1e6)
	// Sending the changes of one VM takes 45.46 s, so within half the RPO, the changes of 450 / 45.46 = 9.9 VMs can be
	// sent, or 450 / 13,638.18 = 3.2996% of the data of all VMs.
	assert.EqualValues(t, 9, *r.MaxVMCount)
	near(t, "largest daily change", *r.MaxDailyChangePercent, 450*901e6/12.288e12*100)
}

// TestEstimate_scheduling checks the example in the documentation for an RPO of 15 minutes, with syncs of 5, 7.5 and 10
// minutes. No data changes, so the overhead determines the duration of a sync.
func TestEstimate_scheduling(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		minutes float64
		verdict string
		reasons []string
	}{
		{5, replication.VerdictMeets, []string{}},
		{7.5, replication.VerdictMeets, []string{}}, // back-to-back syncs, no violation
		{math.Nextafter(7.5, 8), replication.VerdictAtRisk, []string{"cycle_exceeds_half_rpo", "overhead_exceeds_half_rpo"}},
		{10, replication.VerdictAtRisk, []string{"cycle_exceeds_half_rpo", "overhead_exceeds_half_rpo"}},
		{15, replication.VerdictAtRisk, []string{"cycle_exceeds_half_rpo", "overhead_exceeds_half_rpo"}},
		{math.Nextafter(15, 16), replication.VerdictMisses, []string{"cycle_exceeds_half_rpo", "cycle_exceeds_rpo", "overhead_exceeds_half_rpo"}},
	} {
		in := published(100, 901)
		in.DailyChangePercent, in.OverheadSeconds = 0, test.minutes*60
		r := estimate(t, in)
		require.Equal(t, test.verdict, r.Verdict)
		assert.Equal(t, test.reasons, plan.Codes(r.Findings))
	}
	// With T = 10 minutes and an RPO of x = 15 minutes, each cycle violates the RPO for 2 T - x = 5 minutes.
	in := published(100, 901)
	in.DailyChangePercent, in.OverheadSeconds = 0, 600
	assert.Contains(t, estimate(t, in).Summary, "such a cycle violates the RPO for 5m 0s")
	// With a peak factor, the duration of a violation depends on when the syncs start.
	in.PeakFactor = new(1.0)
	r := estimate(t, in)
	require.Equal(t, replication.VerdictAtRisk, r.Verdict)
	assert.Contains(t, r.Summary, "so the RPO does not always hold.")
}

// TestEstimate_dailyChangeExceedsLink checks that a daily change of 200% of 1,500 GiB at 250 Mbit/s uses 3,000 * 2^33 /
// 250e6 / 86,400 = 119.3% of the link's daily capacity.
func TestEstimate_dailyChangeExceedsLink(t *testing.T) {
	t.Parallel()
	in := published(100, 250)
	in.DailyChangePercent, in.PeakFactor = 200, new(1.0)
	r := estimate(t, in)
	nearBy(t, "daily link use", r.DailyLinkUsePercent, 119.3, 1e-4)
	want := []string{"cycle_exceeds_half_rpo", "cycle_exceeds_rpo", "daily_change_exceeds_link", "rpo_does_not_help"}
	assert.Equal(t, want, plan.Codes(r.Findings))
	require.Nil(t, r.MinRPOMinutes)
	assert.Contains(t, r.Summary, "No RPO up to 1,440 minutes holds")
}

func TestEstimate_noNumberExists(t *testing.T) {
	t.Parallel()
	// The overhead alone exceeds half the RPO, so no throughput, VM count or change is violation-free.
	in := published(100, 901)
	in.OverheadSeconds = 451
	r := estimate(t, in)
	assert.True(t, r.ThroughputViolationFreeMbps == nil && r.MaxDailyChangePercent == nil && r.MaxVMCount != nil &&
		*r.MaxVMCount == 0,
		"throughput %v, change %v, count %v", r.ThroughputViolationFreeMbps, r.MaxDailyChangePercent, r.MaxVMCount)
	assert.NotNil(t, r.ThroughputForRPOMbps, "451 s leave 449 s of the RPO for the transfer, so a throughput exists")
	if !strings.HasSuffix(r.Summary, "holds for steady change is 39 minutes.") { // 2 * (451 + 715.0) s = 38.9 min
		t.Errorf("summary: %s", r.Summary)
	}
	// If no data changes, any throughput is sufficient for any number of VMs.
	in = published(100, 901)
	in.DailyChangePercent = 0
	r = estimate(t, in)
	if r.MaxVMCount != nil || *r.ThroughputForRPOMbps != replication.RangeThroughputMbps.Min ||
		*r.MaxDailyChangePercent <= 0 ||
		*r.MinRPOMinutes != 5 {
		t.Errorf("count %v, throughput %v, change %v, RPO %v", r.MaxVMCount, *r.ThroughputForRPOMbps,
			*r.MaxDailyChangePercent, *r.MinRPOMinutes)
	}
	// The link is fast enough for any change in the range.
	in = published(1, 1e9)
	r = estimate(t, in)
	assert.Equal(t, 1000.0, *r.MaxDailyChangePercent)
}

func TestEstimate_summary(t *testing.T) {
	t.Parallel()
	in := published(gibOf102400MB, 901)
	in.EfficiencyPercent = 70
	in.RPOMinutes = 60
	want := "15 VMs of 95.4 GiB are 1,430.5 GiB. At 901 Mbit/s, of which 70% is usable, the initial sync takes 5h 24m " +
		"44s, and " +
		"sending the 71.5 GiB that change in one cycle takes 16m 15s if the change of a whole day falls into one cycle " +
		"(peak_factor is not set). This is within half the RPO of 60 minutes, so the RPO holds for steady change if " +
		"nothing else uses the link."
	// 13,638.18 s / 0.7 = 19,483.1 s = 5 h 24 min 43 s; 681.909 s / 0.7 = 974.2 s = 16 min 14 s.
	assert.Equal(t, want, estimate(t, in).Summary)
	in.RPOMinutes = 1
	assert.Contains(t, estimate(t, in).Summary, "longer than the RPO of 1 minute.")
}

func ExampleEstimate() {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.ThroughputMbps, in.RPOMinutes = 15, 100, 5, 901, 15
	r, err := replication.Estimate(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("initial sync %.1f s, delta %.1f s: %s\n", r.InitialSyncSeconds, r.OngoingSyncSeconds, r.Verdict)
	// Output: initial sync 14300.7 s, delta 715.0 s: at_risk
}

func TestEstimate_mechanism(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mechanism string
		rpo       float64
		want      []string
	}{
		{"", 4, []string{"rpo_below_5_minutes"}},
		{"", 5, []string{}},
		{replication.MechanismReplication, 2, []string{"rpo_below_5_minutes"}},
		{replication.MechanismGroup, 2, []string{"scheduler_not_documented"}},
	} {
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.ThroughputMbps, in.RPOMinutes = 1, 1, 1, 1000, test.rpo
		in.Mechanism = test.mechanism
		r := estimate(t, in)
		require.Equal(t, test.want, plan.Codes(r.Findings), test)
		assert.Equal(t, replication.VerdictMeets, r.Verdict, test)
	}
}
