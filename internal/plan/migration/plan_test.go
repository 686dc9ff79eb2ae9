package migration_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.InDelta(t, want, got, tolerance, what)
}

// at1000 returns a VM whose disk takes the given number of seconds to send at 1 Gbit/s. Its memory is empty.
func at1000(seconds float64) migration.VM {
	return migration.VM{Method: migration.MethodVMotion, DiskGiB: seconds / gibAt1000, MemoryDirtyMbps: new(0.0)}
}

// TestPlan_slotsOfEachHost checks 160 VMs with 64 GiB of memory each on 16 hosts. Each migration is limited to 1 Gbit/s
// on a 20 Gbit/s link. Sending 64 GiB at 1 Gbit/s takes 549.756 s, so moving all VMs takes 160 * 549.756 / 20 =
// 4,398.05 s. 32 concurrent migrations fill the link at 625 Mbit/s each. 128 concurrent migrations, the most that the
// slots allow, would get only 156 Mbit/s each.
func TestPlan_slotsOfEachHost(t *testing.T) {
	t.Parallel()
	in := estate(160, 16, 64)
	*in.ThroughputMbps, in.PerMigrationMbps = 20000, new(1000.0)
	r := planned(t, in)
	near(t, "duration", r.DurationSeconds, 4398.05, 5e-3)
	require.Len(t, r.Waves[0].VMs, 32)
	assert.NotContains(t, plan.Codes(r.Findings), "below_250_mbps_per_migration")
	in.MaxConcurrent = new(128.0)
	r = planned(t, in)
	near(t, "128 at a time", r.DurationSeconds, 4398.05, 5e-3)
	require.Len(t, r.Waves[0].VMs, 128)
	assert.Contains(t, plan.Codes(r.Findings), "below_250_mbps_per_migration")
}

func TestPlan_nicSlots(t *testing.T) {
	t.Parallel()
	for mbps, want := range map[float64]int{999: 2, 1000: 4, 9999: 4, 10000: 8, 100000: 8} {
		for _, hosts := range []int{1, 2} {
			in := estate(32, hosts, 10)
			in.MaxConcurrent, in.NICMbps = new(32.0), mbps
			assert.Len(t, planned(t, in).Waves[0].VMs, want*hosts, "%+v", mbps)
		}
		in := estate(32, 1, 10)
		in.MaxConcurrent, in.NICMbps = new(32.0), mbps
		for name, v := range in.VMs {
			v.Host = ""
			in.VMs[name] = v
		}
		assert.Len(t, planned(t, in).Waves[0].VMs, want, "%+v", mbps)
	}
}

// TestPlan_dirtiedAtTheShare checks pre-copy rounds at a shared rate. Sending 64 GiB at 10 Gbit/s takes 54.976 s. At a
// dirty rate of 1 Gbit/s, rounds of 5.498, 0.550 and 0.055 s follow, for a total of 61.078 s. Moving 20 VMs one at a
// time takes 1,221.6 s. Moving several at a time is not faster.
func TestPlan_dirtiedAtTheShare(t *testing.T) {
	t.Parallel()
	in := onLink(10000)
	for i := range 20 {
		in.VMs[strconv.Itoa(i)] = migration.VM{
			Method:          migration.MethodVMotion,
			MemoryGiB:       64,
			MemoryDirtyMbps: new(1000.0),
		}
	}
	r := planned(t, in)
	const want = 20 * 64 * gibAt1000 / 10 * 1.111
	near(t, "duration", r.DurationSeconds, want, 1e-6)
	near(t, "bound", *r.LowerBoundSeconds, want, 1e-6)
	require.Len(t, r.Waves, 20)
	assert.InDelta(t, 1222.0, want, 1)
	for most := 1.0; most <= 8; most *= 2 {
		in.MaxConcurrent = &most
		assert.GreaterOrEqual(t, planned(t, in).DurationSeconds, want*(1-1e-9), "%+v", most)
	}
	in.MaxConcurrent, *in.ThroughputMbps = nil, 9999
	assert.GreaterOrEqual(t, planned(t, in).DurationSeconds, r.DurationSeconds)
	// Two VMs at a time send at 5 Gbit/s each. Rounds of 109.951, 21.990, 4.398 and 0.880 s and a stop of 0.176 s add
	// up to 137.395 s for two VMs.
	in.MaxConcurrent, *in.ThroughputMbps = new(2.0), 10000
	near(t, "two at a time", planned(t, in).DurationSeconds, 10*2*64*gibAt1000/10*1.2496, 1e-6)
}

// TestPlan_replication checks copies outside windows. A copy that takes 36,000 s ends at 8:00, outside the window from
// 22:00 to 24:00. The switchover waits for the next window and takes half an hour. A vMotion in the first window shares
// the link with the copy, so it takes 7,200 s instead of 3,600 s.
func TestPlan_replication(t *testing.T) {
	t.Parallel()
	in := onLink(1000)
	v := at1000(36000)
	v.Method, v.SwitchoverMinutes = migration.MethodReplication, 30
	in.VMs["a"] = v
	in.WindowHours, in.WindowStartHour = new(2.0), new(22.0)
	r := planned(t, in)
	near(t, "start", *r.Moves["a"].StartSeconds, 0, 0)
	near(t, "end", *r.Moves["a"].EndSeconds, 86400+1800, 1e-6)
	assert.EqualValues(t, 2, *r.Moves["a"].Window)
	in.VMs["b"], in.MaxConcurrent = at1000(3600), new(2.0)
	near(t, "shared", *planned(t, in).Moves["b"].EndSeconds, 7200, 1e-6)
	in.WindowHours, in.WindowStartHour = nil, nil
	delete(in.VMs, "b")
	near(t, "without windows", planned(t, in).DurationSeconds, 36000+1800, 1e-6)
}

// TestPlan_hourly checks a link with hourly rates. A VM with 5.4 * 10^12 bit takes two hours from midnight: the link
// sends 3.6 * 10^12 bit in the first hour at 1 Gbit/s, and the rest in the second hour at 500 Mbit/s. A plan that
// begins at 23:00, when the link is down, starts its first migration at midnight.
func TestPlan_hourly(t *testing.T) {
	t.Parallel()
	in := onLink(0)
	in.ThroughputMbps, in.HourlyThroughputMbps = nil, slices.Repeat([]float64{1000}, 24)
	in.HourlyThroughputMbps[1], in.HourlyThroughputMbps[23] = 500, 0
	in.VMs["a"] = at1000(5400)
	r := planned(t, in)
	near(t, "from midnight", r.DurationSeconds, 7200, 1e-6)
	near(t, "bound", *r.LowerBoundSeconds, 7200, 1e-6)
	in.WindowStartHour, in.WindowHours = new(23.0), new(6.0)
	r = planned(t, in)
	near(t, "starts", *r.Moves["a"].StartSeconds, 3600, 1e-6)
	near(t, "ends", *r.Moves["a"].EndSeconds, 3600+7200, 1e-6)
}

func TestPlan_fixedTimes(t *testing.T) {
	t.Parallel()
	in := onLink(1000)
	in.SetupSeconds = new(10.0)
	in.RTTMs = 100
	in.ResumeSeconds = 0.2
	in.MaxConcurrent = new(2.0)
	cold := at1000(100)
	cold.Method, cold.MemoryGiB = migration.MethodCold, 64
	in.VMs["a"], in.VMs["b"] = cold, at1000(50)
	r := planned(t, in)
	// Both migrations begin to send data after 10 s and share the link. The vMotion, which would take 50 s alone, has
	// sent all its data after 110 s and then stops the guest for 0.3 s. The cold migration ends at 160 s.
	near(t, "vMotion", *r.Moves["b"].EndSeconds, 110.3, 1e-6)
	near(t, "cold", *r.Moves["a"].EndSeconds, 160, 1e-6)
}

func TestPlan_badInput(t *testing.T) {
	t.Parallel()
	vm := func(change func(*migration.VM)) func(*migration.PlanInput) {
		return func(in *migration.PlanInput) {
			v := at1000(10)
			change(&v)
			in.VMs["a"] = v
		}
	}
	windows := func(hours float64, start *float64, days []string) func(*migration.PlanInput) {
		return func(in *migration.PlanInput) {
			in.WindowHours = &hours
			in.WindowStartHour = start
			in.WindowWeekdays = days
		}
	}
	byHour := func(in *migration.PlanInput) {
		in.ThroughputMbps, in.HourlyThroughputMbps = nil, slices.Repeat([]float64{1}, 24)
	}
	const method, hcx, bulk = `virtual_machines["a"].method`, migration.ProfileHCXVMotion, migration.ProfileHCXBulk
	for _, test := range []struct {
		at, say string
		change  func(*migration.PlanInput)
	}{
		{"virtual_machines", "no VM matches its filters", func(in *migration.PlanInput) { in.VMs = nil }},
		{
			`virtual_machines["a"].memory_gib`,
			"must not be 0 if disk_gib is 0",
			vm(func(v *migration.VM) { v.DiskGiB = 0 }),
		},
		{
			`virtual_machines["a"].move_group`, "increase max_concurrent to 2, or split the group",
			func(in *migration.PlanInput) {
				vm(func(v *migration.VM) { v.MoveGroup = "all" })(in)
				in.VMs["b"], in.MaxConcurrent = in.VMs["a"], new(1.0)
			},
		},
		{method, "", vm(func(v *migration.VM) { v.Method = "teleport" })},
		{
			`virtual_machines["a"].disk_gib`,
			"",
			vm(func(v *migration.VM) { v.Method, v.DiskGiB = migration.MethodReplication, 0 }),
		},
		{`virtual_machines["a"].switchover_minutes`, "", vm(func(v *migration.VM) { v.SwitchoverMinutes = 5 })},
		{"throughput_mbps", "", func(in *migration.PlanInput) { in.ThroughputMbps = nil }},
		{"max_windows", "", func(in *migration.PlanInput) { in.MaxWindows = new(5.0) }},
		{"max_moves_per_window", "", func(in *migration.PlanInput) { in.MaxMovesPerWindow = new(5.0) }},
		{"first_day", "", func(in *migration.PlanInput) { in.FirstDay = "2026-02-30" }},
		{"first_day", "is a SUN, but the first of", func(in *migration.PlanInput) {
			windows(24, new(0.0), []string{"SAT", "SUN"})(in)
			in.FirstDay = "2026-12-06"
		}},
		{"window_start_hour", "", func(in *migration.PlanInput) { in.WindowStartHour = new(5.0) }},
		{"window_hours", "", windows(48, new(5.0), nil)},
		{"window_weekdays", "requires window_start_hour", windows(24, nil, []string{"SAT"})},
		{"window_weekdays", "must not be empty", windows(24, new(0.0), []string{})},
		// If window_start_hour is not set, the hours of the windows are unknown. A migration that would take centuries
		// cannot be planned.
		{"window_start_hour", "", func(in *migration.PlanInput) {
			byHour(in)
			in.WindowHours = new(5.0)
		}},
		{"hourly_throughput_mbps", "", func(in *migration.PlanInput) {
			byHour(in)
			in.VMs["a"] = at1000(1e9)
		}},
		// An input must not contradict the profile.
		{"max_concurrent", "", func(in *migration.PlanInput) { in.Profile, in.MaxConcurrent = hcx, new(2.0) }},
		{method, "", func(in *migration.PlanInput) { in.Profile, in.VMs["a"] = hcx, replicated() }},
		{method, "", func(in *migration.PlanInput) { in.Profile = bulk }},
		{"per_migration_mbps", "", func(in *migration.PlanInput) {
			in.Profile = bulk
			in.PerMigrationMbps = new(2000.0)
			in.VMs["a"] = replicated()
		}},
	} {
		in := onLink(1000)
		in.VMs["a"] = at1000(10)
		test.change(&in)
		_, err := migration.Plan(in)
		list, _ := errors.AsType[plan.InputErrors](err)
		require.Len(t, list, 1, "%v, want one error at %s", err, test.at)
		assert.Equal(t, test.at, list[0].Path.String())
		assert.Contains(t, list[0].Reason, test.say)
	}
}
