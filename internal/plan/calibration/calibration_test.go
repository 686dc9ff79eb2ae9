package calibration_test

import (
	"errors"
	"math"
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
	in.RPOMinutes = 15
	in.SizeBytes = &bytes
	in.Seconds = &seconds
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
	near(t, "interval", r.IntervalSeconds, 900)
	// 86,400 / 900 = 96 syncs of 2 GiB
	near(t, "change in GiB", r.EffectiveDailyChangeGiB, 192)
	near(t, "change", r.EffectiveDailyChangePercent, 19.2)
	if r.Optimistic != nil || r.EstimatedSyncSeconds != nil ||
		r.Summary != "The last sync sent 2 GiB in 5m 0s (57.3 Mbit/s). There is no assumption of the plan to "+
			"compare it "+
			"with." {
		t.Errorf("got %+v, want no estimate and no verdict", r)
	}
	// 86,400 / 540 = 160 syncs of 2 GiB
	in.IntervalSeconds = new(540.0)
	near(t, "change, interval known", calibrate(t, in).EffectiveDailyChangeGiB, 320)
	// A sync that takes longer than the RPO is followed immediately by the next.
	near(t, "interval back to back", calibrate(t, sync(2*gib, 1000)).IntervalSeconds, 1000)
}

// TestCalibrate_optimistic compares a sync of 2 GiB in 300 s, which amounts to 57.27 Mbit/s and a daily change of
// 19.2%, with several plans.
func TestCalibrate_optimistic(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes, seconds           float64
		size, throughput, change float64
		optimistic               bool
		codes                    string
	}{
		"the plan holds": {2 * gib, 300, 1000, 57, 19.2, false, ""},
		// 57.27 > 0.9 * 63; 19.2 < 1.1 * 17.5
		"within the tolerance": {2 * gib, 300, 1000, 63, 17.5, false, ""},
		"throughput past it":   {2 * gib, 300, 1000, 64, 32, true, "throughput_below_assumed"},     // 57.27 < 0.9 * 64
		"change past it":       {2 * gib, 300, 1000, 57, 17.4, true, "daily_change_above_assumed"}, // 19.2 > 1.1 * 17.4
		// 0.02% of 1,000 GiB is 0.2 GiB. Sending it takes only 0.2 * 2^33 bit / 57e6 bit/s = 30.1 s.
		"longer than estimated": {
			2 * gib,
			300,
			1000,
			57,
			0.02,
			true,
			"daily_change_above_assumed sync_longer_than_estimated",
		},
		"too short":      {2 * gib, 9, 1000, 1e6, 32, false, "sync_too_short_to_measure"},
		"no time at all": {1e6, 0, 1000, 1e6, 32, false, "sync_too_short_to_measure"},
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
			in.VMSizeGiB = &test.size
			in.ThroughputMbps = &test.throughput
			in.DailyChangePercent = &test.change
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

func TestCalibrate_noSync(t *testing.T) {
	t.Parallel()
	in := calibration.Defaults()
	in.RPOMinutes = 60
	in.VMSizeGiB = new(10.0)
	in.ThroughputMbps = new(100.0)
	in.DailyChangePercent = new(1.0)
	r := calibrate(t, in)
	assert.Nil(t, r.EffectiveThroughputMbps)
	assert.Nil(t, r.EffectiveDailyChangeGiB)
	assert.Nil(t, r.EffectiveDailyChangePercent)
	assert.Nil(t, r.IntervalSeconds)
	assert.Nil(t, r.Optimistic)
	assert.NotNil(t, r.EstimatedSyncSeconds)
	assert.Equal(t, []string{"no_sync_yet"}, plan.Codes(r.Findings))
	assert.Equal(t, "No sync yet.", r.Summary)
}

func TestCalibrate_input(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*calibration.Input)
		want   string
	}{
		"size alone": {
			func(in *calibration.Input) { in.Seconds = nil },
			"last_sync_duration_seconds must be set together",
		},
		"duration alone": {
			func(in *calibration.Input) { in.SizeBytes = nil },
			"last_sync_duration_seconds must be set together",
		},
		"share of nothing": {
			func(in *calibration.Input) { in.DailyChangePercent = new(1.0) },
			"vm_size_gib is required with daily_change_percent",
		},
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
		in.DailyChangePercent = new(rapid.Float64Range(1, 49).Draw(t, "change"))
		in.PeakFactor = new(1.0)
		// Even the shortest sync lasts 3 s: it sends 1% of 100 GiB * 5 / 1,440 at 10 Mbit/s.
		of := replication.Defaults()
		of.VMCount = 1
		of.VMSizeGiB = *in.VMSizeGiB
		of.RPOMinutes = in.RPOMinutes
		of.ThroughputMbps, of.DailyChangePercent = *in.ThroughputMbps, *in.DailyChangePercent
		of.PeakFactor = in.PeakFactor
		estimate, err := replication.Estimate(of)
		require.NoError(t, err)
		in.SizeBytes = new(estimate.ChangedGiBPerCycle * gib)
		in.Seconds = &estimate.OngoingSyncSeconds
		in.IntervalSeconds = new(in.RPOMinutes * 60)
		r, err := calibration.Calibrate(in)
		require.NoError(t, err)
		assert.LessOrEqual(t, math.Abs(*r.EffectiveThroughputMbps / *in.ThroughputMbps - 1), 1e-9)
		assert.LessOrEqual(t, math.Abs(*r.EffectiveDailyChangePercent / *in.DailyChangePercent - 1), 1e-9)
		assert.False(t, *r.Optimistic, "got %+v, want the assumptions that made the sync", r)
	})
}
