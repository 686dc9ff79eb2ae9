package replication_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/replication"
)

// many returns VMs of 50 GiB with a daily change of 5%. The largest expected environment has 4,000 VMs with an RPO of 5
// minutes, which start about 1.15 million syncs a day.
func many(vms, rpo, mbps float64) replication.ScheduleInput {
	return with(alike(vms, 5, rpo, mbps), func(g *replication.Group) { g.VMSizeGiB = 50 })
}

func benchmark(b *testing.B, in replication.ScheduleInput, search bool) {
	b.Helper()
	b.ReportAllocs()
	compute := func() (replication.ScheduleResult, error) { return replication.Simulate(in) }
	if search {
		compute = func() (replication.ScheduleResult, error) { return replication.Schedule(b.Context(), in) }
	}
	for b.Loop() {
		_, err := compute()
		require.NoError(b, err)
	}
}

func oneDay(in replication.ScheduleInput) replication.ScheduleInput {
	in.Days, in.JitterPercent = new(1.0), 0
	return in
}

func BenchmarkPlanningSchedule(b *testing.B) {
	jittered := func(in replication.ScheduleInput) replication.ScheduleInput {
		in.JitterPercent = 10
		return in
	}
	growing, runs := jittered(many(400, 15, 1000)), jittered(oneDay(many(4000, 5, 10000)))
	growing.GrowthPercentPerYear, runs.Runs = new(30.0), new(20.0)
	for _, test := range []struct {
		name         string
		in           replication.ScheduleInput
		search, long bool
	}{
		{"400", jittered(many(400, 15, 1000)), true, false},
		{"largest", jittered(many(4000, 5, 10000)), true, true},
		{"one day", oneDay(many(4000, 5, 10000)), true, false},
		{"20 runs of a day", runs, false, false},
		{"RPO of a minute", many(13000, 1, 10000), true, true}, // 18.7 million syncs a day
		{"congested", oneDay(many(4000, 5, 1100)), false, false},
		{"verdict", jittered(many(400, 15, 1000)), false, false}, // must take at most 1 s for 8 runs on two cores
		{"few", jittered(many(60, 15, 100)), true, false},        // must take at most 2 s for 14 runs of 31 days on two cores
		{"growth", growing, true, false},                         // must take at most 8 s on two cores
	} {
		b.Run(test.name, func(b *testing.B) {
			if test.long && testing.Short() {
				b.Skip("takes long")
			}
			benchmark(b, test.in, test.search)
		})
	}
}

// BenchmarkPlanningOneSimulation measures the scenario of internal/dev/simpy/bench.py.
func BenchmarkPlanningOneSimulation(b *testing.B) {
	benchmark(b, oneDay(many(400, 5, 1000)), false)
}
