package migration_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/migration"
)

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

// TestVMotion_sharesEvenly checks that k migrations on k times the link equal one alone, exactly for powers of two.
func TestVMotion_sharesEvenly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(1, 6).Draw(t, "k"))
		many := in
		many.ConcurrentMigrations *= k
		many.ThroughputMbps *= k
		a, b := vmotion(t, in), vmotion(t, many)
		a.MinThroughputMbps, b.MinThroughputMbps = nil, nil // of the link, so k times as much
		assert.Equal(t, b, a)
	})
}

// TestVMotion_scaleInvariant checks that k times the data at k times the rates takes as long, exactly for powers of
// two.
func TestVMotion_scaleInvariant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		k := math.Ldexp(1, rapid.IntRange(-6, 6).Draw(t, "k"))
		scaled := in
		for _, field := range []*float64{
			&scaled.MemoryGiB, &scaled.MemoryDirtyMbps, &scaled.DiskGiB, &scaled.DiskWriteMbps, &scaled.ThroughputMbps,
		} {
			*field *= k
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
