package migration_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

func off(gib float64) migration.VM {
	return migration.VM{Method: migration.MethodCold, DiskGiB: gib}
}

// replicated returns a VM of 1,000 GiB with a daily change of 20% (19.88 Mbit/s) and a switchover of 10 minutes. In two
// hours, 143.17 Gbit of its data changes.
func replicated() migration.VM {
	return migration.VM{
		Method:             migration.MethodReplication,
		DiskGiB:            1000,
		DailyChangePercent: new(20.0),
		SwitchoverMinutes:  10,
	}
}

func of(mbps float64, n int, v migration.VM) migration.PlanInput {
	in := onLink(mbps)
	in.SetupSeconds = new(0.0)
	for i := range n {
		in.VMs[fmt.Sprintf("vm-%02d", i)] = v
	}
	return in
}

func with(in migration.PlanInput, change func(*migration.PlanInput)) migration.PlanInput {
	change(&in)
	return in
}

func nightly(hours float64) func(*migration.PlanInput) {
	return func(in *migration.PlanInput) { in.WindowHours, in.WindowStartHour = &hours, new(22.0) }
}

const missedForGood = "deadline_missed,no_throughput_meets_deadline"

// want contains the expected results. Numbers that are 0 are not compared.
type want struct {
	verdict        string
	seconds, worst float64
	windows        int64
	limitedBy      string
	reasons, left  string // sorted and comma-separated
	needs          float64
	mbps           float64
	concurrent     int64
	method         string // the only value of MethodsForDowntime
}

// TestPlan_promises checks plans against results computed by hand. 1,000 GiB is 8,589.93 Gbit.
func TestPlan_promises(t *testing.T) {
	t.Parallel()
	deadline := func(hours float64) func(*migration.PlanInput) {
		return func(in *migration.PlanInput) { in.DeadlineHours = &hours }
	}
	for name, test := range map[string]struct {
		in   migration.PlanInput
		want want
	}{
		// Sending 8,589.93 Gbit takes 6,607.6 s over NFC at 1.3 Gbit/s and 859 s over UDT at 10 Gbit/s. Over NFC, ten
		// VMs would use 13 Gbit/s but have to share 10 Gbit/s.
		"one by NFC": {
			of(10000, 1, off(1000)),
			want{verdict: "no_promise", seconds: 6607.6, worst: 6607.6, limitedBy: "nfc"},
		},
		"one by UDT": {
			with(of(10000, 1, off(1000)), func(in *migration.PlanInput) { in.ColdTransport = "udt" }),
			want{verdict: "no_promise", seconds: 859.0, worst: 859.0, limitedBy: "link"},
		},
		"ten by NFC": {
			of(10000, 10, off(1000)),
			want{verdict: "no_promise", seconds: 8589.9, worst: 8589.9, limitedBy: "link"},
		},
		"NFC, 1 Gbit": {of(1000, 1, off(1000)), want{verdict: "no_promise", seconds: 8589.9, limitedBy: "link"}},
		// The NFC copy reaches its maximum of 1.3 Gbit/s. The UDT copy uses the other 8.7 Gbit/s and takes 987.35 s.
		"both": {with(of(10000, 1, off(1000)), func(in *migration.PlanInput) {
			v := off(1000)
			v.Transport, in.MaxConcurrent = migration.TransportUDT, new(2.0)
			in.VMs["vm-01"], in.DeadlineHours = v, new(1.0)
		}), want{verdict: "misses", seconds: 6607.6, reasons: missedForGood}},
		// 10^6 GiB at 60 Mbit/s takes 143,165,577 s = 1,657 days.
		"1,657 days": {of(60, 1, off(1e6)), want{verdict: "no_promise", seconds: 143165576.5, limitedBy: "link"}},

		// The downtime consists of 143.17 s for the last delta and 600 s for the switchover. With an online sync first,
		// the last delta contains only the changes made during those 143.17 s: 2.847 Gbit. The deltas of ten VMs share
		// the link.
		"last delta": {of(1000, 1, replicated()), want{verdict: "no_promise", worst: 743.2}},
		"online first": {
			with(of(1000, 1, replicated()), func(in *migration.PlanInput) { in.OnlineSyncFirst = true }),
			want{verdict: "no_promise", worst: 602.8},
		},
		"ten deltas": {
			with(of(1000, 10, replicated()), func(in *migration.PlanInput) { in.MaxConcurrent = new(10.0) }),
			want{verdict: "no_promise", worst: 2031.7},
		},
		"RPO of 15 minutes": {
			with(of(1000, 1, replicated()), func(in *migration.PlanInput) { in.SyncIntervalMinutes = new(15.0) }),
			want{verdict: "no_promise", worst: 617.9},
		},
		// Copying 1 GiB takes 8.59 s at 1 Gbit/s. With a daily change of 20%, only 0.17 Mbit of data changes in that
		// time, so the last delta is much smaller than the changes of two hours.
		"copied at once": {with(of(1000, 1, replicated()), func(in *migration.PlanInput) {
			v := replicated()
			v.DiskGiB = 1
			in.VMs["vm-00"] = v
		}), want{verdict: "no_promise", seconds: 608.6, worst: 600.0}},
		// Each copy runs at 100 - 19.88 = 80.12 Mbit/s and takes 29.8 hours, so no VM can switch over until the third
		// night. Switching over all ten VMs at once would take 1,431.7 + 600 = 2,031.7 s, longer than the window of 0.5
		// hours. Therefore, eight VMs switch over while the other two continue to change: 1,145.3 / (1 - 2 * 0.01988) +
		// 600 = 1,792.8 s.
		"deltas share a window": {with(of(1000, 10, replicated()), func(in *migration.PlanInput) {
			nightly(0.5)(in)
			in.MaxConcurrent = new(10.0)
		}), want{verdict: "no_promise", worst: 1792.8, windows: 4}},
		// A daily change of 1,000% of 1,000 GiB is a rate of 994 Mbit/s, more than the 900 Mbit/s available, so the
		// copy never ends. The changes of two hours, 7,158 Gbit, take 7,953 s at 900 Mbit/s, whereas the whole disk
		// takes 9,544 s.
		"does not converge": {with(of(900, 1, replicated()), func(in *migration.PlanInput) {
			v := replicated()
			v.DailyChangePercent = new(1000.0)
			in.VMs["vm-00"] = v
		}), want{verdict: "at_risk", reasons: "does_not_converge", left: "vm-00"}},
		"unknown change": {with(of(1000, 1, replicated()), func(in *migration.PlanInput) {
			v := replicated()
			v.DailyChangePercent, in.MaxDowntimeMinutes = nil, new(10.0)
			in.VMs["vm-00"] = v
		}), want{verdict: "at_risk", reasons: "change_not_counted"}},

		// Moving ten powered-off VMs of 100 GiB at 1 Gbit/s takes 8,589.9 s = 2.39 hours.
		"met": {with(of(1000, 10, off(100)), deadline(2.4)), want{verdict: "meets", seconds: 8589.9}},
		"missed": {
			with(of(1000, 10, off(100)), deadline(2)),
			want{verdict: "misses", reasons: "deadline_missed", mbps: 1200},
		},
		"missed, by the hour": {with(of(1000, 10, off(100)), func(in *migration.PlanInput) {
			deadline(2)(in)
			in.ThroughputMbps, in.HourlyThroughputMbps = nil, slices.Repeat([]float64{1000}, 24)
		}), want{verdict: "misses", reasons: "deadline_missed", mbps: 1200}},
		"far too much": {with(of(60, 1, off(1e6)), deadline(48)), want{verdict: "misses", reasons: missedForGood}},
		"one at a time": {
			with(of(10000, 10, off(100)), func(in *migration.PlanInput) {
				in.MaxConcurrent, in.DeadlineHours = new(1.0), new(1.0)
			}),
			// With one VM at a time, each copy runs at 1.3 Gbit/s, so moving ten VMs takes 6,607.6 s. Copying all ten
			// at once would use the whole link.
			want{verdict: "misses", seconds: 6607.6, reasons: missedForGood, concurrent: 16},
		},
		// Two VMs that take 3,000 s each fit in a window of 2 hours, so ten VMs need five nights.
		"five windows": {
			with(of(1000, 10, off(3000/gibAt1000)),
				func(in *migration.PlanInput) {
					nightly(2)(in)
					in.MaxWindows = new(5.0)
				}),
			want{verdict: "meets", windows: 5},
		},
		// With four windows of 7,200 s, at least one window has to fit three of the ten VMs, which requires 3 * 2,900 /
		// 7,200 = 1.208 times the throughput.
		"four windows": {
			with(of(1000, 10, off(2900/gibAt1000)),
				func(in *migration.PlanInput) {
					nightly(2)(in)
					in.MaxWindows = new(4.0)
				}),
			want{verdict: "misses", windows: 5, reasons: "deadline_missed", mbps: 1210},
		},
		// Staff can move five of the ten VMs per night.
		"people": {with(of(1000, 10, off(10)), func(in *migration.PlanInput) {
			nightly(2)(in)
			in.MaxMovesPerWindow, in.MaxWindows = new(5.0), new(2.0)
		}), want{verdict: "meets", windows: 2, limitedBy: "people"}},
		"people, one window": {with(of(1000, 10, off(10)), func(in *migration.PlanInput) {
			nightly(2)(in)
			in.MaxMovesPerWindow, in.MaxWindows = new(5.0), new(1.0)
		}), want{verdict: "misses", windows: 2, limitedBy: "people", reasons: missedForGood}},

		// 49 VMs have 1 GiB each. One VM has 100 GiB, which takes 859 s.
		"one of 50": {with(of(1000, 49, off(1)), func(in *migration.PlanInput) {
			v := off(100)
			v.MemoryGiB, v.MemoryDirtyMbps = 4, new(0.0)
			in.MaxConcurrent, in.MaxDowntimeMinutes = new(1.0), new(5.0)
			in.VMs["big"] = v
		}), want{verdict: "misses", worst: 859.0, reasons: "downtime_exceeded", method: "vmotion"}},
		"promised to one": {with(of(1000, 2, off(100)), func(in *migration.PlanInput) {
			v := off(100)
			v.MaxDowntimeMinutes, in.MaxConcurrent = new(15.0), new(1.0)
			in.VMs["vm-00"] = v
		}), want{verdict: "meets", worst: 859.0}},
		// With 1,000 GiB at 10 Gbit/s, the VM is off for 6,607.6 s over NFC and for 859 s over UDT.
		"udt holds": {
			with(of(10000, 1, off(1000)), func(in *migration.PlanInput) { in.MaxDowntimeMinutes = new(30.0) }),
			want{verdict: "misses", worst: 6607.6, reasons: "downtime_exceeded", method: "udt"},
		},
		// 12 TiB at 1 Gbit/s takes 105,553 s = 29.33 hours, but the window is only 8 hours long.
		"fits in no window": {with(of(1000, 5, off(100)), func(in *migration.PlanInput) {
			nightly(8)(in)
			in.VMs["files"] = off(12288)
		}), want{verdict: "at_risk", windows: 1, reasons: "fits_no_window", left: "files", needs: 29.33}},
		"fits in no window, promised": {with(of(1000, 5, off(100)), func(in *migration.PlanInput) {
			nightly(8)(in)
			in.VMs["files"], in.MaxWindows = off(12288), new(1.0)
		}), want{
			verdict: "misses",
			windows: 1,
			reasons: "deadline_missed,fits_no_window,no_throughput_meets_deadline",
			left:    "files",
			needs:   29.33,
		}},
		// 100 VMs of 1 GiB at 10 Gbit/s take 85.9 s.
		"fixed cost": {
			with(of(10000, 100, off(1)), func(in *migration.PlanInput) {
				in.SetupSeconds, in.MaxDowntimeMinutes = nil, new(60.0)
			}),
			want{verdict: "at_risk", seconds: 85.9, reasons: "fixed_cost_unknown"},
		},
		"fixed cost, nothing promised": {
			with(of(10000, 100, off(1)), func(in *migration.PlanInput) { in.SetupSeconds = nil }),
			want{verdict: "no_promise", seconds: 85.9, reasons: "fixed_cost_unknown"},
		},
		"fixed cost of 0": {
			with(of(10000, 100, off(1)), func(in *migration.PlanInput) { in.MaxDowntimeMinutes = new(60.0) }),
			want{verdict: "meets", seconds: 85.9},
		},
	} {
		checkPromise(t, name, planned(t, test.in), test.want)
	}
}

// reasons returns the codes of the findings, sorted and comma-separated. It excludes limited_by.
func reasons(r migration.PlanResult) string {
	return strings.Join(slices.DeleteFunc(plan.Codes(r.Findings), func(code string) bool {
		return strings.HasPrefix(code, "limited_by_")
	}), ",")
}

func checkPromise(t *testing.T, name string, r migration.PlanResult, want want) {
	t.Helper()
	require.Equal(t, want.verdict, r.Verdict, name)
	assert.Equal(t, want.reasons, reasons(r), name)
	number := func(what string, got *float64, want float64) {
		if want != 0 {
			require.NotNil(t, got, "%s, %s", name, what)
			assert.InDelta(t, want, *got, 0.05, "%s, %s", name, what)
		}
	}
	number("duration", &r.DurationSeconds, want.seconds)
	number("worst downtime", r.WorstDowntimeSeconds, want.worst)
	number("throughput", r.ThroughputForDeadlineMbps, want.mbps)
	if want.windows != 0 {
		require.Equal(t, want.windows, *r.WindowsNeeded, name)
	}
	if want.limitedBy != "" {
		assert.Equal(t, want.limitedBy, r.LimitedBy, name)
	}
	assert.Equal(t, want.left, strings.Join(r.Unplanned, ","), name)
	number("window", r.Moves[want.left].NeededWindowHours, want.needs)
	assert.Equal(t, want.concurrent, *cmp.Or(r.MaxConcurrentForDeadline, new(int64(0))), name)
	methods := slices.Compact(slices.Sorted(maps.Values(r.MethodsForDowntime)))
	assert.Equal(t, want.method, strings.Join(methods, ","), name)
}

func TestPlan_copiesFollow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := onLink(rapid.Float64Range(100, 1000).Draw(t, "throughput"))
		in.MaxConcurrent = new(1.0)
		in.SetupSeconds = new(rapid.Float64Range(0, 60).Draw(t, "setup"))
		in.WindowHours = new(rapid.Float64Range(1, 12).Draw(t, "window_hours"))
		in.WindowStartHour = new(float64(rapid.IntRange(0, 23).Draw(t, "window_start_hour")))
		if rapid.Bool().Draw(t, "weekly") {
			in.WindowWeekdays = []string{"SAT", "SUN"}
		}
		for i := range rapid.IntRange(2, 9).Draw(t, "VMs") {
			in.VMs[fmt.Sprint("vm", i)] = migration.VM{
				Method:            migration.MethodReplication,
				DiskGiB:           rapid.Float64Range(1, 5000).Draw(t, "disk"),
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
