package replication_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/replication"
)

// proofs is how many schedules are generated: some, or as many as VSLA_PROVE_SCHEDULES states.
func proofs(t *testing.T) int {
	t.Helper()
	n := 60
	if testing.Short() {
		n = 30
	}
	if v := os.Getenv("VSLA_PROVE_SCHEDULES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// drawSchedule returns schedule i of those that are generated: one to three groups that use 5 to 110 % of the link.
func drawSchedule(i int) replication.ScheduleInput {
	numbers := draw.New(fmt.Sprintf("proof/%d", i))
	between := func(low, high float64) float64 { return low + (high-low)*numbers.Float64() }
	one := func(of ...float64) float64 { return of[int(between(0, float64(len(of))))] }
	in := replication.ScheduleDefaults()
	in.TargetCompliancePercent = one(90, 95, 99, 99, 99.9)
	in.Groups = map[string]replication.Group{}
	bits := 0.0
	for n := range int(between(1, 4)) {
		g := replication.GroupDefaults()
		g.VMCount, g.VMSizeGiB = math.Floor(between(1, 61)), between(20, 500)
		g.DailyChangePercent, g.RPOMinutes = between(0.5, 20), one(5, 15, 30, 60, 120, 240, 480, 1440)
		g.OverheadSeconds = one(0, 0, 0, 10, 60)
		switch shape := numbers.Float64(); {
		case shape < 0.25:
			g.PeakFactor = new(one(1.5, 2, 3, 5))
		case shape < 0.4:
			g.HourlyWeights = make([]float64, 24)
			for h := range g.HourlyWeights {
				g.HourlyWeights[h] = one(1, 2, 3, 5)
			}
		}
		in.Groups[strconv.Itoa(n)] = g
		bits += g.VMCount * g.VMSizeGiB * 8 * (1 << 30) * g.DailyChangePercent / 100
	}
	in.ThroughputMbps = new(bits / 86400 / 1e6 / between(0.05, 1.1))
	if numbers.Float64() < 0.2 {
		in.PerSyncMbps = new(*in.ThroughputMbps * between(0.1, 0.9))
	}
	return in
}

// shortly returns a schedule of 2 days, or of the least length if that is longer, that uses 30 to 110 % of the link.
func shortly(in replication.ScheduleInput) replication.ScheduleInput {
	bits, days := 0.0, 2.0
	for _, g := range in.Groups {
		bits += g.VMCount * g.VMSizeGiB * 8 * (1 << 30) * g.DailyChangePercent / 100
		days = max(days, math.Ceil(4*g.RPOMinutes/1440))
	}
	load := bits / 86400 / 1e6 / *in.ThroughputMbps
	slower := load / (0.3 + 0.8*(load-0.05)/1.05)
	in.Days, in.ThroughputMbps = &days, new(*in.ThroughputMbps*slower)
	if in.PerSyncMbps != nil {
		in.PerSyncMbps = new(*in.PerSyncMbps * slower)
	}
	return in
}

// turns reports whether a change of the throughput by 10^-9 changes the verdict of a schedule.
func turns(t *testing.T, in replication.ScheduleInput, verdict string) bool {
	t.Helper()
	in.ThroughputMbps = new(*in.ThroughputMbps * (1 + 1e-9))
	return simulate(t, in).Verdict != verdict
}

// TestSchedule_proof: a schedule that meets reaches its target over 31 days to 0.1 points. A change of the throughput
// by 10^-9 turns at most one verdict in 200 over 2 days, and one in 50 over 8 to 31: of 2,000, 8 and 23
// (docs/adr/0010-schedule-jitter.md).
func TestSchedule_proof(t *testing.T) {
	t.Parallel()
	n := proofs(t)
	var all sync.WaitGroup
	var counts sync.Mutex
	meets, turned, turnedShort, slots := 0, 0, 0, make(chan struct{}, 2)
	for i := range n {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			in := drawSchedule(i)
			r, short := simulate(t, in), shortly(in)
			long, brief := turns(t, in, r.Verdict), turns(t, short, simulate(t, short).Verdict)
			counts.Lock()
			defer counts.Unlock()
			if long {
				turned++
			}
			if brief {
				turnedShort++
			}
			if r.Verdict != replication.VerdictMeets {
				return
			}
			meets++
			in.Days = new(31.0)
			if long := simulate(t, in); long.CompliancePercent < in.TargetCompliancePercent-0.1 {
				t.Errorf("schedule %d meets %v %%, and has %v %% over 31 days", i, in.TargetCompliancePercent,
					long.CompliancePercent)
			}
		})
	}
	all.Wait()
	if meets == 0 || float64(turned) > max(1, 0.02*float64(n)) || float64(turnedShort) > max(1, 0.005*float64(n)) {
		t.Errorf("of %d schedules %d meet, want some; a change by 10^-9 turns %d verdicts, want at most 2 %%, and over 2 "+
			"days %d, want at most 0.5 %%", n, meets, turned, turnedShort)
	}
	t.Logf("of %d schedules %d meet, and a change by 10^-9 turns %d verdicts, %d over 2 days", n, meets, turned,
		turnedShort)
}
