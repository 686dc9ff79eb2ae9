package migration_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/migration"
)

// TestPlan_copiesStart checks 500 plans with copies: a replicated VM starts as soon as max_concurrent allows it and
// no running migration has to end in a window. Copies need no slots and no window.
func TestPlan_copiesStart(t *testing.T) {
	t.Parallel()
	inputs := rapid.Custom(func(t *rapid.T) migration.PlanInput {
		in := anyPlan(t)
		in.MaxConcurrent = new(float64(rapid.IntRange(2, 9).Draw(t, "at a time")))
		in.WindowReservePercent = rapid.SampledFrom([]float64{0, 10, 50}).Draw(t, "reserve")
		if in.WindowStartHour != nil && rapid.Bool().Draw(t, "weekly") {
			in.WindowWeekdays = rapid.SampledFrom([][]string{{"SAT", "SUN"}, {"MON", "WED"}, {"FRI"}}).Draw(t, "days")
		}
		return in
	})
	plans, copies := 0, 0
	for seed := 0; plans < 500; seed++ {
		require.LessOrEqual(t, seed, 10000, "got %d valid plans with copies, want 500", plans)
		in := inputs.Example(seed)
		r, err := migration.Plan(in)
		if err != nil || len(r.Unplanned) > 0 {
			continue
		}
		some := false
		for name, v := range in.VMs {
			if v.Method == migration.MethodReplication && v.MoveGroup == "" {
				copies, some = copies+1, true
				late := couldStart(in, r, name)
				assert.True(t, math.IsInf(late, 1),
					"plan %d: %s starts after %v s, and could after %v s", seed, name, *r.Moves[name].StartSeconds, late)
			}
		}
		if some {
			plans++
		}
	}
	t.Logf("%d copies in %d plans", copies, plans)
}

// TestPlan_copiesFollow checks that copies one at a time follow each other immediately, also outside windows.
func TestPlan_copiesFollow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := onLink(rapid.Float64Range(100, 1000).Draw(t, "throughput"))
		in.MaxConcurrent, in.SetupSeconds = new(1.0), new(rapid.Float64Range(0, 60).Draw(t, "setup"))
		in.WindowHours = new(rapid.Float64Range(1, 12).Draw(t, "window_hours"))
		in.WindowStartHour = new(float64(rapid.IntRange(0, 23).Draw(t, "window_start_hour")))
		if rapid.Bool().Draw(t, "weekly") {
			in.WindowWeekdays = []string{"SAT", "SUN"}
		}
		for i := range rapid.IntRange(2, 9).Draw(t, "VMs") {
			in.VMs[fmt.Sprint("vm", i)] = migration.VM{
				Method: migration.MethodReplication, DiskGiB: rapid.Float64Range(1, 5000).Draw(t, "disk"),
				SwitchoverMinutes: rapid.Float64Range(0, 30).Draw(t, "switchover"),
			}
		}
		r, next := planned(t, in), 0.0
		for _, w := range r.Waves {
			for _, name := range w.VMs {
				assert.InDelta(t, next, (*r.Moves[name].StartSeconds), 1e-6*(1+next), name)
				next += *in.SetupSeconds + in.VMs[name].DiskGiB*(8<<30)/(*in.ThroughputMbps*1e6)
			}
		}
	})
}

// couldStart returns an earlier moment at which a copy could have started, right after another migration ended;
// infinity if there is none.
func couldStart(in migration.PlanInput, r migration.PlanResult, name string) float64 {
	const after = 1e-3
	moments := []float64{0}
	for _, m := range r.Moves {
		moments = append(moments, *m.EndSeconds)
	}
	for _, t := range moments {
		t += after
		if t >= *r.Moves[name].StartSeconds || in.HourlyThroughputMbps != nil && hourlyAt(in, t) == 0 {
			continue
		}
		running, bound := 0, false
		for other, m := range r.Moves {
			if *m.StartSeconds > t || *m.EndSeconds <= t {
				continue
			}
			v := in.VMs[other]
			running++
			bound = bound || v.Method != migration.MethodReplication || *m.EndSeconds-60*v.SwitchoverMinutes <= t+after
		}
		if running < int(*in.MaxConcurrent) && (!bound || in.WindowHours == nil) {
			return t
		}
	}
	return math.Inf(1)
}

func hourlyAt(in migration.PlanInput, t float64) float64 {
	start := 0.0
	if in.WindowStartHour != nil {
		start = *in.WindowStartHour
	}
	return in.HourlyThroughputMbps[int(math.Floor(t/3600)+start)%24]
}
