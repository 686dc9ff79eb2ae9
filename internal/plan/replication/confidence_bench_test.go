package replication_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// BenchmarkPlanning_confidence samples every input; it must finish within a second.
func BenchmarkPlanning_confidence(b *testing.B) {
	in := ranged()
	in.Spreads = map[string]calculator.Spread{
		"vm_count": {Low: 10, Likely: 15, High: 30}, "vm_size_gib": {Low: 80, Likely: 95, High: 120},
		"daily_change_percent": {Low: 3, Likely: 5, High: 8}, "throughput_mbps": {Low: 400, Likely: 700, High: 901},
		"peak_factor": {Low: 1, Likely: 2, High: 6}, "efficiency_percent": {Low: 60, Likely: 80, High: 100},
		"compression_ratio": {Low: 1, Likely: 1.5, High: 3}, "seeded_percent": {Low: 0, Likely: 20, High: 90},
		"overhead_seconds": {Low: 0, Likely: 30, High: 60}, "checksum_mbps": {Low: 500, Likely: 800, High: 1000},
		"source_read_mbps":    {Low: 1000, Likely: 2000, High: 4000},
		"target_write_mbps":   {Low: 900, Likely: 1000, High: 2000},
		"target_write_factor": {Low: 2, Likely: 2, High: 3},
	}
	for b.Loop() {
		r, err := replication.Confidence(in)
		require.NoError(b, err)
		require.Len(b, r.Drivers, len(in.Spreads))
	}
}
