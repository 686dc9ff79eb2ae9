package docstest_test

import (
	"math"
	"testing"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// checkConfidence computes the numbers of the guide's ranges for its example of 15 VMs.
func checkConfidence(t *testing.T, check func(what, format string, v float64), group replication.Input) {
	t.Helper()
	in := replication.ConfidenceInput{Likely: group, Spreads: map[string]calculator.Spread{
		"throughput_mbps": {Low: 400, Likely: 700, High: 901},
	}}
	in.Likely.ThroughputMbps, in.Likely.RPOMinutes = 700, 30
	r, err := replication.Confidence(in)
	if err != nil {
		t.Fatal(err)
	}
	check("needed", "from %.3f Mbit/s on", *r.ThroughputConfidentMbps)
	check("probability", "= %.2f %%.", r.ViolationFreePercent)
	in.Spreads["daily_change_percent"] = calculator.Spread{Low: 3, Likely: 5, High: 8}
	in.Spreads["vm_size_gib"] = calculator.Spread{Low: 80, Likely: in.Likely.VMSizeGiB, High: 120}
	if r, err = replication.Confidence(in); err != nil {
		t.Fatal(err)
	}
	check("probability of three", "it is %.1f %%;", r.ViolationFreePercent)
	check("95th percentile", "is 1,%.2f s", math.Mod(r.P95OngoingSyncSeconds, 1000))
	check(
		"throughput "+plan.Number(*r.ThroughputConfidentMbps),
		"1,%06.2f Mbit/s hold",
		math.Mod(*r.ThroughputConfidentMbps, 1000),
	)
}
