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

// storage is a VM with 100 GiB, the change curve of the office VMs, an RPO of 15 minutes and 6 instances on 4 days.
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
		// 1440 / 6 = 240 minutes: 100 + 24 * 2.8 + 1.6.
		"curve": {
			func(*replication.StorageInput) {}, 24, 168.8,
			[]string{},
			"1 VM of 100 GiB takes 168.8 GiB at the target, with 24 point-in-time instances each and the sync that is " +
				"arriving: 1.69 times the data.",
		},
		// 7 % of 100 GiB a day: U(240) = 7 / 6 and U(15) = 7 / 96; 100 + 24 * 7 / 6 + 7 / 96 = 128.0729.
		"percent": {
			func(in *replication.StorageInput) { in.ChangeCurve, in.DailyChangePercent = nil, 7 }, 24,
			100 + 28 + 7.0/96,
			[]string{},
			"1 VM of 100 GiB takes 128.1 GiB",
		},
		// 20 * (100 + 1.6).
		"newest only": {
			func(in *replication.StorageInput) { in.VMCount, in.PointInTime = 20, nil }, 0, 2032,
			[]string{},
			"20 VMs of 100 GiB take 2,032 GiB at the target, with no point-in-time instances and",
		},
		// U(240) is at most the 2 GiB that there are, and so is 1.6: 2 + 24 * 2 + 1.6.
		"never more than the data": {
			func(in *replication.StorageInput) { in.UsedGiB = 2 }, 24, 51.6, []string{}, "1 VM of 2 GiB takes 51.6 GiB",
		},
		// 1,000 % of 10 GiB a day are 50 GiB in half a day, of which 10 remain: 10 + 2 * 10 + 10 * 10 * 60 / 1440.
		"rewritten": {
			func(in *replication.StorageInput) {
				in.ChangeCurve, in.DailyChangePercent, in.UsedGiB, in.RPOMinutes = nil, 1000, 10, 60
				in.PointInTime = &replication.PointInTime{InstancesPerDay: 2, Days: 1}
			}, 2, 30 + 100.0/24, []string{}, "1 VM of 10 GiB takes 34.2 GiB",
		},
		// Below the first point in proportion: 100 + 1.6 * 4 / 15.
		"outside the points": {
			func(in *replication.StorageInput) { in.RPOMinutes, in.PointInTime = 4, nil }, 0, 100 + 6.4/15,
			[]string{"change_curve_extrapolated", "rpo_below_5_minutes"},
			"1 VM of 100 GiB takes 100.5 GiB",
		},
	} {
		in := storage()
		test.change(&in)
		r, err := replication.ReplicaStorage(in)
		require.NoError(t, err)
		within(t, name, r.TargetGiB, test.target, 1e-9)
		if r.Instances != test.instances || r.Fits != nil || !strings.HasPrefix(r.Summary, test.summary) ||
			!slices.Equal(plan.Codes(r.Findings), test.reasons) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestReplicaStorage_fits: 168.8 GiB are 95.4 % of 177 GiB, 94.8 % of 178 GiB.
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
		"point_in_time.instances_per_day must be at most 5, because an RPO of 250 minutes has no more recovery points " +
			"in a day, got 6": func(in *replication.StorageInput) { in.RPOMinutes = 250 },
		`change_curve["30"] must be at least the 2 GiB of 15 minutes, got 1`: func(in *replication.StorageInput) {
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
