package migration_test

import (
	"errors"
	"fmt"
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
	for name, test := range map[string]struct {
		most    *float64
		atATime int
		isSlow  bool
	}{
		"by default":    {nil, 32, false},
		"128 at a time": {new(128.0), 128, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := estate(160, 16, 64)
			in.ThroughputMbps, in.PerMigrationMbps, in.MaxConcurrent = new(20000.0), new(1000.0), test.most
			r := planned(t, in)
			near(t, "duration", r.DurationSeconds, 4398.05, 5e-3)
			require.NotEmpty(t, r.Waves)
			assert.Len(t, r.Waves[0].VMs, test.atATime)
			assert.Equal(t, test.isSlow, slices.Contains(plan.Codes(r.Findings), "below_250_mbps_per_migration"))
		})
	}
}

// TestPlan_nicSlots plans 32 VMs whose hosts have NICs of a given rate. VMs without a host count as those of one host.
func TestPlan_nicSlots(t *testing.T) {
	t.Parallel()
	for mbps, want := range map[float64]int{999: 2, 1000: 4, 9999: 4, 10000: 8, 100000: 8} {
		unknown := estate(32, 1, 10)
		for name, v := range unknown.VMs {
			v.Host = ""
			unknown.VMs[name] = v
		}
		for hosts, test := range map[string]struct {
			in   migration.PlanInput
			want int
		}{
			"one host":      {estate(32, 1, 10), want},
			"two hosts":     {estate(32, 2, 10), 2 * want},
			"unknown hosts": {unknown, want},
		} {
			t.Run(fmt.Sprintf("%.0f Mbit/s, %s", mbps, hosts), func(t *testing.T) {
				t.Parallel()
				test.in.MaxConcurrent, test.in.NICMbps = new(32.0), mbps
				r := planned(t, test.in)
				require.NotEmpty(t, r.Waves)
				assert.Len(t, r.Waves[0].VMs, test.want)
			})
		}
	}
}

// TestPlan_dirtiedAtTheShare checks pre-copy rounds at a shared rate. Sending 64 GiB at 10 Gbit/s takes 54.976 s. At a
// dirty rate of 1 Gbit/s, rounds of 5.498, 0.550 and 0.055 s follow, for a total of 61.078 s. Moving 20 VMs one at a
// time takes 1,221.6 s. Moving several at a time is not faster: two VMs at a time send at 5 Gbit/s each. Rounds of
// 109.951, 21.990, 4.398 and 0.880 s and a stop of 0.176 s add up to 137.395 s for two VMs.
func TestPlan_dirtiedAtTheShare(t *testing.T) {
	t.Parallel()
	const (
		oneByOne = 20 * 64 * gibAt1000 / 10 * (1 + 0.1 + 0.01 + 0.001)
		byTwos   = 10 * 64 * gibAt1000 / 5 * (1 + 0.2 + 0.04 + 0.008 + 0.0016)
	)
	input := func(mbps float64, most *float64) migration.PlanInput {
		in := onLink(mbps)
		in.MaxConcurrent = most
		for i := range 20 {
			in.VMs[strconv.Itoa(i)] = migration.VM{
				Method:          migration.MethodVMotion,
				MemoryGiB:       64,
				MemoryDirtyMbps: new(1000.0),
			}
		}
		return in
	}
	t.Run("by default", func(t *testing.T) {
		t.Parallel()
		r := planned(t, input(10000, nil))
		near(t, "duration", r.DurationSeconds, oneByOne, 1e-6)
		near(t, "duration as stated above", r.DurationSeconds, 1221.6, 0.05)
		near(t, "bound", *r.LowerBoundSeconds, oneByOne, 1e-6)
		assert.Len(t, r.Waves, 20)
	})
	t.Run("several at a time", func(t *testing.T) {
		t.Parallel()
		for _, most := range []float64{1, 2, 4, 8} {
			r := planned(t, input(10000, &most))
			assert.GreaterOrEqual(t, r.DurationSeconds, oneByOne*(1-1e-9), "%v at a time", most)
		}
	})
	t.Run("two at a time", func(t *testing.T) {
		t.Parallel()
		near(t, "duration", planned(t, input(10000, new(2.0))).DurationSeconds, byTwos, 1e-6)
	})
	t.Run("slower link", func(t *testing.T) {
		t.Parallel()
		slower := planned(t, input(9999, nil)).DurationSeconds
		assert.GreaterOrEqual(t, slower, planned(t, input(10000, nil)).DurationSeconds)
	})
}

// TestPlan_replication checks copies outside windows. A copy that takes 36,000 s ends at 8:00, outside the window from
// 22:00 to 24:00. The switchover waits for the next window and takes half an hour. A vMotion in the first window shares
// the link with the copy, so it takes 7,200 s instead of 3,600 s.
func TestPlan_replication(t *testing.T) {
	t.Parallel()
	input := func() migration.PlanInput {
		in := onLink(1000)
		v := at1000(36000)
		v.Method, v.SwitchoverMinutes = migration.MethodReplication, 30
		in.VMs["a"] = v
		return in
	}
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		in := input()
		in.WindowHours, in.WindowStartHour = new(2.0), new(22.0)
		move := planned(t, in).Moves["a"]
		near(t, "start", *move.StartSeconds, 0, 0)
		near(t, "end", *move.EndSeconds, 86400+1800, 1e-6)
		assert.EqualValues(t, 2, *move.Window)
	})
	t.Run("with a vMotion", func(t *testing.T) {
		t.Parallel()
		in := input()
		in.WindowHours, in.WindowStartHour = new(2.0), new(22.0)
		in.VMs["b"], in.MaxConcurrent = at1000(3600), new(2.0)
		near(t, "end", *planned(t, in).Moves["b"].EndSeconds, 7200, 1e-6)
	})
	t.Run("without windows", func(t *testing.T) {
		t.Parallel()
		in := input()
		in.MaxConcurrent = new(2.0)
		near(t, "duration", planned(t, in).DurationSeconds, 36000+1800, 1e-6)
	})
}

// TestPlan_hourly checks a link with hourly rates. A VM with 5.4 * 10^12 bit takes two hours from midnight: the link
// sends 3.6 * 10^12 bit in the first hour at 1 Gbit/s, and the rest in the second hour at 500 Mbit/s. A plan that
// begins at 23:00, when the link is down, starts its first migration at midnight.
func TestPlan_hourly(t *testing.T) {
	t.Parallel()
	input := func() migration.PlanInput {
		in := onLink(0)
		in.ThroughputMbps, in.HourlyThroughputMbps = nil, slices.Repeat([]float64{1000}, 24)
		in.HourlyThroughputMbps[1], in.HourlyThroughputMbps[23] = 500, 0
		in.VMs["a"] = at1000(5400)
		return in
	}
	t.Run("from midnight", func(t *testing.T) {
		t.Parallel()
		r := planned(t, input())
		near(t, "duration", r.DurationSeconds, 7200, 1e-6)
		near(t, "bound", *r.LowerBoundSeconds, 7200, 1e-6)
	})
	t.Run("from 23:00", func(t *testing.T) {
		t.Parallel()
		in := input()
		in.WindowStartHour, in.WindowHours = new(23.0), new(6.0)
		move := planned(t, in).Moves["a"]
		near(t, "start", *move.StartSeconds, 3600, 1e-6)
		near(t, "end", *move.EndSeconds, 3600+7200, 1e-6)
	})
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

// checkRefused checks that an input has a single error, at the given place, which says the given text.
func checkRefused(t *testing.T, in migration.PlanInput, at, says string) {
	t.Helper()
	_, err := migration.Plan(in)
	list, _ := errors.AsType[plan.InputErrors](err)
	require.Len(t, list, 1, "%v", err)
	assert.Equal(t, at, list[0].Path.String())
	assert.Contains(t, list[0].Reason, says)
}

func TestPlan_badVMs(t *testing.T) {
	t.Parallel()
	const vmotion, replication = migration.MethodVMotion, migration.MethodReplication
	late := at1000(10)
	late.SwitchoverMinutes = 5
	for name, test := range map[string]struct {
		profile  string
		vm       migration.VM
		at, says string
	}{
		"no data":        {"", migration.VM{Method: vmotion}, "memory_gib", "must not be 0 if disk_gib is 0"},
		"no disk":        {"", migration.VM{Method: replication}, "disk_gib", "must not be 0 with the method"},
		"no such method": {"", migration.VM{Method: "teleport", DiskGiB: 1}, "method", `got "teleport"`},
		"switchover":     {"", late, "switchover_minutes", "is supported only with the methods cold and replication"},
		// A method must not contradict the profile.
		"replication with HCX vMotion": {
			migration.ProfileHCXVMotion, replicated(),
			"method", "is not supported by the profile hcx_vmotion, got replication",
		},
		"vMotion with HCX bulk": {
			migration.ProfileHCXBulk, at1000(10),
			"method", "is not supported by the profile hcx_bulk, got vmotion",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := onLink(1000)
			in.Profile, in.VMs["a"] = test.profile, test.vm
			checkRefused(t, in, `virtual_machines["a"].`+test.at, test.says)
		})
	}
}

// TestPlan_badWindows plans with invalid windows. 2026-12-06 is a Sunday. If window_start_hour is not set, the hours of
// the windows are unknown, so that they cannot be combined with hourly rates.
func TestPlan_badWindows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours, start *float64
		days         []string
		first        string
		hourly       []float64
		at, says     string
	}{
		"no such day":         {first: "2026-02-30", at: "first_day", says: "must be a date such as 2026-12-05"},
		"start without hours": {start: new(5.0), at: "window_start_hour", says: "requires window_hours"},
		"48 hours":            {hours: new(48.0), start: new(5.0), at: "window_hours", says: "must be at most 24"},
		"days without start": {
			hours: new(24.0), days: []string{"SAT"},
			at: "window_weekdays", says: "requires window_start_hour",
		},
		"no days": {
			hours: new(24.0), start: new(0.0), days: []string{},
			at: "window_weekdays", says: "must not be empty",
		},
		"second day first": {
			hours: new(24.0), start: new(0.0), days: []string{"SAT", "SUN"}, first: "2026-12-06",
			at: "first_day", says: "is a SUN, but the first of",
		},
		"hourly rates without start": {
			hours: new(5.0), hourly: slices.Repeat([]float64{1}, 24),
			at: "window_start_hour", says: "is required for windows with hourly_throughput_mbps",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := onLink(1000)
			in.VMs["a"] = at1000(10)
			in.WindowHours, in.WindowStartHour = test.hours, test.start
			in.WindowWeekdays, in.FirstDay = test.days, test.first
			if test.hourly != nil {
				in.ThroughputMbps, in.HourlyThroughputMbps = nil, test.hourly
			}
			checkRefused(t, in, test.at, test.says)
		})
	}
}

func TestPlan_badInput(t *testing.T) {
	t.Parallel()
	vm := at1000(10)
	grouped := vm
	grouped.MoveGroup = "all"
	group := of(1000, 2, grouped)
	group.MaxConcurrent = new(1.0)
	noLink := of(0, 1, vm)
	noLink.ThroughputMbps = nil
	centuries := of(0, 1, at1000(1e9)) // 10^9 s at 1 Gbit/s, and 10^12 s at 1 Mbit/s
	centuries.ThroughputMbps, centuries.HourlyThroughputMbps = nil, slices.Repeat([]float64{1}, 24)
	windows, moves := of(1000, 1, vm), of(1000, 1, vm)
	windows.MaxWindows, moves.MaxMovesPerWindow = new(5.0), new(5.0)
	concurrent, fast := of(1000, 1, vm), of(1000, 1, replicated())
	concurrent.Profile, concurrent.MaxConcurrent = migration.ProfileHCXVMotion, new(2.0)
	fast.Profile, fast.PerMigrationMbps = migration.ProfileHCXBulk, new(2000.0)
	const moveGroup = `virtual_machines["vm-00"].move_group`
	for name, test := range map[string]struct {
		in       migration.PlanInput
		at, says string
	}{
		"no VMs":                 {onLink(1000), "virtual_machines", "no VM matches its filters"},
		"a group of two":         {group, moveGroup, "increase max_concurrent to 2, or split the group"},
		"no link":                {noLink, "throughput_mbps", "or hourly_throughput_mbps must be set"},
		"centuries":              {centuries, "hourly_throughput_mbps", "must be higher"},
		"most windows of none":   {windows, "max_windows", "requires window_hours"},
		"most moves of none":     {moves, "max_moves_per_window", "requires window_hours"},
		"two with HCX vMotion":   {concurrent, "max_concurrent", "must be at most 1 with the profile hcx_vmotion"},
		"2 Gbit/s with HCX bulk": {fast, "per_migration_mbps", "must be at most 1,000 with the profile hcx_bulk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkRefused(t, test.in, test.at, test.says)
		})
	}
}
