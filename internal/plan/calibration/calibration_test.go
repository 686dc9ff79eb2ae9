package calibration_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/replication"
)

const gib = 1 << 30

func sync(bytes, seconds float64) calibration.Input {
	in := calibration.Defaults()
	in.RPOMinutes, in.SizeBytes, in.Seconds = 15, &bytes, &seconds
	return in
}

func calibrate(t *testing.T, in calibration.Input) calibration.Result {
	t.Helper()
	r, err := calibration.Calibrate(in)
	require.NoError(t, err)
	return r
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	require.NotNil(t, got, what)
	assert.InDelta(t, want, *got, 1e-9*want, what)
}

func TestCalibrate_byHand(t *testing.T) {
	t.Parallel()
	in := sync(2*gib, 300)
	in.VMSizeGiB = new(1000.0)
	r := calibrate(t, in)
	// 2 * 2^33 bit / 300 s
	near(t, "throughput", r.EffectiveThroughputMbps, 17179869184.0/300/1e6)
	// 900 - 1.2 * 300
	near(t, "interval", r.IntervalSeconds, 540)
	// 86,400 / 540 = 160 syncs of 2 GiB
	near(t, "change in GiB", r.EffectiveDailyChangeGiB, 320)
	near(t, "change", r.EffectiveDailyChangePercent, 32)
	if r.Optimistic != nil || r.EstimatedSyncSeconds != nil ||
		r.Summary != "The last sync sent 2 GiB in 5m 0s (57.3 Mbit/s). There is no assumption of the plan to compare it "+
			"with." {
		t.Errorf("got %+v, want no estimate and no verdict", r)
	}
	// 86,400 / 900 = 96 syncs of 2 GiB, as in the guide on change rates
	in.IntervalSeconds = new(900.0)
	near(t, "change, interval known", calibrate(t, in).EffectiveDailyChangeGiB, 192)
	// A sync that takes longer than RPO / 2.2 is followed immediately by the next: 900 - 1.2 * 480 = 324 s is less than
	// the sync duration of 480 s.
	near(t, "interval back to back", calibrate(t, sync(2*gib, 480)).IntervalSeconds, 480)
}

// TestCalibrate_optimistic compares a sync of 2 GiB in 300 s, which amounts to 57.27 Mbit/s and a daily change of 32%,
// with several plans.
func TestCalibrate_optimistic(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes, seconds           float64
		size, throughput, change float64
		optimistic               bool
		codes                    string
	}{
		"the plan holds": {2 * gib, 300, 1000, 57, 32, false, ""},
		// 57.27 > 0.9 * 63; 32 < 1.1 * 29.1
		"within the tolerance": {2 * gib, 300, 1000, 63, 29.1, false, ""},
		"throughput past it":   {2 * gib, 300, 1000, 64, 32, true, "throughput_below_assumed"},   // 57.27 < 0.9 * 64
		"change past it":       {2 * gib, 300, 1000, 57, 29, true, "daily_change_above_assumed"}, // 32 > 1.1 * 29
		// 0.02% of 1,000 GiB is 0.2 GiB. Sending it takes only 0.2 * 2^33 bit / 57e6 bit/s = 30.1 s.
		"longer than estimated": {2 * gib, 300, 1000, 57, 0.02, true, "daily_change_above_assumed sync_longer_than_estimated"},
		"too short":             {2 * gib, 9, 1000, 1e6, 32, false, "sync_too_short_to_measure"},
		"no time at all":        {1e6, 0, 1000, 1e6, 32, false, "sync_too_short_to_measure"},
		// Sending a whole day of changes takes only 320 * 2^33 bit / 10^12 bit/s = 2.7 s.
		"nothing to send": {0, 20, 1000, 1e6, 32, true, "sync_longer_than_estimated"},
		// 500 * 2^33 bit / 86,400 s = 49.7 Mbit/s
		"a full copy, slow": {500 * gib, 86400, 1000, 57, 1, true, "sync_was_full_copy throughput_below_assumed"},
		// 500 * 2^33 bit / 70,000 s = 61.4 Mbit/s
		"a full copy, fast": {500 * gib, 70000, 1000, 57, 1, false, "sync_was_full_copy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sync(test.bytes, test.seconds)
			in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = &test.size, &test.throughput, &test.change
			r := calibrate(t, in)
			require.NotNil(t, r.Optimistic)
			assert.Equal(t, test.optimistic, *r.Optimistic)
			assert.Equal(t, test.codes, strings.Join(plan.Codes(r.Findings), " "))
			full := strings.Contains(test.codes, "full_copy")
			require.Equal(t, r.EffectiveDailyChangeGiB == nil, full)
			assert.Equal(t, r.EffectiveDailyChangePercent == nil, full)
			assert.Equal(t, r.EffectiveThroughputMbps == nil, test.bytes == 0 || test.seconds == 0)
			words := ". The sync is as planned."
			planned := test.size * test.change / 100 * 8 * gib / (test.throughput * 1e6)
			switch {
			case test.optimistic:
				words = ". The plan is optimistic."
			case planned > 15*60:
				words = ". The sync is as planned, but the plan itself misses the RPO: its busiest sync takes "
			}
			assert.Contains(t, r.Summary, words)
		})
	}
}

// TestCalibrate_asScheduled checks that the schedule and the calibration agree on the sync interval. For one VM that
// changes at 100 Mbit/s, half of the available throughput, the schedule settles into a sync every 900 / (1 + 1.2 * 0.5)
// = 562.5 s that takes 281.25 s. The calibration computes the same interval: 900 - 1.2 * 281.25 = 562.5 s.
func TestCalibrate_asScheduled(t *testing.T) {
	t.Parallel()
	near(t, "interval", calibrate(t, sync(2*gib, 281.25)).IntervalSeconds, 562.5)
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.JitterPercent = new(200.0), 0
	in.Groups = map[string]replication.Group{
		"a": {VMCount: 1, VMSizeGiB: 8.64e12 / (8 << 30), DailyChangePercent: 100, RPOMinutes: 15, CompressionRatio: 1},
	}
	r, err := replication.Schedule(t.Context(), in)
	require.NoError(t, err)
	// When a sync ends, the previous recovery point is 562.5 + 281.25 s = 14.0625 minutes old.
	assert.InDelta(t, float64((562.5+281.25)/60), r.WorstRecoveryPointMinutes, 1e-6)
}

func TestCalibrate_noSync(t *testing.T) {
	t.Parallel()
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = 60, new(10.0), new(100.0), new(1.0)
	r := calibrate(t, in)
	assert.True(t, r.EffectiveThroughputMbps == nil && r.EffectiveDailyChangeGiB == nil &&
		r.EffectiveDailyChangePercent == nil && r.IntervalSeconds == nil && r.Optimistic == nil,
		"got %+v, want no measurement", r)
	assert.True(t, r.EstimatedSyncSeconds != nil && slices.Equal(plan.Codes(r.Findings), []string{"no_sync_yet"}) &&
		r.Summary == "No sync yet.", "got %+v, want an estimate and the reason no_sync_yet", r)
}

func TestCalibrate_input(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*calibration.Input)
		want   string
	}{
		"size alone":       {func(in *calibration.Input) { in.Seconds = nil }, "last_sync_duration_seconds must be set together"},
		"duration alone":   {func(in *calibration.Input) { in.SizeBytes = nil }, "last_sync_duration_seconds must be set together"},
		"share of nothing": {func(in *calibration.Input) { in.DailyChangePercent = new(1.0) }, "vm_size_gib is required with daily_change_percent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sync(gib, 100)
			test.change(&in)
			_, err := calibration.Calibrate(in)
			list, ok := errors.AsType[plan.InputErrors](err)
			require.True(t, ok, "%v, want %q", err, test.want)
			assert.True(t, strings.HasPrefix(list.Error(), test.want), "%v, want %q", err, test.want)
		})
	}
}

func TestCalibrate_inverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := calibration.Defaults()
		in.RPOMinutes = rapid.Float64Range(5, 1440).Draw(t, "rpo")
		in.VMSizeGiB = new(rapid.Float64Range(100, 1e4).Draw(t, "size"))
		in.ThroughputMbps = new(rapid.Float64Range(0.1, 10).Draw(t, "throughput"))
		in.DailyChangePercent, in.PeakFactor = new(rapid.Float64Range(1, 49).Draw(t, "change")), new(1.0)
		// Even the shortest sync lasts 3 s: it sends 1% of 100 GiB * 5 / 1,440 at 10 Mbit/s.
		of := replication.Defaults()
		of.VMCount, of.VMSizeGiB, of.RPOMinutes = 1, *in.VMSizeGiB, in.RPOMinutes
		of.ThroughputMbps, of.DailyChangePercent, of.PeakFactor = *in.ThroughputMbps, *in.DailyChangePercent, in.PeakFactor
		estimate, err := replication.Estimate(of)
		require.NoError(t, err)
		in.SizeBytes, in.Seconds = new(estimate.ChangedGiBPerCycle*gib), &estimate.OngoingSyncSeconds
		in.IntervalSeconds = new(in.RPOMinutes * 60)
		r, err := calibration.Calibrate(in)
		require.NoError(t, err)
		assert.True(t, math.Abs(*r.EffectiveThroughputMbps / *in.ThroughputMbps - 1) <= 1e-9 &&
			math.Abs(*r.EffectiveDailyChangePercent / *in.DailyChangePercent - 1) <= 1e-9 && !*r.Optimistic,
			"got %+v, want the assumptions that made the sync", r)
	})
}

// replayed returns 10 VMs of 100 GiB with an RPO of one hour and a daily change of 10%. Their total of 100 GiB a day
// requires 9.94 Mbit/s.
func replayed(measured, mbps float64) calibration.Input {
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = 60, new(100.0), &mbps, new(10.0)
	in.CompliancePercent, in.VMCount, in.Days = &measured, 10, 2
	return in
}

func TestCalibrate_replay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in         calibration.Input
		replayed   func(percent float64) bool
		optimistic bool
		codes      string
	}{
		"as measured":        {replayed(100, 100), func(p float64) bool { return p == 100 }, false, ""},
		"within a point":     {replayed(99.1, 100), func(p float64) bool { return p == 100 }, false, ""},
		"less than replayed": {replayed(98.9, 100), func(p float64) bool { return p == 100 }, true, "compliance_below_replayed"},
		"nothing was kept":   {replayed(0, 100), func(p float64) bool { return p == 100 }, true, "compliance_below_replayed"},
		"more than replayed": {replayed(100, 5), func(p float64) bool { return p < 50 }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := calibrate(t, test.in)
			assert.True(t, test.replayed(*r.ReplayedCompliancePercent) && *r.Optimistic == test.optimistic &&
				math.Abs(*test.in.CompliancePercent-*r.ReplayedCompliancePercent-*r.ComplianceDifference) <= 1e-12,
				"got %+v, want the replayed compliance and verdict of the row", r)
			assert.Equal(t, test.codes, strings.Join(plan.Codes(r.Findings), " "))
			assert.Contains(t, r.Summary, "The simulated compliance")
		})
	}
}

func TestCalibrate_replayInput(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*calibration.Input){
		"throughput_mbps is required if compliance_percent": func(in *calibration.Input) { in.ThroughputMbps = nil },
		"vm_size_gib is required":                           func(in *calibration.Input) { in.VMSizeGiB = nil },
		"daily_change_percent is required if compliance_percent": func(in *calibration.Input) {
			in.DailyChangePercent = nil
		},
		`change_curve["120"] must be at least`: func(in *calibration.Input) {
			in.ChangeCurve = map[float64]float64{60: 2, 120: 1}
		},
		"compliance_percent must be between 0 and 100": func(in *calibration.Input) { in.CompliancePercent = new(101.0) },
		"replay_days must not require more than": func(in *calibration.Input) {
			in.VMCount, in.RPOMinutes, in.Days = 2e5, 1, 31
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			in := replayed(99, 100)
			change(&in)
			_, err := calibration.Calibrate(in)
			list, ok := errors.AsType[plan.InputErrors](err)
			require.True(t, ok, "%v, want %q", err, want)
			assert.True(t, strings.HasPrefix(list.Error(), want), "%v, want %q", err, want)
		})
	}
}
