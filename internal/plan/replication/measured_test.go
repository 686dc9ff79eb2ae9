package replication_test

import (
	"math"
	"testing"

	"terraform-provider-vsla/internal/plan/replication"
)

// idle is VMs with an RPO of an hour that change so little that a sync takes hardly any time.
func idle(vms, days float64) replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.Days = new(1000.0), &days
	in.Groups = map[string]replication.Group{
		"g": {VMCount: vms, VMSizeGiB: 1, DailyChangePercent: 0.01, RPOMinutes: 60, CompressionRatio: 1},
	}
	return in
}

// TestSimulate_unrounded: the link is down from 12:15 to 13:45:30. The recovery point of 12:00 is too old from 13:00
// on, for 45.5 minutes, which count as 45. Without the first day nothing is late.
func TestSimulate_unrounded(t *testing.T) {
	t.Parallel()
	for _, uncounted := range []float64{0, 1} {
		in := idle(1, 2)
		in.OutageStartHours, in.OutageMinutes, in.UncountedDays = 12.25, new(90.5), uncounted
		r, err := replication.Simulate(in)
		if err != nil {
			t.Fatal(err)
		}
		want := 100 * (1 - 45.5/2880)
		if uncounted == 1 {
			want = 100
		}
		if math.Abs(r.UnroundedCompliancePercent-want) > 1e-4 || math.Abs(r.CompliancePercent-100*(1-45.0/2880)) > 1e-9 {
			t.Errorf("%v, want %v; in whole minutes %v", r.UnroundedCompliancePercent, want, r.CompliancePercent)
		}
	}
}

// TestSimulate_together: ten VMs that sync at the same moment take ten times as long as one after the other.
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
