package migration_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/migration"
)

// TestVMotion_faster verifies that no migration takes longer on a faster link.
func TestVMotion_faster(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		r := vmotion(t, in)
		in.ThroughputMbps *= 1 + rapid.Float64Range(0.01, 3).Draw(t, "growth")
		f := vmotion(t, in)
		if r.DurationSeconds != nil {
			assert.LessOrEqual(t, *f.DurationSeconds, *r.DurationSeconds*(1+1e-9))
		}
	})
}

// TestVMotion_least verifies that the rounds converge at the minimum throughput. At the next lower floating-point
// number, they do not converge or the rate is below 250 Mbit/s per migration.
func TestVMotion_least(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		least := vmotion(t, in).MinThroughputMbps
		if least == nil || *least <= 250*in.ConcurrentMigrations {
			return
		}
		in.ThroughputMbps = *least
		at := vmotion(t, in)
		assert.False(t, at.SDPSExpected)
		assert.NotNil(t, at.DurationSeconds)
		in.ThroughputMbps = math.Nextafter(*least, 0)
		below := vmotion(t, in)
		converges := !below.SDPSExpected && below.DurationSeconds != nil
		assert.False(t, converges, "below %v Mbit/s", *least)
	})
}

// TestVMotion_concurrent verifies that k migrations on a link that is k times as fast take as long as one. The results
// are exact, because k is a power of two.
func TestVMotion_concurrent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		one := vmotion(t, in)
		k := math.Ldexp(1, rapid.IntRange(1, 6).Draw(t, "k"))
		in.ConcurrentMigrations *= k
		in.ThroughputMbps *= k
		many := vmotion(t, in)
		// It refers to the whole link, and differs by the factor k.
		one.MinThroughputMbps, many.MinThroughputMbps = nil, nil
		assert.Equal(t, one, many)
	})
}

// TestVMotion_scaled verifies that the duration stays the same if all amounts of data and all rates are multiplied by
// k, a power of two.
func TestVMotion_scaled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		one := vmotion(t, in)
		k := math.Ldexp(1, rapid.IntRange(1, 6).Draw(t, "k"))
		for _, field := range []*float64{
			&in.MemoryGiB, in.MemoryDirtyMbps, &in.DiskGiB, &in.DiskWriteMbps, &in.ThroughputMbps,
		} {
			*field *= k
		}
		if in.WorkingSetGiB != nil {
			*in.WorkingSetGiB *= k
		}
		scaled := vmotion(t, in)
		assert.Equal(t, one.DurationSeconds, scaled.DurationSeconds)
		assert.Equal(t, one.PrecopyRounds, scaled.PrecopyRounds)
		assert.Equal(t, one.SwitchoverSeconds, scaled.SwitchoverSeconds)
		assert.Equal(t, one.GuestSpeedPercent, scaled.GuestSpeedPercent)
	})
}

// plausible draws a VM and a link within the usual limits.
func plausible(t *rapid.T) migration.VMotionInput {
	in := migration.VMotionDefaults()
	in.MemoryGiB = rapid.Float64Range(0.25, 24000).Draw(t, "memory_gib")
	in.MemoryDirtyMbps = new(rapid.Float64Range(0, 50000).Draw(t, "memory_dirty_mbps"))
	in.DiskGiB = rapid.Float64Range(0, 64000).Draw(t, "disk_gib")
	in.DiskWriteMbps = rapid.Float64Range(0, 5000).Draw(t, "disk_write_mbps")
	in.ThroughputMbps = rapid.Float64Range(100, 100000).Draw(t, "throughput_mbps")
	in.RTTMs = rapid.Float64Range(0, 300).Draw(t, "rtt_ms")
	in.ConcurrentMigrations = float64(rapid.IntRange(1, 8).Draw(t, "concurrent_migrations"))
	if rapid.Bool().Draw(t, "with working_set_gib") {
		in.WorkingSetGiB = new(rapid.Float64Range(0, 24000).Draw(t, "working_set_gib"))
	}
	return in
}
