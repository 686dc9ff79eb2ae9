package replication_test

import (
	"math"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	in.StartTogether = true
	together, err := replication.Simulate(in)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := *together.P95SyncSeconds / *apart.P95SyncSeconds; math.Abs(ratio-10) > 0.1 {
		t.Errorf("%v times as long, want 10", ratio)
	}
}
