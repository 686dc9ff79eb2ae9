package docstest_test

import (
	"strconv"
	"testing"

	"terraform-provider-vsla/internal/plan/energy"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
)

// checkMoves computes the numbers of the guide's sections on links, moves, limits and energy.
func checkMoves(t *testing.T, check func(what, format string, v float64)) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rtt, loss := 37.29, 1e-4
	path := link.Defaults()
	path.BandwidthMbps, path.RTTMs, path.LossPercent = 1e5, &rtt, &loss
	carried, err := link.Throughput(path)
	must(err)
	check("reno", "%.2f Mbit/s with `reno`", *carried.ThroughputMbps)
	path.CongestionControl = link.Cubic
	carried, err = link.Throughput(path)
	must(err)
	check("cubic", "%.2f Mbit/s with `cubic`", *carried.ThroughputMbps)

	busy := migration.VMotionDefaults()
	busy.MemoryGiB, busy.ThroughputMbps, busy.MemoryDirtyMbps = 64, 1000, 999
	move, err := migration.VMotion(busy)
	must(err)
	check("rounds", "999: %.0f rounds", float64(*move.PrecopyRounds))
	check("time before the stop", "in 2,%.2f s", *move.MemoryCopySeconds-2000)
	check("stop", "a stop of %.4f s", *move.SwitchoverSeconds)
	check("sent", "%.2f GiB sent", *move.TransferredGiB)
	check("guest's speed", "at %.2f %% of its speed", move.GuestSpeedPercent)

	estate := migration.PlanDefaults()
	whole, one := 20000.0, 1000.0
	estate.ThroughputMbps, estate.PerMigrationMbps, estate.VMs = &whole, &one, map[string]migration.VM{}
	for i := range 160 {
		estate.VMs[strconv.Itoa(i)] = migration.VM{
			Method: migration.MethodVMotion, MemoryGiB: 64, Host: strconv.Itoa(i % 16),
		}
	}
	planned, err := migration.Plan(estate)
	must(err)
	check("160 VMs", "take 4,%.0f s", planned.DurationSeconds-4000)
	check("at a time", "s with %.0f at a time", float64(len(planned.Waves[0].VMs)))
	dirty := migration.PlanDefaults()
	ten := 10000.0
	dirty.ThroughputMbps, dirty.VMs = &ten, map[string]migration.VM{}
	for i := range 20 {
		dirty.VMs[strconv.Itoa(i)] = migration.VM{Method: migration.MethodVMotion, MemoryGiB: 64, MemoryDirtyMbps: 1000}
	}
	planned, err = migration.Plan(dirty)
	must(err)
	check("20 VMs", "take 1,%.0f s on 10 Gbit/s", planned.DurationSeconds-1000)

	many := 10000.0
	for version, says := range map[string]string{"6.0": "take %.0f s at the 30", "6.5": "and %.0f s at the 60"} {
		r, err := limits.Check(limits.Input{Product: "vcenter", Version: version, Operations: &many})
		must(err)
		check("operations", says, *r.OperationsSeconds)
	}
	cost, err := energy.Cost(energy.Input{Hosts: 20, KWPerHost: 0.17, PricePerKWh: 0.25, CoolingFactor: 1.5})
	must(err)
	check("energy", "cost 11,%.0f a year", cost.CostPerYear-11000)
}
