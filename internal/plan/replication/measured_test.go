package replication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/replication"
)

// idle returns VMs with an RPO of an hour and very short syncs.
func idle(vms, days float64) replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.Days, in.JitterPercent = new(1000.0), &days, 0
	in.Groups = map[string]replication.Group{
		"g": {VMCount: vms, VMSizeGiB: 1, DailyChangePercent: 0.01, RPOMinutes: 60, CompressionRatio: 1},
	}
	return in
}

// TestSimulate_together checks that ten simultaneous syncs take ten times as long.
func TestSimulate_together(t *testing.T) {
	t.Parallel()
	in := idle(10, 1)
	apart, err := replication.Simulate(in)
	require.NoError(t, err)
	in.StartTogether = true
	together, err := replication.Simulate(in)
	require.NoError(t, err)
	assert.InDelta(t, 10.0, *together.P95SyncSeconds / *apart.P95SyncSeconds, 0.1)
}
