package docstest_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/replication"
)

// TestGuide computes every number of the guide "How vsla computes" and of the reference of formulas, and finds it
// there.
func TestGuide(t *testing.T) {
	t.Parallel()
	pages := slices.Concat(read(t, "templates", "guides", "how-vsla-computes.md"),
		read(t, "templates", "guides", "formulas.md"))
	text := strings.Join(strings.Fields(string(pages)), " ")
	check := func(subject, format string, v float64) {
		if want := fmt.Sprintf(format, v); !strings.Contains(text, want) {
			t.Errorf("%s: got no %q on the pages, want it", subject, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	group := replication.Defaults()
	group.VMCount, group.VMSizeGiB, group.DailyChangePercent = 15, 102400e6/(1<<30), 5
	group.ThroughputMbps, group.RPOMinutes = 901, 15
	estimate, err := replication.Estimate(group)
	must(err)
	check("initial sync", "takes 13,%.1f s", estimate.InitialSyncSeconds-13000)
	check("delta", "%.1f s", estimate.OngoingSyncSeconds)
	check("delta in minutes", "(%.1f min)", estimate.OngoingSyncSeconds/60)
	check("smallest RPO", "%.0f minutes here", float64(*estimate.MinRPOMinutes))

	mbps, in := 200.0, replication.ScheduleDefaults()
	in.ThroughputMbps, in.JitterPercent = &mbps, 0
	// Half of 200 Mbit/s changes: 8.64e12 bit a day.
	in.Groups = map[string]replication.Group{
		"a": {VMCount: 1, VMSizeGiB: 8.64e12 / (8 << 30), DailyChangePercent: 100, RPOMinutes: 15, CompressionRatio: 1},
	}
	day, err := replication.Schedule(in)
	must(err)
	check("duration", "take %.4f minutes", *day.P95SyncSeconds/60)
	check("distance", "%.3f minutes apart", *day.P95SyncSeconds/60/0.5)
	check("age", "%.4f minutes old", day.WorstRecoveryPointMinutes)
	check("use", "%.0f %% of the time", day.LinkUsePercent)

	checkConfidence(t, check, group)

	kept, err := replication.ReplicaStorage(replication.StorageInput{
		VMCount: 1, UsedGiB: 100, ChangeCurve: map[float64]float64{15: 1.6, 240: 2.8}, RPOMinutes: 15,
		PointInTime: &replication.PointInTime{InstancesPerDay: 6, Days: 4}, HorizonMonths: 36,
	})
	must(err)
	check("replica", "= %.1f GiB", kept.TargetGiB)

	path, rtt, window := link.Defaults(), 100.0, 64.0
	path.BandwidthMbps, path.RTTMs, path.WindowKiB = 1000, &rtt, &window
	carried, err := link.Throughput(path)
	must(err)
	check("window", "%.2f Mbit/s", *carried.ThroughputMbps)
	rtt = 80
	carried, err = link.Throughput(path)
	must(err)
	check("product", "holds %.0f MB", *carried.BandwidthDelayProductKiB*1024/1e6)

	move := migration.VMotionDefaults()
	move.MemoryGiB, move.ThroughputMbps, move.MemoryDirtyMbps = 8e9/(1<<30), 900, 160
	vmotion, err := migration.VMotion(move)
	must(err)
	check("stop", "take %.4f s", *vmotion.SwitchoverSeconds)
	check("duration", "Total: %.1f s", *vmotion.DurationSeconds)
	move.MemoryDirtyMbps, move.DiskGiB, move.RTTMs = 0, 28e9/(1<<30), 40
	for _, mbps := range []float64{900, 500} {
		move.ThroughputMbps = mbps
		vmotion, err = migration.VMotion(move)
		must(err)
		check("measured", "%.0f s at "+fmt.Sprint(mbps), math.Floor(*vmotion.DurationSeconds))
	}

	gigabit := 1000.0
	waves := migration.PlanDefaults()
	waves.ThroughputMbps, waves.VMs = &gigabit, map[string]migration.VM{}
	for i := range 10 {
		waves.VMs[strconv.Itoa(i)] = migration.VM{Method: migration.MethodVMotion, MemoryGiB: 10}
	}
	planned, err := migration.Plan(waves)
	must(err)
	check("waves", "= %.0f s, however many", planned.DurationSeconds)

	checkMoves(t, check)

	ten, split := 10.0, interactive.Defaults()
	split.Users, split.ThinkSeconds, split.RTTAfterMs = 5, 0.02, 40
	split.ThroughputBefore, split.ThroughputAfter = 65, &ten
	impact, err := interactive.LatencyImpact(split)
	must(err)
	check("service", "= %.1f ms", impact.ServiceSeconds*1000)
	check("round trips", "= %.2f.", impact.RoundTrips)
	one := 1.0
	split.RoundTrips, split.ThroughputAfter = &one, nil
	impact, err = interactive.LatencyImpact(split)
	must(err)
	check("one round trip", "have been %.1f.", impact.ThroughputAfter)
}
