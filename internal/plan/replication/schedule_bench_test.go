package replication_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/replication"
)

// many returns VMs of 50 GiB with a daily change of 5 %: 4,000 with an RPO of 5 minutes are the size to plan for,
// 1.15 million syncs a day.
func many(vms, rpo, mbps float64) replication.ScheduleInput {
	in := alike(vms, 5, rpo, mbps)
	return with(in, func(g *replication.Group) { g.VMSizeGiB = 50 })
}

func benchmark(b *testing.B, in replication.ScheduleInput, compute func(replication.ScheduleInput) error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, compute(in))
	}
}

func full(in replication.ScheduleInput) error {
	_, err := replication.Schedule(context.Background(), in)
	return err
}

func withoutSearch(in replication.ScheduleInput) error {
	_, err := replication.Simulate(in)
	return err
}

func oneDay(in replication.ScheduleInput) replication.ScheduleInput {
	in.Days, in.JitterPercent = new(1.0), 0
	return in
}

// BenchmarkPlanningSchedule measures a schedule of 400 VMs with the search for the throughput.
func BenchmarkPlanningSchedule(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningLargest measures 4,000 VMs with the search.
func BenchmarkPlanningLargest(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	in := many(4000, 5, 10000)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningOneDay measures a single day of 4,000 VMs with the search.
func BenchmarkPlanningOneDay(b *testing.B) { benchmark(b, oneDay(many(4000, 5, 10000)), full) }

// BenchmarkPlanningJitteredRuns measures 20 runs of a day.
func BenchmarkPlanningJitteredRuns(b *testing.B) {
	in := oneDay(many(4000, 5, 10000))
	in.Runs, in.JitterPercent = new(20.0), 10
	benchmark(b, in, withoutSearch)
}

// BenchmarkPlanningOneMinute measures 13,000 VMs with an RPO of 1 minute and the search, 18.7 million syncs a day.
func BenchmarkPlanningOneMinute(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	benchmark(b, many(13000, 1, 10000), full)
}

// BenchmarkPlanningOneSimulation measures the scenario of internal/dev/simpy/bench.py.
func BenchmarkPlanningOneSimulation(b *testing.B) {
	benchmark(b, oneDay(many(400, 5, 1000)), withoutSearch)
}

// BenchmarkPlanningCongested measures thousands of concurrent syncs on a link that is just fast enough.
func BenchmarkPlanningCongested(b *testing.B) {
	benchmark(b, oneDay(many(4000, 5, 1100)), withoutSearch)
}

// BenchmarkPlanningVerdict measures the verdict on 400 VMs in 8 runs, within a second on two cores.
func BenchmarkPlanningVerdict(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent = 10
	benchmark(b, in, withoutSearch)
}

// BenchmarkPlanningFew measures 60 VMs in 14 runs of 31 days with the search, within 2 s on two cores.
func BenchmarkPlanningFew(b *testing.B) {
	in := many(60, 15, 100)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningGrowth measures 400 VMs with growth and the search, within 8 s on two cores.
func BenchmarkPlanningGrowth(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent, in.GrowthPercentPerYear = 10, new(30.0)
	benchmark(b, in, full)
}
