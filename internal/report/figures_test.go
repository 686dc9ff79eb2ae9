package report_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

// estimated is a data source with its inputs and the results of the calculator.
func estimated(t *testing.T, mbps float64) object {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes, in.ThroughputMbps = 15, 100, 5, 15, mbps
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return with(replication.EstimateDefinition.Values(&r), object{
		"vm_count":             15,
		"vm_size_gib":          100,
		"daily_change_percent": 5,
		"rpo_minutes":          15,
		"throughput_mbps":      mbps,
		"peak_factor":          nil,
	})
}

// with returns the results with the inputs next to them.
func with(results map[string]any, inputs object) object {
	maps.Copy(results, inputs)
	return results
}

// TestBuild_disagreement: a chart is not drawn from figures that are not those of the plan.
func TestBuild_disagreement(t *testing.T) {
	t.Parallel()
	good := one(t, "vsla_replication_estimate", estimated(t, 901))
	require.Len(t, good.Figures, 1)
	assert.Empty(t, good.Notes)
	for name, change := range map[string]func(object){
		"another result":   func(v object) { v["ongoing_sync_seconds"] = 700.0 },
		"no result":        func(v object) { delete(v, "initial_sync_seconds") },
		"out of its range": func(v object) { v["rpo_minutes"] = 0 },
		"another type":     func(v object) { v["vm_count"] = "many" },
	} {
		values := estimated(t, 901)
		change(values)
		s := one(t, "vsla_replication_estimate", values)
		assert.True(t, len(s.Figures) <= 0 && len(s.Notes) == 1 && strings.Contains(s.Notes[0], "could not be confirmed"),
			"%s: %d figures, notes %q", name, len(s.Figures), s.Notes)
	}
	// Others that compute again have the same guard.
	for kind, values := range map[string]object{
		"vsla_replication_schedule": {"verdict": "meets", "throughput_mbps": 100, "groups": object{"a": object{"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 1, "rpo_minutes": 15}}, "violation_minutes": 5},
		"vsla_vmotion_estimate":     {"verdict": "meets", "memory_gib": 8, "throughput_mbps": 1000, "duration_seconds": 5},
	} {
		s := one(t, kind, values)
		require.Len(t, s.Notes, 1, kind)
		assert.Contains(t, s.Notes[0], "could not be confirmed", kind)
	}
}

// TestBuild_vmotionNeverEnds: disks that are written faster than they are sent have no rounds to draw.
func TestBuild_vmotionNeverEnds(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB, in.DiskGiB, in.DiskWriteMbps, in.ThroughputMbps = 8, 100, 500, 400
	r, err := migration.VMotion(in)
	require.NoError(t, err)
	s := one(t, "vsla_vmotion_estimate", with(migration.VMotionDefinition.Values(&r), object{
		"memory_gib":      8,
		"disk_gib":        100,
		"disk_write_mbps": 500,
		"throughput_mbps": 400,
		"reasons":         []any{"disk_writes_exceed_throughput"},
		"explanations":    []any{"The copy never ends."},
	}))
	require.Equal(t, wording.Misses, s.Level)
	assert.LessOrEqual(t, len(s.Figures)+len(s.Notes), 0)
}

// TestBuild_anyFigures: whatever the inputs, charts are drawn, can be read, and have no number that is not finite.
func TestBuild_anyFigures(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		decade := func(name string, low, high float64) float64 {
			return math.Pow(10, rapid.Float64Range(low, high).Draw(r, name))
		}
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB = math.Floor(decade("VMs", 0, 6)), decade("size", -3, 6)
		in.ThroughputMbps = decade("throughput", -2, 6)
		in.DailyChangePercent = rapid.Float64Range(0, 1000).Draw(r, "change")
		in.RPOMinutes = rapid.Float64Range(1, 1440).Draw(r, "RPO")
		in.OverheadSeconds = rapid.SampledFrom([]float64{0, 10, 1e5}).Draw(r, "overhead")
		e, err := replication.Estimate(in)
		require.NoError(r, err)
		move := migration.VMotionDefaults()
		move.MemoryGiB, move.ThroughputMbps = decade("memory", -3, 5), decade("move throughput", 0, 6)
		move.MemoryDirtyMbps = rapid.SampledFrom([]float64{0, 1, 999, 1e5}).Draw(r, "dirty")
		move.DiskGiB = rapid.SampledFrom([]float64{0, 5000}).Draw(r, "disk")
		move.DiskWriteMbps, move.SetupSeconds = rapid.SampledFrom([]float64{0, 100}).Draw(r, "writes"), 5
		v, err := migration.VMotion(move)
		require.NoError(r, err)
		review := build(t, state(t,
			data("vsla_replication_estimate", "x", with(replication.EstimateDefinition.Values(&e), object{
				"vm_count":             in.VMCount,
				"vm_size_gib":          in.VMSizeGiB,
				"throughput_mbps":      in.ThroughputMbps,
				"daily_change_percent": in.DailyChangePercent,
				"rpo_minutes":          in.RPOMinutes,
				"overhead_seconds":     in.OverheadSeconds,
			})),
			data("vsla_vmotion_estimate", "x", with(migration.VMotionDefinition.Values(&v), object{
				"memory_gib":        move.MemoryGiB,
				"throughput_mbps":   move.ThroughputMbps,
				"memory_dirty_mbps": move.MemoryDirtyMbps,
				"disk_gib":          move.DiskGiB,
				"disk_write_mbps":   move.DiskWriteMbps,
				"setup_seconds":     move.SetupSeconds,
			})),
		))
		figures := 1
		if v.DurationSeconds != nil {
			figures += 2
		}
		drawn(t, review, figures)
		page := html(t, review)
		require.NotContains(t, page, "NaN", "a number is not finite")
		assert.NotContains(t, page, "Inf", "a number is not finite")
	})
}
