package replication_test

import (
	"context"
	"testing"

	"terraform-provider-vsla/internal/plan/replication"
)

// many returns VMs of 50 GiB that change by 5 % a day: 4,000 with an RPO of 5 minutes are the size to plan for, 1.15
// million syncs a day.
func many(vms, rpo, mbps float64) replication.ScheduleInput {
	in := alike(vms, 5, rpo, mbps)
	return with(in, func(g *replication.Group) { g.VMSizeGiB = 50 })
}

func benchmark(b *testing.B, in replication.ScheduleInput, compute func(replication.ScheduleInput) error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := compute(in); err != nil {
			b.Fatal(err)
		}
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

// oneDay simulates a single day, without jitter: as fast as the engine is.
func oneDay(in replication.ScheduleInput) replication.ScheduleInput {
	in.Days, in.JitterPercent = new(1.0), 0
	return in
}

// BenchmarkPlanningSchedule is the full answer, with the search for the throughput, of 400 VMs.
func BenchmarkPlanningSchedule(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningLargest is the full answer for 4,000 VMs.
func BenchmarkPlanningLargest(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	in := many(4000, 5, 10000)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningOneDay is the full answer for 4,000 VMs by a single day.
func BenchmarkPlanningOneDay(b *testing.B) { benchmark(b, oneDay(many(4000, 5, 10000)), full) }

// BenchmarkPlanningJitteredRuns is compliance over 20 runs of a day.
func BenchmarkPlanningJitteredRuns(b *testing.B) {
	in := oneDay(many(4000, 5, 10000))
	in.Runs, in.JitterPercent = new(20.0), 10
	benchmark(b, in, withoutSearch)
}

// BenchmarkPlanningOneMinute is the full answer for 13,000 VMs with an RPO of 1 minute, 18.7 million syncs a day.
func BenchmarkPlanningOneMinute(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	benchmark(b, many(13000, 1, 10000), full)
}

// BenchmarkPlanningOneSimulation is what internal/dev/simpy/bench.py simulates too.
func BenchmarkPlanningOneSimulation(b *testing.B) {
	benchmark(b, oneDay(many(400, 5, 1000)), withoutSearch)
}

// BenchmarkPlanningCongested is a link that just carries the change, on which thousands of syncs run at a time.
func BenchmarkPlanningCongested(b *testing.B) {
	benchmark(b, oneDay(many(4000, 5, 1100)), withoutSearch)
}

// BenchmarkPlanningVerdict is the verdict on 400 VMs in 8 runs, within a second on two cores.
func BenchmarkPlanningVerdict(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent = 10
	benchmark(b, in, withoutSearch)
}

// BenchmarkPlanningFew is the full answer for 60 VMs in 14 runs of 31 days, within 2 s on two cores.
func BenchmarkPlanningFew(b *testing.B) {
	in := many(60, 15, 100)
	in.JitterPercent = 10
	benchmark(b, in, full)
}

// BenchmarkPlanningGrowth is the full answer for 400 VMs with growth, within 8 s on two cores.
func BenchmarkPlanningGrowth(b *testing.B) {
	in := many(400, 15, 1000)
	in.JitterPercent, in.GrowthPercentPerYear = 10, new(30.0)
	benchmark(b, in, full)
}
