// Properties of one vMotion over many inputs.

package migration_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

// fields are the inputs by their names in the provider; the optional one is made.
var fields = map[string]func(*migration.VMotionInput) *float64{
	"memory_gib":            func(in *migration.VMotionInput) *float64 { return &in.MemoryGiB },
	"memory_dirty_mbps":     func(in *migration.VMotionInput) *float64 { return &in.MemoryDirtyMbps },
	"working_set_gib":       func(in *migration.VMotionInput) *float64 { in.WorkingSetGiB = new(float64); return in.WorkingSetGiB },
	"disk_gib":              func(in *migration.VMotionInput) *float64 { return &in.DiskGiB },
	"disk_write_mbps":       func(in *migration.VMotionInput) *float64 { return &in.DiskWriteMbps },
	"throughput_mbps":       func(in *migration.VMotionInput) *float64 { return &in.ThroughputMbps },
	"rtt_ms":                func(in *migration.VMotionInput) *float64 { return &in.RTTMs },
	"concurrent_migrations": func(in *migration.VMotionInput) *float64 { return &in.ConcurrentMigrations },
	"switchover_goal_ms":    func(in *migration.VMotionInput) *float64 { return &in.SwitchoverGoalMs },
	"setup_seconds":         func(in *migration.VMotionInput) *float64 { return &in.SetupSeconds },
	"resume_seconds":        func(in *migration.VMotionInput) *float64 { return &in.ResumeSeconds },
}

var ranges = map[string]plan.Range{
	"memory_gib":            migration.RangeMemoryGiB,
	"memory_dirty_mbps":     migration.RangeMemoryDirtyMbps,
	"working_set_gib":       migration.RangeWorkingSetGiB,
	"disk_gib":              migration.RangeDiskGiB,
	"disk_write_mbps":       migration.RangeDiskWriteMbps,
	"throughput_mbps":       migration.RangeThroughputMbps,
	"rtt_ms":                migration.RangeRTTMs,
	"concurrent_migrations": migration.RangeConcurrentMigrations,
	"switchover_goal_ms":    migration.RangeSwitchoverGoalMs,
	"setup_seconds":         migration.RangeSetupSeconds,
	"resume_seconds":        migration.RangeResumeSeconds,
}

// plausible draws a VM of a real estate.
func plausible(t *rapid.T) migration.VMotionInput {
	in := migration.VMotionDefaults()
	in.MemoryGiB = rapid.Float64Range(0.25, 24000).Draw(t, "memory_gib")
	in.MemoryDirtyMbps = rapid.Float64Range(0, 50000).Draw(t, "memory_dirty_mbps")
	in.DiskGiB = rapid.Float64Range(0, 64000).Draw(t, "disk_gib")
	in.DiskWriteMbps = rapid.Float64Range(0, 5000).Draw(t, "disk_write_mbps")
	in.ThroughputMbps = rapid.Float64Range(100, 100000).Draw(t, "throughput_mbps")
	in.RTTMs = rapid.Float64Range(0, 300).Draw(t, "rtt_ms")
	in.ConcurrentMigrations = float64(rapid.IntRange(1, 8).Draw(t, "concurrent_migrations"))
	if rapid.Bool().Draw(t, "with working_set_gib") {
		working := rapid.Float64Range(0, 24000).Draw(t, "working_set_gib")
		in.WorkingSetGiB = &working
	}
	return in
}

// TestVMotion_sharesEvenly: k migrations on k times the link are each like one alone. With k a power of two the
// arithmetic is exact, and so is the comparison.
func TestVMotion_sharesEvenly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(1, 6).Draw(t, "k"))
		many := in
		many.ConcurrentMigrations *= k
		many.ThroughputMbps *= k
		a, b := vmotion(t, in), vmotion(t, many)
		a.MinThroughputMbps, b.MinThroughputMbps = nil, nil // of the link, and so k times as much
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nbecomes %+v", a, b)
		}
	})
}

// TestVMotion_scaleInvariant: k times the data at k times the rates takes as long. With k a power of two it is exact.
func TestVMotion_scaleInvariant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(-6, 6).Draw(t, "k"))
		scaled := in
		for _, name := range []string{"memory_gib", "memory_dirty_mbps", "disk_gib", "disk_write_mbps", "throughput_mbps"} {
			*fields[name](&scaled) *= k
		}
		if in.WorkingSetGiB != nil {
			working := *in.WorkingSetGiB * k
			scaled.WorkingSetGiB = &working
		}
		a, b := vmotion(t, in), vmotion(t, scaled)
		if !reflect.DeepEqual(a.DurationSeconds, b.DurationSeconds) || !reflect.DeepEqual(a.PrecopyRounds, b.PrecopyRounds) ||
			!reflect.DeepEqual(a.SwitchoverSeconds, b.SwitchoverSeconds) || a.GuestSpeedPercent != b.GuestSpeedPercent {
			t.Errorf("%+v\nbecomes %+v", a, b)
		}
	})
}

// TestVMotion_finite: over the whole ranges, corners included, no number is infinite or none.
func TestVMotion_finite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := migration.VMotionDefaults()
		for name, r := range ranges {
			v := rapid.OneOf(rapid.Just(r.Min), rapid.Just(r.Max), rapid.Float64Range(r.Min, r.Max)).Draw(t, name)
			if r.Whole {
				v = math.Trunc(v)
			}
			*fields[name](&in) = v
		}
		finite(t, vmotion(t, in))
	})
}
