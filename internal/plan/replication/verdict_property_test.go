package replication_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/replication"
)

// limited draws an input of a real estate whose storage may be the limit and whose change may be a curve.
func limited(t *rapid.T) replication.Input {
	in := plausible(t)
	storage := func(name string) *float64 {
		if rapid.Bool().Draw(t, "with "+name) {
			return new(rapid.Float64Range(1, 400000).Draw(t, name))
		}
		return nil
	}
	in.SourceReadMbps, in.TargetWriteMbps = storage("source_read_mbps"), storage("target_write_mbps")
	in.TargetWriteFactor = rapid.Float64Range(1, 5).Draw(t, "target_write_factor")
	if rapid.Bool().Draw(t, "with change_curve") {
		in.DailyChangePercent, in.ChangeCurve = 0, map[float64]float64{}
		minutes, gib := rapid.Float64Range(1, 60).Draw(t, "first"), rapid.Float64Range(0.001, 10).Draw(t, "GiB")
		for range rapid.IntRange(1, 4).Draw(t, "points") {
			in.ChangeCurve[minutes] = gib
			factor := rapid.Float64Range(1.1, 5).Draw(t, "factor")
			minutes, gib = minutes*factor, gib*math.Pow(factor, rapid.Float64Range(0, 1).Draw(t, "slope"))
		}
	}
	return in
}

// goodness orders the verdicts.
func goodness(r replication.Result) int {
	return slices.Index(
		[]string{replication.VerdictMisses, replication.VerdictAtRisk, replication.VerdictMeets}, r.Verdict)
}

// TestEstimate_verdicts: no verdict gets worse when an input improves, nor better when one gets worse.
func TestEstimate_verdicts(t *testing.T) {
	t.Parallel()
	changes := []struct {
		name   string
		better bool
		change func(in *replication.Input, factor float64)
	}{
		{"throughput_mbps", true, func(in *replication.Input, factor float64) { in.ThroughputMbps *= factor }},
		{"compression_ratio", true, func(in *replication.Input, factor float64) { in.CompressionRatio *= factor }},
		{
			"rpo_minutes",
			true,
			func(in *replication.Input, factor float64) { in.RPOMinutes = min(1440, in.RPOMinutes*factor) },
		},
		{"efficiency_percent", true, func(in *replication.Input, factor float64) {
			in.EfficiencyPercent = min(100, in.EfficiencyPercent*factor)
		}},
		{"source_read_mbps", true, func(in *replication.Input, factor float64) {
			if in.SourceReadMbps != nil {
				in.SourceReadMbps = new(*in.SourceReadMbps * factor)
			}
		}},
		{"target_write_mbps", true, func(in *replication.Input, factor float64) {
			if in.TargetWriteMbps != nil {
				in.TargetWriteMbps = new(*in.TargetWriteMbps * factor)
			}
		}},
		{"vm_count", false, func(in *replication.Input, factor float64) { in.VMCount = math.Ceil(in.VMCount * factor) }},
		{"vm_size_gib", false, func(in *replication.Input, factor float64) { in.VMSizeGiB *= factor }},
		{"daily_change_percent", false, func(in *replication.Input, factor float64) { in.DailyChangePercent *= factor }},
		{"overhead_seconds", false, func(in *replication.Input, factor float64) { in.OverheadSeconds *= factor }},
		{"target_write_factor", false, func(in *replication.Input, factor float64) { in.TargetWriteFactor *= factor }},
		{"peak_factor", false, func(in *replication.Input, factor float64) {
			if in.PeakFactor != nil {
				in.PeakFactor = new(*in.PeakFactor * factor)
			}
		}},
		{"change_curve", false, func(in *replication.Input, factor float64) {
			if in.ChangeCurve == nil {
				return
			}
			more := make(map[float64]float64, len(in.ChangeCurve))
			for minutes, gib := range in.ChangeCurve {
				more[minutes] = gib * factor
			}
			in.ChangeCurve = more
		}},
	}
	rapid.Check(t, func(t *rapid.T) {
		in := limited(t)
		before := estimate(t, in)
		factor := rapid.OneOf(rapid.Float64Range(1, 1.001), rapid.Float64Range(1, 3)).Draw(t, "factor")
		for _, c := range changes {
			more := in
			c.change(&more, factor)
			after := estimate(t, more)
			if better := goodness(after) - goodness(before); (c.better && better < 0) || (!c.better && better > 0) {
				t.Errorf("%s times %v: %s becomes %s", c.name, factor, before.Summary, after.Summary)
			}
		}
	})
}

// TestEstimate_inversesOfLimits feeds the inverses back where storage may be the limit and change may be a curve.
func TestEstimate_inversesOfLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := limited(t)
		r := estimate(t, in)
		at := func(mbps float64) replication.Result {
			changed := in
			changed.ThroughputMbps = mbps
			return estimate(t, changed)
		}
		fastest := at(replication.RangeThroughputMbps.Max)
		if (r.ThroughputForRPOMbps == nil) == fastest.MeetsRPO ||
			(r.ThroughputViolationFreeMbps == nil) == fastest.ViolationFree {
			t.Errorf("no throughput is enough, or one is: %+v", r)
		}
		if v := r.ThroughputForRPOMbps; v != nil && *v > replication.RangeThroughputMbps.Min &&
			(!at(*v).MeetsRPO || at(math.Nextafter(*v, 0)).MeetsRPO) {
			t.Errorf("%v Mbit/s is not the smallest that meets the RPO", *v)
		}
		if v := r.ThroughputViolationFreeMbps; v != nil && *v > replication.RangeThroughputMbps.Min &&
			(!at(*v).ViolationFree || at(math.Nextafter(*v, 0)).ViolationFree) {
			t.Errorf("%v Mbit/s is not the smallest that is violation free", *v)
		}
		of := func(minutes int64) bool {
			changed := in
			changed.RPOMinutes = float64(minutes)
			return estimate(t, changed).ViolationFree
		}
		switch v := r.MinRPOMinutes; {
		case v == nil && of(1440):
			t.Error("an RPO of 1,440 minutes holds")
		case v != nil && (!of(*v) || (*v > 1 && of(*v-1))):
			t.Errorf("%d minutes are not the smallest RPO", *v)
		}
	})
}

// TestReplicaStorage_inverse: the space that replicas take is enough, and a hair less is not.
func TestReplicaStorage_inverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := storage()
		in.VMCount = float64(rapid.IntRange(1, 1000).Draw(t, "vm_count"))
		in.UsedGiB = rapid.Float64Range(1, 1e4).Draw(t, "used_gib")
		in.RPOMinutes = rapid.Float64Range(1, 240).Draw(t, "rpo_minutes")
		r, err := replication.ReplicaStorage(in)
		if err != nil {
			t.Fatal(err)
		}
		for free, fits := range map[float64]bool{r.TargetGiB: true, math.Nextafter(r.TargetGiB, 0): false} {
			in.TargetFreeGiB = &free
			if again, err := replication.ReplicaStorage(in); err != nil || *again.Fits != fits {
				t.Errorf("%v of %v GiB: %+v, %v", r.TargetGiB, free, again, err)
			}
		}
	})
}
