package replication_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// TestEstimate_storage checks an iSCSI target that can write 112 MB/s (896 Mbit/s) and writes each byte twice. Its
// effective rate of 448 Mbit/s is about half the link's 901 Mbit/s. 10 GiB is 85,899,345,920 bit.
func TestEstimate_storage(t *testing.T) {
	t.Parallel()
	write, slow, ten := 896.0, 100.0, 10.0
	base := func(in *replication.Input) {
		in.VMCount, in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = 1, 10, 901, 10
	}
	r := office20(t, func(in *replication.Input) { base(in); in.TargetWriteMbps = &write })
	within(t, "initial sync at the target", r.InitialSyncSeconds, 85899.34592/448, 1e-6)
	assert.Equal(t, replication.LimitedByTargetWrite, r.LimitedBy)
	r = office20(t, func(in *replication.Input) { base(in); in.TargetWriteMbps, in.SourceReadMbps = &write, &slow })
	within(t, "initial sync at the source", r.InitialSyncSeconds, 858.9934592, 1e-6)
	assert.Equal(t, replication.LimitedBySourceRead, r.LimitedBy)
	// Compression speeds up the link, not the storage: 901 * 10 Mbit/s is more than 448 Mbit/s.
	r = office20(t, func(in *replication.Input) { base(in); in.CompressionRatio, in.TargetWriteMbps = 10, &write })
	within(t, "compressed", r.InitialSyncSeconds, 85899.34592/448, 1e-6)
	// A higher throughput does not speed up the target. With a write rate of 10 Mbit/s, the target takes 8,589.9 / 5 =
	// 1,718 s to write the 1 GiB of a cycle twice. This is longer than the RPO of 900 s.
	r = office20(t, func(in *replication.Input) { base(in); in.TargetWriteMbps = &ten })
	for name, got := range map[string]*float64{
		"RPO": r.ThroughputForRPOMbps, "violation-free": r.ThroughputViolationFreeMbps,
	} {
		assert.Nil(t, got, name)
	}
	r = office20(t, func(in *replication.Input) { base(in); in.TargetWriteMbps = nil })
	assert.Equal(t, replication.LimitedByLink, r.LimitedBy)
}

// TestEstimate_seeds checks that half of 1,500 GiB is sent at 901 Mbit/s in 7,150.3 s. Comparing the other half,
// 6,442,450,944,000 bit, takes 12,884.9 s at 500 Mbit/s and 6,442.5 s at 1,000 Mbit/s.
func TestEstimate_seeds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		checksum, want float64
	}{{500, 12884.901888}, {1000, 7150.3340111}} {
		r := office20(t, func(in *replication.Input) {
			in.VMCount, in.ThroughputMbps, in.SeededPercent, in.ChecksumMbps = 15, 901, 50, &test.checksum
		})
		within(t, "initial sync", r.InitialSyncSeconds, test.want, 1e-3)
		assert.False(t, slices.Contains(plan.Codes(r.Findings), "seed_check_not_counted"), "the check is counted")
	}
	r := office20(t, func(in *replication.Input) { in.SeededPercent = 50 })
	assert.Contains(t, plan.Codes(r.Findings), "seed_check_not_counted")
}

// TestEstimate_caughtUp checks the time to catch up with changes and the size of a batch, both computed by hand. At 100
// Mbit/s, sending 100 VMs of 100 GiB (85,899,345,920,000 bit) takes 9.94 days. A daily change of 5% uses 49.7% of the
// link, so the VMs are in sync after 9.94 / (1 - 0.497) = 19.77 days. At 50 Mbit/s, the change uses 99.4% of the link.
// In 72 hours at 100 Mbit/s, 100 * 72 / (9.94 * 24 + 0.497 * 72) = 26.2 VMs can be in sync, so the batch size is 26.
// There is a batch size even if the change of all VMs uses more than 100% of the link.
func TestEstimate_caughtUp(t *testing.T) {
	t.Parallel()
	const day = 86400
	estate := func(mbps float64) replication.Result {
		return office20(t, func(in *replication.Input) {
			in.VMCount, in.DailyChangePercent, in.ThroughputMbps, in.DeadlineHours = 100, 5, mbps, new(72.0)
		})
	}
	r := estate(100)
	within(t, "initial sync", r.InitialSyncSeconds/day, 9.94, 0.005)
	within(t, "in sync after", *r.InitialSyncCaughtUpSeconds/day, 19.77, 0.005)
	assert.EqualValues(t, 26, *r.BatchVMCount)
	r = estate(50)
	within(t, "initial sync", r.InitialSyncSeconds/day, 19.88, 0.005)
	within(t, "in sync after", *r.InitialSyncCaughtUpSeconds/day, 3431, 1)
	// At 49 Mbit/s, the batch size is 100 * 72 / (20.29 * 24 + 1.0145 * 72) = 12.86, rounded down to 12.
	if r = estate(49); r.InitialSyncCaughtUpSeconds != nil || *r.BatchVMCount != 12 || r.BatchesHours != nil ||
		*r.DeadlineMet {
		t.Errorf("got in sync after %v, batches of %d, %v hours, deadline met %v; want never, 12, never, false",
			r.InitialSyncCaughtUpSeconds, *r.BatchVMCount, r.BatchesHours, *r.DeadlineMet)
	}
	r = estate(100000)
	require.EqualValues(t, 100, *r.BatchVMCount)
	assert.True(t, *r.DeadlineMet, "got batches of %d, deadline met %v; want 100, true", *r.BatchVMCount, *r.DeadlineMet)
}

// TestEstimate_caughtUpByCurve adds up the series by hand. At 859 Mbit/s, sending a VM of 100 GiB takes 1,000 s. With a
// proportional curve of 6 GiB an hour, 1.6667 GiB changes within 1,000 s. Sending this change takes 16.667 s, which is
// within half of the RPO of 15 minutes.
func TestEstimate_caughtUpByCurve(t *testing.T) {
	t.Parallel()
	curve := map[float64]float64{60: 6}
	r := office20(t, func(in *replication.Input) {
		in.VMCount, in.ThroughputMbps, in.ChangeCurve = 1, 858.9934592, curve
	})
	within(t, "in sync after", *r.InitialSyncCaughtUpSeconds, 1016.6667, 1e-3)
	// At 8.59 Mbit/s, sending the 6 GiB that change in an hour takes 6,000 s, so replication never catches up.
	r = office20(t, func(in *replication.Input) {
		in.VMCount, in.ThroughputMbps, in.ChangeCurve = 1, 8.589934592, curve
	})
	assert.Nil(t, r.InitialSyncCaughtUpSeconds)
}

// storage returns a VM of 100 GiB with the change curve of TestEstimate_curvePoints, an RPO of 15 minutes, and 6
// instances a day for 4 days.
func storage() replication.StorageInput {
	return replication.StorageInput{
		VMCount: 1, UsedGiB: 100, ChangeCurve: map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}, RPOMinutes: 15,
		PointInTime: &replication.PointInTime{InstancesPerDay: 6, Days: 4}, HorizonMonths: 36,
	}
}

func TestReplicaStorage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    func(*replication.StorageInput)
		instances int64
		target    float64
		reasons   []string
		summary   string
	}{
		// Instances are 1440 / 6 = 240 minutes apart. With U(240) = 2.8 and U(15) = 1.6, the VM needs 100 + 24 * 2.8 + 1.6
		// GiB.
		"curve": {
			func(*replication.StorageInput) {}, 24, 168.8,
			[]string{},
			"1 VM of 100 GiB requires 168.8 GiB on the target, including the sync in progress and 24 point-in-time " +
				"instances each: 1.69 times the data.",
		},
		// 7% of 100 GiB changes a day, so U(240) = 7 / 6 and U(15) = 7 / 96. The VM needs 100 + 24 * 7 / 6 + 7 / 96 =
		// 128.0729 GiB.
		"percent": {
			func(in *replication.StorageInput) { in.ChangeCurve, in.DailyChangePercent = nil, 7 }, 24,
			100 + 28 + 7.0/96,
			[]string{},
			"1 VM of 100 GiB requires 128.1 GiB",
		},
		// The VMs need 20 * (100 + 1.6) GiB.
		"newest only": {
			func(in *replication.StorageInput) { in.VMCount, in.PointInTime = 20, nil }, 0, 2032,
			[]string{},
			"20 VMs of 100 GiB require 2,032 GiB on the target, including the sync in progress, without point-in-time",
		},
		// U(240) is limited to the 2 GiB of data, and U(15) is 1.6. The VM needs 2 + 24 * 2 + 1.6 GiB.
		"never more than the data": {
			func(in *replication.StorageInput) { in.UsedGiB = 2 }, 24, 51.6, []string{}, "1 VM of 2 GiB requires 51.6 GiB",
		},
		// 1,000% of 10 GiB changes a day. In half a day, that is 50 GiB, but it is limited to the 10 GiB of data. The VM
		// needs 10 + 2 * 10 + 10 * 10 * 60 / 1440 GiB.
		"rewritten": {
			func(in *replication.StorageInput) {
				in.ChangeCurve, in.DailyChangePercent, in.UsedGiB, in.RPOMinutes = nil, 1000, 10, 60
				in.PointInTime = &replication.PointInTime{InstancesPerDay: 2, Days: 1}
			}, 2, 30 + 100.0/24, []string{}, "1 VM of 10 GiB requires 34.2 GiB",
		},
		// Below the first point, the curve is proportional, so the VM needs 100 + 1.6 * 4 / 15 GiB.
		"outside the points": {
			func(in *replication.StorageInput) { in.RPOMinutes, in.PointInTime = 4, nil }, 0, 100 + 6.4/15,
			[]string{"change_curve_extrapolated", "rpo_below_5_minutes"},
			"1 VM of 100 GiB requires 100.5 GiB",
		},
	} {
		in := storage()
		test.change(&in)
		r, err := replication.ReplicaStorage(in)
		require.NoError(t, err)
		within(t, name, r.TargetGiB, test.target, 1e-9)
		assert.True(t, r.Instances == test.instances && r.Fits == nil && strings.HasPrefix(r.Summary, test.summary) &&
			slices.Equal(plan.Codes(r.Findings), test.reasons), "%s: %+v", name, r)
	}
}

// TestReplicaStorage_fits checks the limit of 95% of the free space: 168.8 GiB is 95.4% of 177 GiB and 94.8% of 178
// GiB.
func TestReplicaStorage_fits(t *testing.T) {
	t.Parallel()
	for free, want := range map[float64]string{
		168.7: "target_too_small", 168.8: "target_nearly_full", 177: "target_nearly_full", 178: "",
	} {
		in := storage()
		in.TargetFreeGiB = &free
		r, err := replication.ReplicaStorage(in)
		require.NoError(t, err)
		fits := want != "target_too_small"
		got := strings.Join(plan.Codes(r.Findings), " ")
		assert.True(t, r.Fits != nil && *r.Fits == fits && got == want,
			"%v GiB free: got %v with reasons %q, want %v with %q", free, r.Fits, got, fits, want)
		level, ok := replication.StorageDefinition.Calculator().Judge(map[string]any{"fits": fits})
		require.True(t, ok, "%v GiB: level %v, judged %v; want holds %v", free, level, ok, fits)
		assert.Equal(t, fits, level == "holds", free)
	}
}

func TestReplicaStorage_badInput(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*replication.StorageInput){
		"point_in_time must keep at most 24 instances (instances_per_day * days), got 30": func(in *replication.StorageInput) {
			in.PointInTime.Days = 5
		},
		"point_in_time.instances_per_day must be at most 5, the number of recovery points per day with an RPO of 250 " +
			"minutes, got 6": func(in *replication.StorageInput) { in.RPOMinutes = 250 },
		`change_curve["30"] must be at least 2 GiB, the value for 15 minutes, got 1`: func(in *replication.StorageInput) {
			in.ChangeCurve = map[float64]float64{15: 2, 30: 1}
		},
	} {
		in := storage()
		change(&in)
		_, err := replication.ReplicaStorage(in)
		list, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "%v, want %s", err, want)
		assert.Equal(t, want, list.Error(), err)
	}
}
