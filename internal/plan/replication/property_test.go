package replication_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// plausible draws an input of a real estate.
func plausible(t *rapid.T) replication.Input {
	in := replication.Defaults()
	in.VMCount = float64(rapid.IntRange(1, 10000).Draw(t, "vm_count"))
	in.VMSizeGiB = rapid.Float64Range(0.1, 64000).Draw(t, "vm_size_gib")
	// Zero, or large enough that no product falls below the smallest normal floating-point number, where doubling is not
	// exact.
	in.DailyChangePercent = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-6, 300)).Draw(t, "daily_change_percent")
	in.ThroughputMbps = rapid.Float64Range(1, 400000).Draw(t, "throughput_mbps")
	in.RPOMinutes = rapid.Float64Range(1, 1440).Draw(t, "rpo_minutes")
	in.EfficiencyPercent = rapid.Float64Range(1, 100).Draw(t, "efficiency_percent")
	in.CompressionRatio = rapid.Float64Range(1, 10).Draw(t, "compression_ratio")
	in.SeededPercent = rapid.Float64Range(0, 100).Draw(t, "seeded_percent")
	in.OverheadSeconds = rapid.Float64Range(0, 1200).Draw(t, "overhead_seconds")
	if rapid.Bool().Draw(t, "with peak_factor") {
		p := rapid.Float64Range(1, 50).Draw(t, "peak_factor")
		in.PeakFactor = &p
	}
	return in
}

// TestEstimate_monotone: more VMs, data, change or overhead never shorten a cycle, and more throughput, efficiency
// or compression never lengthen one.
func TestEstimate_monotone(t *testing.T) {
	t.Parallel()
	longer := map[string]float64{
		"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 1, "overhead_seconds": 1, "peak_factor": 1,
		"throughput_mbps": -1, "efficiency_percent": -1, "compression_ratio": -1,
	}
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		before := estimate(t, in)
		for name, direction := range longer {
			if name == "peak_factor" && in.PeakFactor == nil {
				continue
			}
			more := in
			field := inputs[name](&more)
			if name == "peak_factor" {
				*field = *in.PeakFactor
			}
			if name == "vm_count" {
				*field++
			} else {
				*field *= 1 + rapid.Float64Range(0, 1).Draw(t, "growth of "+name)
			}
			after, err := replication.Estimate(more)
			if err != nil {
				continue // grown out of its range
			}
			if (after.OngoingSyncSeconds-before.OngoingSyncSeconds)*direction < 0 {
				t.Errorf(
					"%s from %v to %v takes the cycle from %v to %v s",
					name,
					*inputs[name](&in),
					*field,
					before.OngoingSyncSeconds,
					after.OngoingSyncSeconds,
				)
			}
			if (after.InitialSyncSeconds-before.InitialSyncSeconds)*direction < 0 && name != "overhead_seconds" {
				t.Errorf("%s takes the initial sync from %v to %v s", name, before.InitialSyncSeconds, after.InitialSyncSeconds)
			}
		}
	})
}

// TestEstimate_scaleInvariant: k times the data on k times the link is the same. With k a power of two the arithmetic
// is exact, and so is the comparison.
func TestEstimate_scaleInvariant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(-6, 6).Draw(t, "k"))
		scaled := in
		scaled.VMSizeGiB *= k
		scaled.ThroughputMbps *= k
		a, b := estimate(t, in), estimate(t, scaled)
		if a.OngoingSyncSeconds != b.OngoingSyncSeconds || a.InitialSyncSeconds != b.InitialSyncSeconds ||
			a.Verdict != b.Verdict ||
			!reflect.DeepEqual(a.MinRPOMinutes, b.MinRPOMinutes) ||
			!reflect.DeepEqual(a.MaxVMCount, b.MaxVMCount) ||
			!reflect.DeepEqual(a.MaxDailyChangePercent, b.MaxDailyChangePercent) {
			t.Errorf("%+v\nbecomes %+v", a, b)
		}
	})
}

// TestEstimate_inverses feeds each inverse back: it holds, and its neighbour does not.
func TestEstimate_inverses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		r := estimate(t, in)
		holds := func(name string, v float64, test func(replication.Result) bool) bool {
			changed := in
			*inputs[name](&changed) = v
			return test(estimate(t, changed))
		}
		free := func(r replication.Result) bool { return r.ViolationFree }
		meets := func(r replication.Result) bool { return r.MeetsRPO }
		below := func(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }

		if v := r.ThroughputForRPOMbps; v != nil && *v > replication.RangeThroughputMbps.Min &&
			(!holds("throughput_mbps", *v, meets) || holds("throughput_mbps", below(*v), meets)) {
			t.Errorf("%v Mbit/s is not the smallest that meets the RPO", *v)
		}
		if v := r.ThroughputViolationFreeMbps; v != nil && *v > replication.RangeThroughputMbps.Min &&
			(!holds("throughput_mbps", *v, free) || holds("throughput_mbps", below(*v), free)) {
			t.Errorf("%v Mbit/s is not the smallest that is violation free", *v)
		}
		if v := r.MinRPOMinutes; v != nil &&
			(!holds("rpo_minutes", float64(*v), free) || (*v > 1 && holds("rpo_minutes", float64(*v-1), free))) {
			t.Errorf("%d minutes are not the smallest RPO", *v)
		}
		if v := r.MaxVMCount; v != nil &&
			((*v > 0 && !holds("vm_count", float64(*v), free)) || holds("vm_count", float64(*v+1), free)) {
			t.Errorf("%d is not the largest number of VMs", *v)
		}
		if v := r.MaxDailyChangePercent; v != nil &&
			(!holds("daily_change_percent", *v, free) || (*v < 1000 && holds(
				"daily_change_percent",
				math.Nextafter(*v, 2000),
				free,
			))) {
			t.Errorf("%v %% is not the largest daily change", *v)
		}
	})
}

// TestEstimate_closedForms compares the inverses with the formulas that a reader would use.
func TestEstimate_closedForms(t *testing.T) {
	t.Parallel()
	r := estimate(t, published(gibOf102400MB, 901))
	// 12.288e12 bit * 5 % = 614.4e9 bit; in 900 s 682.67 Mbit/s, in 450 s 1,365.33 Mbit/s.
	near(t, "throughput for the RPO", *r.ThroughputForRPOMbps, 614.4e9/900/1e6)
	near(t, "throughput violation free", *r.ThroughputViolationFreeMbps, 614.4e9/450/1e6)
	// One VM's delta is 45.46 s; 450 / 45.46 = 9.9.
	if *r.MaxVMCount != 9 {
		t.Errorf("largest number of VMs is %d, want 9", *r.MaxVMCount)
	}
	// 450 s of 13,638.18 s are 3.2996 %.
	near(t, "largest daily change", *r.MaxDailyChangePercent, 450*901e6/12.288e12*100)
}

// TestEstimate_finite: over the whole ranges, corners included, no number is infinite or none.
func TestEstimate_finite(t *testing.T) {
	t.Parallel()
	ranges := map[string]plan.Range{
		"vm_count":             replication.RangeVMCount,
		"vm_size_gib":          replication.RangeVMSizeGiB,
		"daily_change_percent": replication.RangeDailyChangePercent,
		"throughput_mbps":      replication.RangeThroughputMbps,
		"rpo_minutes":          replication.RangeRPOMinutes,
		"peak_factor":          replication.RangePeakFactor,
		"efficiency_percent":   replication.RangeEfficiencyPercent,
		"compression_ratio":    replication.RangeCompressionRatio,
		"seeded_percent":       replication.RangeSeededPercent,
		"overhead_seconds":     replication.RangeOverheadSeconds,
	}
	rapid.Check(t, func(t *rapid.T) {
		in := replication.Defaults()
		for name, r := range ranges {
			v := rapid.OneOf(rapid.Just(r.Min), rapid.Just(r.Max), rapid.Float64Range(r.Min, r.Max)).Draw(t, name)
			if r.Whole {
				v = math.Trunc(v)
			}
			*inputs[name](&in) = v
		}
		r := reflect.ValueOf(estimate(t, in))
		for i := range r.NumField() {
			field := r.Field(i)
			if field.Kind() == reflect.Pointer && !field.IsNil() {
				field = field.Elem()
			}
			if field.CanFloat() && (math.IsNaN(field.Float()) || math.IsInf(field.Float(), 0)) {
				t.Errorf("%s is %v", r.Type().Field(i).Name, field.Float())
			}
		}
	})
}
