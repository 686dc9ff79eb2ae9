package replication_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// ranged returns 15 VMs of 102,400 MB with a daily change of 5% and an RPO of 30 minutes. The throughput ranges from
// 400 to 901 Mbit/s.
func ranged() replication.ConfidenceInput {
	in := replication.ConfidenceInput{Likely: replication.Defaults()}
	in.Likely.VMCount, in.Likely.VMSizeGiB, in.Likely.DailyChangePercent = 15, 102400e6/(1<<30), 5
	in.Likely.ThroughputMbps, in.Likely.RPOMinutes = 700, 30
	in.Spreads = map[string]calculator.Spread{"throughput_mbps": {Low: 400, Likely: 700, High: 901}}
	return in
}

func confidence(t *testing.T, in replication.ConfidenceInput) replication.ConfidenceResult {
	t.Helper()
	r, err := replication.Confidence(in)
	require.NoError(t, err)
	return r
}

// TestConfidence checks a range of throughputs against results computed by hand. A cycle sends 5% of 12.288e12 bit, or
// 614.4e9 bit. Sending it in half the RPO (900 s) requires 682.667 Mbit/s. The throughput is below this value with a
// probability of (682.667 - 400)^2 / (501 * 300) = 53.16%, so 46.84% of the samples are violation-free. Sending it in
// the whole RPO (1,800 s) requires only 341.3 Mbit/s, so all samples meet the RPO. The median throughput is 400 +
// sqrt(0.5 * 501 * 300) = 674.135 Mbit/s, and the 5th percentile is 400 + sqrt(0.05 * 501 * 300) = 486.689 Mbit/s.
func TestConfidence(t *testing.T) {
	t.Parallel()
	r := confidence(t, ranged())
	within(t, "violation free", r.ViolationFreePercent, 46.84, 1e-9)
	within(t, "meets", r.MeetsRPOPercent, 100, 1e-9)
	within(t, "throughput", *r.ThroughputConfidentMbps, 682.667, 1e-9)
	within(t, "median cycle", r.P50OngoingSyncSeconds, 614400/674.135, 0.1)
	within(t, "95th percentile of the cycle", r.P95OngoingSyncSeconds, 614400/486.689, 0.2)
	within(t, "median initial sync", r.P50InitialSyncSeconds, 12288000/674.135, 2)
	within(t, "95th percentile of the initial sync", r.P95InitialSyncSeconds, 12288000/486.689, 4)
	// A higher throughput always shortens a cycle.
	within(t, "driver", r.Drivers["throughput_mbps"], -1, 1e-12)
}

func TestConfidence_three(t *testing.T) {
	t.Parallel()
	in := ranged()
	in.Spreads["daily_change_percent"] = calculator.Spread{Low: 3, Likely: 5, High: 8}
	in.Spreads["vm_size_gib"] = calculator.Spread{Low: 80, Likely: 95.367431640625, High: 120}
	r := confidence(t, in)
	within(t, "violation free", math.Round(r.ViolationFreePercent*10)/10, 34.6, 1e-9)
	within(t, "95th percentile of the cycle", r.P95OngoingSyncSeconds, 1560.34, 1e-9)
	within(t, "throughput", *r.ThroughputConfidentMbps, 1033.27, 1e-9)
	if names := r.ByEffect(); names[0] != "daily_change_percent" || names[2] != "vm_size_gib" ||
		r.Drivers["daily_change_percent"] < 0 || r.Drivers["throughput_mbps"] > 0 ||
		!strings.HasSuffix(r.Summary, " The most important input is daily_change_percent.") {
		t.Errorf("%v: %+v", names, r)
	}
}

func TestConfidence_plain(t *testing.T) {
	t.Parallel()
	six := func(v float64) float64 {
		scale := math.Pow(10, 5-math.Floor(math.Log10(v)))
		return math.Round(v*scale) / scale
	}
	in := ranged()
	in.Spreads = nil
	r := confidence(t, in)
	estimate, err := replication.Estimate(in.Likely)
	require.NoError(t, err)
	for _, percentile := range []float64{r.P50OngoingSyncSeconds, r.P95OngoingSyncSeconds} {
		within(t, "cycle", percentile, six(estimate.OngoingSyncSeconds), 1e-9)
	}
	for _, percentile := range []float64{r.P50InitialSyncSeconds, r.P95InitialSyncSeconds} {
		within(t, "initial sync", percentile, six(estimate.InitialSyncSeconds), 1e-9)
	}
	within(t, "throughput", *r.ThroughputConfidentMbps, six(*estimate.ThroughputViolationFreeMbps), 1e-9)
	assert.True(t, r.MeetsRPOPercent == 100 && r.ViolationFreePercent == 100 && len(r.Drivers) == 0 &&
		len(r.ByEffect()) == 0, "%+v", r)
	in.Spreads = map[string]calculator.Spread{"throughput_mbps": {Low: 700, Likely: 700, High: 700}}
	one := confidence(t, in)
	assert.True(t, one.Drivers["throughput_mbps"] == 0 && one.P95OngoingSyncSeconds == r.P95OngoingSyncSeconds &&
		one.Summary == r.Summary, "%+v", one)
}

// TestConfidence_wholeVMs checks that VM counts are rounded. A range of 1 to 3 VMs with the likely value 2 yields 1 VM
// with a probability of 0.5^2 / 2 = 1/8, 3 VMs with the same probability, and otherwise 2 VMs. One VM sends 10 GiB
// (85,899.3 Mbit) at 1,000 Mbit/s in 85.8993 s.
func TestConfidence_wholeVMs(t *testing.T) {
	t.Parallel()
	in := replication.ConfidenceInput{Likely: replication.Defaults()}
	in.Likely.VMCount, in.Likely.VMSizeGiB, in.Likely.DailyChangePercent = 2, 10, 100
	in.Likely.ThroughputMbps, in.Likely.RPOMinutes = 1000, 5
	in.Spreads = map[string]calculator.Spread{"vm_count": {Low: 1, Likely: 2, High: 3}}
	r := confidence(t, in)
	within(t, "median", r.P50OngoingSyncSeconds, 171.799, 1e-9)
	within(t, "95th percentile", r.P95OngoingSyncSeconds, 257.698, 1e-9)
	within(t, "only one VM is within 150 s", r.ViolationFreePercent, 12.5, 1e-9)
	within(t, "three are within 300 s", r.MeetsRPOPercent, 100, 1e-9)
	// Equal values share their mean rank, so the correlation is still perfect.
	within(t, "driver", r.Drivers["vm_count"], 1, 1e-12)
}

func TestConfidence_noThroughput(t *testing.T) {
	t.Parallel()
	in := ranged()
	in.Spreads["overhead_seconds"] = calculator.Spread{Low: 0, Likely: 1000, High: 1000}
	r := confidence(t, in)
	require.Nil(t, r.ThroughputConfidentMbps)
	assert.Contains(t, r.Summary, "No throughput makes the RPO violation-free in 95%.")
	in = ranged()
	in.Likely.SourceReadMbps = new(682.0) // below the required 682.667 Mbit/s
	if r := confidence(t, in); r.ThroughputConfidentMbps != nil || r.ViolationFreePercent != 0 {
		t.Errorf("%+v", r)
	}
	in.Likely.SourceReadMbps, in.Likely.DailyChangePercent = nil, 0
	assert.Equal(t, replication.RangeThroughputMbps.Min, *confidence(t, in).ThroughputConfidentMbps)
}

func TestConfidence_curve(t *testing.T) {
	t.Parallel()
	in := ranged()
	in.Likely.DailyChangePercent, in.Likely.ChangeCurve = 0, map[float64]float64{60: 2.4}
	in.Likely.SeededPercent, in.Likely.RPOMinutes = 10, 4
	r := confidence(t, in)
	// In each cycle, 2.4 * 4 / 60 = 0.16 GiB changes on each VM, or 2.4 GiB (20,615.8 Mbit) in total. Sending it in half
	// the RPO (120 s) requires 171.799 Mbit/s.
	within(t, "throughput", *r.ThroughputConfidentMbps, 171.799, 1e-9)
	want := []string{"change_curve_extrapolated", "rpo_below_5_minutes", "seed_check_not_counted"}
	assert.Equal(t, want, plan.Codes(r.Findings))
}

// TestCycles checks percentiles computed by hand. 1% of 12.288e12 bit is 122,880 Mbit. At a given throughput, only the
// daily change varies: from 3% to 8%, with a likely value of 5%. In percent, its 5th percentile is 3 + sqrt(0.05 * 5 *
// 2), its median is 8 - sqrt(0.5 * 5 * 3), and its 95th percentile is 8 - sqrt(0.05 * 5 * 3).
func TestCycles(t *testing.T) {
	t.Parallel()
	in := ranged()
	in.Spreads["daily_change_percent"] = calculator.Spread{Low: 3, Likely: 5, High: 8}
	got, err := replication.Cycles(in, []float64{500, 1000})
	require.NoError(t, err)
	require.Len(t, got, 2)
	for i, mbps := range []float64{500, 1000} {
		within(t, "throughput", got[i].ThroughputMbps, mbps, 0)
		within(t, "5th", got[i].P5, 122880/mbps*(3+math.Sqrt(0.5)), 0.1)
		within(t, "median", got[i].P50, 122880/mbps*(8-math.Sqrt(7.5)), 0.1)
		within(t, "95th", got[i].P95, 122880/mbps*(8-math.Sqrt(0.75)), 0.2)
	}
	in.Likely.RPOMinutes = 0
	_, err = replication.Cycles(in, nil)
	assert.Error(t, err, "an RPO of 0 is accepted")
}

func TestConfidence_badInput(t *testing.T) {
	t.Parallel()
	for want, spreads := range map[string]map[string]calculator.Spread{
		"throughput_mbps.low must be at most the likely value (700), got 800":   {"throughput_mbps": {Low: 800, Likely: 700, High: 901}},
		"throughput_mbps.high must be at least the likely value (700), got 600": {"throughput_mbps": {Low: 400, Likely: 700, High: 600}},
		"efficiency_percent.high must be between 0.000001 and 100 percent, got 101": {
			"efficiency_percent": {Low: 50, Likely: 70, High: 101},
		},
		"vm_count.low must be a whole number (between 1 and 1,000,000,000 VMs), got 1.5": {"vm_count": {Low: 1.5, Likely: 2, High: 3}},
	} {
		in := ranged()
		in.Spreads = spreads
		_, err := replication.Confidence(in)
		list, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "%v, want %s", err, want)
		assert.Equal(t, want, list.Error(), err)
	}
	in := ranged()
	in.Likely.ChangeCurve = map[float64]float64{}
	_, err := replication.Confidence(in)
	assert.Error(t, err, "an empty curve is accepted")
}

func TestConfidence_driverSigns(t *testing.T) {
	t.Parallel()
	worst := map[calculator.Direction]float64{calculator.Lower: 1, calculator.Higher: -1}
	moved := 0
	for _, f := range replication.ConfidenceDefinition.Calculator().Inputs() {
		sign, directed := worst[f.Direction]
		if f.Kind != calculator.NumberOrSpread || !directed {
			continue
		}
		in := ranged()
		low := max(f.Range.Min, 1)
		in.Spreads = map[string]calculator.Spread{f.Name: {Low: low, Likely: low + 3, High: low + 9}}
		driver := confidence(t, in).Drivers[f.Name]
		assert.False(t, driver != 0 && math.Abs(driver-sign) > 1e-12,
			"the driver of %s is %v, want %v", f.Name, driver, sign)
		if driver != 0 {
			moved++
		}
	}
	// VM count, size, change, throughput, peak factor, efficiency, compression, overhead and slow storage have an effect.
	assert.GreaterOrEqual(t, moved, 8)
}

// BenchmarkPlanning_confidence samples every input. Each iteration must take at most one second.
func BenchmarkPlanning_confidence(b *testing.B) {
	in := ranged()
	in.Spreads = map[string]calculator.Spread{
		"vm_count": {Low: 10, Likely: 15, High: 30}, "vm_size_gib": {Low: 80, Likely: 95, High: 120},
		"daily_change_percent": {Low: 3, Likely: 5, High: 8}, "throughput_mbps": {Low: 400, Likely: 700, High: 901},
		"peak_factor": {Low: 1, Likely: 2, High: 6}, "efficiency_percent": {Low: 60, Likely: 80, High: 100},
		"compression_ratio": {Low: 1, Likely: 1.5, High: 3}, "seeded_percent": {Low: 0, Likely: 20, High: 90},
		"overhead_seconds": {Low: 0, Likely: 30, High: 60}, "checksum_mbps": {Low: 500, Likely: 800, High: 1000},
		"source_read_mbps":    {Low: 1000, Likely: 2000, High: 4000},
		"target_write_mbps":   {Low: 900, Likely: 1000, High: 2000},
		"target_write_factor": {Low: 2, Likely: 2, High: 3},
	}
	for b.Loop() {
		r, err := replication.Confidence(in)
		require.NoError(b, err)
		require.Len(b, r.Drivers, len(in.Spreads))
	}
}
