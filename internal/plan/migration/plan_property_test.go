package migration_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

func TestPlan_oneVMIsAVMotion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := plausible(t)
		one.DiskWriteMbps = 0
		one.WorkingSetGiB = nil
		one.ConcurrentMigrations = 1
		one.SetupSeconds = rapid.Float64Range(0, 100).Draw(t, "setup_seconds")
		one.ResumeSeconds = rapid.Float64Range(0, 1.5).Draw(t, "resume_seconds")
		in := onLink(one.ThroughputMbps)
		in.RTTMs = one.RTTMs
		in.SetupSeconds = &one.SetupSeconds
		in.ResumeSeconds = one.ResumeSeconds
		in.VMs["a"] = migration.VM{
			Method:          migration.MethodVMotion,
			MemoryGiB:       one.MemoryGiB,
			MemoryDirtyMbps: one.MemoryDirtyMbps,
			DiskGiB:         one.DiskGiB,
		}
		alone, r := vmotion(t, one), planned(t, in)
		want, stop := *alone.DurationSeconds, *alone.SwitchoverSeconds
		require.InDelta(t, want, r.DurationSeconds, 1e-9*want)
		assert.InDelta(t, want, *r.LowerBoundSeconds, 1e-9*want)
		assert.InDelta(t, stop, *r.WorstDowntimeSeconds, 1e-6*(1+stop))
	})
}

func anyPlan(t *rapid.T) migration.PlanInput {
	draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	in := onLink(draw("throughput_mbps", 100, 40000))
	in.RTTMs = draw("rtt_ms", 0, 200)
	in.SetupSeconds = new(draw("setup", 0, 60))
	in.ResumeSeconds = draw("resume", 0, 1)
	in.NICMbps = rapid.SampledFrom([]float64{100, 1000, 25000}).Draw(t, "nic_mbps")
	if rapid.Bool().Draw(t, "per migration") {
		in.PerMigrationMbps = new(draw("per_migration_mbps", 100, 10000))
	}
	if rapid.Bool().Draw(t, "concurrent") {
		in.MaxConcurrent = new(float64(rapid.IntRange(2, 9).Draw(t, "max_concurrent")))
	}
	if rapid.Bool().Draw(t, "windows") {
		in.WindowHours = new(draw("window_hours", 1, 24))
	}
	if in.WindowHours == nil || rapid.Bool().Draw(t, "daily") {
		if in.WindowHours != nil {
			in.WindowStartHour = new(float64(rapid.IntRange(0, 23).Draw(t, "window_start_hour")))
		}
		if rapid.Bool().Draw(t, "hourly") {
			in.HourlyThroughputMbps = make([]float64, 24)
			for h := range in.HourlyThroughputMbps {
				in.HourlyThroughputMbps[h] = *in.ThroughputMbps * float64(rapid.IntRange(0, 2).Draw(t, "hour"))
			}
			in.HourlyThroughputMbps[0] = *in.ThroughputMbps
			in.ThroughputMbps = nil
		}
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "VMs") {
		v := migration.VM{
			Method:          pick("method", migration.MethodVMotion, migration.MethodCold, migration.MethodReplication),
			MemoryGiB:       draw("memory", 1, 64),
			MemoryDirtyMbps: new(draw("dirty", 0, 3000)),
			DiskGiB:         draw("disk", 0, 100),
			Host:            pick("host", "", "a", "b"),
			TargetHost:      pick("target", "", "a", "c"),
			MoveGroup:       pick("group", "", "", "g"),
			Datastore:       pick("datastore", "", "x"),
			TargetDatastore: pick("target datastore", "", "x", "y"),
		}
		if v.Method == migration.MethodReplication {
			v.DiskGiB++
			v.SwitchoverMinutes = draw("switchover", 0, 30)
		}
		in.VMs[fmt.Sprint("vm", i)] = v
	}
	return in
}

func TestPlan_rules(t *testing.T) {
	t.Parallel()
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		in := anyPlan(t)
		r, err := migration.Plan(in)
		if err != nil {
			return // a group needs more slots than there are
		}
		valid++
		if bound := r.LowerBoundSeconds; bound != nil {
			assert.GreaterOrEqual(t, r.DurationSeconds, *bound*(1-1e-9))
		}
		assert.Len(t, r.Moves, len(in.VMs))
		for name, m := range r.Moves {
			if m.StartSeconds == nil {
				continue
			}
			require.GreaterOrEqual(t, *m.EndSeconds, *m.StartSeconds, name)
			assert.LessOrEqual(t, *m.EndSeconds, r.DurationSeconds, name)
			checkWindow(t, in, name, m)
			checkSlots(t, in, r, *m.StartSeconds)
		}
	})
	assert.NotEqual(t, 0, valid, "no plan was valid")
}

func checkWindow(t *rapid.T, in migration.PlanInput, name string, m migration.Move) {
	if in.WindowHours == nil || in.WindowStartHour != nil && *in.WindowHours == 24 {
		return
	}
	length, period := *in.WindowHours*3600, *in.WindowHours*3600
	if in.WindowStartHour != nil {
		period = 24 * 3600
	}
	opens := float64(*m.Window-1) * period
	from := *m.StartSeconds
	if in.VMs[name].Method == migration.MethodReplication {
		from = *m.EndSeconds - in.VMs[name].SwitchoverMinutes*60
	}
	require.GreaterOrEqual(t, from, opens-1e-3, name)
	assert.LessOrEqual(t, *m.EndSeconds, opens+length+1e-3, name)
}

// checkSlots checks the slots in use just after a given time against the table in the vCenter documentation.
func checkSlots(t *rapid.T, in migration.PlanInput, r migration.PlanResult, at float64) {
	used := map[string]int{}
	add := func(kind string, slots int, a, b string) {
		used[kind+" "+a] += slots
		if b != a {
			used[kind+" "+b] += slots
		}
	}
	running := 0
	for name, m := range r.Moves {
		v := in.VMs[name]
		if m.StartSeconds == nil || v.Method == migration.MethodReplication ||
			at+1e-6 < *m.StartSeconds || at+1e-6 >= *m.EndSeconds {
			continue
		}
		running++
		host, datastore, network := 1, 1, 1
		switch {
		case v.Method == migration.MethodCold:
			datastore, network = 0, 0
		case v.DiskGiB > 0:
			host, datastore = 4, 16
		}
		add("host", host, v.Host, v.TargetHost)
		add("datastore", datastore, v.Datastore, v.TargetDatastore)
		add("network", network, v.Host, v.TargetHost)
	}
	network := map[float64]int{100: 2, 1000: 4, 25000: 8}[in.NICMbps]
	for _, name := range []string{"a", "b", "c"} {
		require.LessOrEqual(t, used["host "+name], 8, "%+v", at)
		assert.LessOrEqual(t, used["network "+name], network, "%+v", at)
	}
	require.LessOrEqual(t, used["datastore x"], 128, "%+v", at)
	assert.LessOrEqual(t, used["datastore y"], 128, "%+v", at)
	if in.MaxConcurrent != nil {
		assert.LessOrEqual(t, running, int(*in.MaxConcurrent))
	}
}

// TestPlan_worseInput checks that a worse input never improves the verdict on a single VM. With several VMs, the
// verdict can improve because their order changes, as in any list scheduling. Every input whose absence counts as a
// risk is set, and the promised downtime is longer than the stop time of a vMotion.
func TestPlan_worseInput(t *testing.T) {
	t.Parallel()
	c := migration.PlanDefinition.Calculator()
	compared, worsened := map[string]bool{}, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn := promised(t)
		for _, name := range slices.Sorted(maps.Keys(drawn.VMs))[1:] {
			delete(drawn.VMs, name)
		}
		drawn.ThreadsMbps = new(10000.0)
		drawn.SyncIntervalMinutes = new(rapid.Float64Range(5, 300).Draw(t, "interval"))
		drawn.MaxDowntimeMinutes = new(rapid.Float64Range(0.2, 60).Draw(t, "max_downtime_minutes"))
		drawn.RTTMs = min(drawn.RTTMs, 150)
		defaults := migration.PlanDefaults()
		in := migration.PlanDefinition.Inputs.Encode(&drawn, &defaults)
		before, err := c.Evaluate(in)
		for range 5 {
			worse, name, ok := plantest.Worse(t, c.Inputs(), in)
			require.True(t, ok)
			after, problem := c.Evaluate(worse)
			if err != nil || problem != nil {
				return
			}
			was, is := c.Judge(before), c.Judge(after)
			compared[name] = true
			if is != was {
				worsened++
			}
			assert.GreaterOrEqual(t, plan.Rank(is), plan.Rank(was),
				"worse %s: %s\n%s", name, before["summary"], after["summary"])
			in, before = worse, after
		}
	})
	assert.Greater(t, len(compared), 5)
	assert.Positive(t, worsened)
}
