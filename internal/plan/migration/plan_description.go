package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs of a plan.
var (
	RangeSlots         = plan.Range{Min: 1, Max: 1e6, Whole: true}
	RangeMaxConcurrent = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "migrations"}
	RangeWindowHours   = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangePlanMemoryGiB = plan.Range{Min: 0, Max: 1e9, Unit: "GiB"}
	RangeHourlyMbps    = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeStartHour     = plan.Range{Min: 0, Max: 23, Whole: true}
	RangeSwitchover    = plan.Range{Min: 0, Max: 1e6, Unit: "minutes"}
	RangeReserve       = plan.Range{Min: 0, Max: 90, Unit: "percent"}
	RangeDailyChange   = plan.Range{Min: 0, Max: 1000, Unit: "percent"}
	RangeSyncInterval  = plan.Range{Min: 0, Max: 1e6, Unit: "minutes"}
	RangeDeadlineHours = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangeMaxWindows    = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "windows"}
	RangeMaxMoves      = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "VMs"}
	RangeDowntime      = plan.Range{Min: 0, Max: 1e6, Unit: "minutes"}
	RangeWeight        = plan.Range{Min: 0, Max: 1e6}
)

// The values of limited_by.
const (
	LimitedByLink       = "link"
	LimitedByConcurrent = "max_concurrent"
	LimitedByHost       = "host"
	LimitedByNetwork    = "network"
	LimitedByDatastore  = "datastore"
	LimitedByMigration  = "longest_migration"
	LimitedByWindow     = "window"
	LimitedByPeople     = "people"
	LimitedByNFC        = "nfc"
)

var limitNames = []string{
	LimitedByLink, LimitedByHost, LimitedByNetwork, LimitedByDatastore, LimitedByConcurrent, LimitedByMigration,
	LimitedByNFC, LimitedByPeople, LimitedByWindow,
}

// The codes of missed promises.
const (
	DeadlineMissed   = "deadline_missed"
	DowntimeExceeded = "downtime_exceeded"
)

// The reasons used only by plans.
var (
	reasonChangeNotCounted = calculator.Reason{
		Code: "change_not_counted",
		Sentence: "What changes on %s while they are copied and wait is not counted: set daily_change_percent, 0 if it " +
			"is nothing.",
	}
	reasonBelow100Mbps = calculator.Reason{
		Code:     "below_100_mbps_per_migration",
		Sentence: "One migration has %s; HCX vMotion asks for 100 Mbit/s.",
	}
	reasonDeadlineMissed = calculator.Reason{
		Code:     DeadlineMissed,
		Sentence: "%s not moved within %s: %s.",
	}
	reasonNoThroughput = calculator.Reason{
		Code:     "no_throughput_meets_deadline",
		Sentence: "No throughput makes the plan short enough: %s.",
	}
	reasonDowntimeExceeded = calculator.Reason{
		Code:     DowntimeExceeded,
		Sentence: "%s off for longer than promised: %s.",
	}
	reasonFixedCostUnknown = calculator.Reason{
		Code: "fixed_cost_unknown",
		Sentence: "setup_seconds is not given: with an assumed %s s for each migration the plan takes %s%% longer. Measure " +
			"one move, or set it to 0.",
	}
	reasonFitsNoWindow = calculator.Reason{
		Code:     "fits_no_window",
		Sentence: "%s in no window, even alone with a reserve of %s%%: %s.",
	}
	reasonDoesNotConverge = calculator.Reason{
		Code:     "does_not_converge",
		Sentence: "%s as fast as the copy is sent, which never ends, and not planned: %s.",
	}
)

var planVerdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "if all that is promised holds: deadline, windows and downtimes"},
	{
		Code:  VerdictAtRisk,
		Level: calculator.AtRisk,
		Doc:   "if a promise is not missed, and changes, the fixed cost or a rate are not known, and if VMs are not planned",
	},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "if a promise is missed"},
	{
		Code: VerdictUnsupported, Level: calculator.Misses,
		Doc: "if a vMotion has less than 250 Mbit/s at any moment (100 with HCX), or crosses a round trip above 150 ms",
	},
	{
		Code: VerdictNoPromise,
		Doc:  "if neither `deadline_hours` nor `max_windows` nor `max_downtime_minutes` is given: nothing is judged",
	},
}

// planReasons returns the reasons of a plan: one for each value of limited_by, those shared with a vMotion, and those
// used only by plans.
func planReasons() []calculator.Reason {
	reasons := []calculator.Reason{
		reasonBelow250Mbps, reasonBelow100Mbps, reasonRTTAbove150, reasonOneThread, reasonChangeNotCounted,
		reasonDeadlineMissed, reasonNoThroughput, reasonDowntimeExceeded, reasonFixedCostUnknown, reasonFitsNoWindow,
		reasonDoesNotConverge,
	}
	for _, limit := range limitNames {
		reasons = append(reasons, limitReason(limit))
	}
	return reasons
}

var limitSentences = map[string]string{
	LimitedByLink:       "The link limits the plan: all data at its full rate takes that long.",
	LimitedByConcurrent: "max_concurrent limits the plan: more VMs at a time make a shorter one possible.",
	LimitedByHost:       "A host limits the plan: its migrations have to share host_slots.",
	LimitedByNetwork:    "A network limits the plan: the migrations of a host have to share network_slots.",
	LimitedByDatastore:  "A datastore limits the plan: its migrations have to share datastore_slots.",
	LimitedByMigration:  "The longest migration limits the plan.",
	LimitedByWindow:     "The windows limit the plan: it waits between them.",
	LimitedByPeople:     "The people limit the plan: max_moves_per_window VMs move in a window.",
	LimitedByNFC: "NFC limits the plan: its one thread copies a VM that is off at 1.3 Gbit/s at best. The transport " +
		"udt, from vSphere 8 with a provisioning adapter, has no such limit.",
}

func limitReason(limit string) calculator.Reason {
	return calculator.Reason{Code: "limited_by_" + limit, Sentence: limitSentences[limit]}
}

// PlanDefinition describes vsla_migration_plan.
var PlanDefinition = calculator.Definition[PlanInput, PlanResult]{
	Names: calculator.Names{
		Name:     "migration_plan",
		Function: "migration_plan",
		Command:  "migration",
		Title:    "Migration plan",
		Summary:  "In which waves many VMs move, and how long it takes",
		Description: "Plans when many VMs move: under vCenter's resource costs for hosts, network adapters and datastores, " +
			"with move groups that start together, over a link that the running migrations share, and within maintenance " +
			"windows. The longest start first. It needs no connection and no credentials. 5,000 VMs take a second or two. " +
			"In windows, VMs with `memory_dirty_mbps` take longer: 1,500 of them can take minutes. A deadline that is missed " +
			"is planned again some twenty times, to find what meets it.\n\n" +
			"By hand: ten VMs of 10 GiB over 1 Gbit/s are 100 * 8.59 s = 859 s, however many run at a time; on one host, " +
			"which has 8 slots, no more than two with storage do. A VM of 1,000 GiB that is off takes 8,589.9 Gbit / 1.3 " +
			"Gbit/s = 6,607.6 s by NFC, on any link.",
	},
	Default:  PlanDefaults,
	Inputs:   planInputs,
	Results:  planRows,
	Verdicts: planVerdicts,
	Reasons:  planReasons(),
	Explain:  func(r *PlanResult) *calculator.Explanation { return &r.Explanation },
	Compute:  Plan,
	Slow: func(in PlanInput) bool {
		const slow = 2000
		return len(in.VMs) > slow && (in.DeadlineHours != nil || in.MaxWindows != nil)
	},
}

var planInputs = calculator.Inputs[PlanInput]{
	calculator.Each("virtual_machines", "The VMs to move, by any name, 1 to 50,000 of them.",
		vmInputs, func() VM { return VM{} },
		func(in *PlanInput) *map[string]VM { return &in.VMs }).Better(calculator.Lower).Simulates(),
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"What the link carries for all migrations together, in Mbit/s. Exactly one of it and `hourly_throughput_mbps`.",
		func(in *PlanInput) **float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.HourList("hourly_throughput_mbps", RangeHourlyMbps,
		"What the link carries in each hour of the day, in Mbit/s. The plan starts at `window_start_hour`, else at "+
			"midnight.",
		func(in *PlanInput) *[]float64 { return &in.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Choice("profile", false, []string{ProfileHCXVMotion, ProfileHCXBulk},
		"Fills in what is not given, and lists it in `assumed` with its source. `hcx_vmotion`: one migration at a time, "+
			"which needs 100 Mbit/s in place of 250. `hcx_bulk`: the method `replication`, `sync_interval_minutes` 120, "+
			"at most 1,000 Mbit/s and 200 at a time, over one interconnect appliance of 1,600 Mbit/s. An input that it "+
			"contradicts is an error.",
		func(in *PlanInput) *string { return &in.Profile }).Either("a name"),
	calculator.Choice("cold_transport", false, []string{TransportNFC, TransportUDT},
		"Protocol that copies a VM that is off. `nfc`, Network File Copy, carries 1,300 Mbit/s at best in its one thread; "+
			"`udt`, Unified Data Transport, from vSphere 8 with a provisioning adapter, has no limit of its own.",
		func(in *PlanInput) *string { return &in.ColdTransport }).Either("a name"),
	calculator.Absent("threads_mbps", RangeThroughputMbps, threadsDoc,
		func(in *PlanInput) **float64 { return &in.ThreadsMbps }).Better(calculator.Higher),
	calculator.Absent("per_migration_mbps", RangeThroughputMbps,
		"What one migration gets of it at most, in Mbit/s. Without it there is no limit.",
		func(in *PlanInput) **float64 { return &in.PerMigrationMbps }).Better(calculator.Higher),
	calculator.Optional("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds; part of the stop of a guest.",
		func(in *PlanInput) *float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Optional("switchover_goal_ms", RangeSwitchoverGoalMs,
		"How long a guest may stop, in milliseconds, as in `vsla_vmotion_estimate`.",
		func(in *PlanInput) *float64 { return &in.SwitchoverGoalMs }).
		Either("a longer stop ends the copy sooner, and is the downtime"),
	calculator.Absent("setup_seconds", RangeSetupSeconds,
		"Fixed cost of each migration before data moves, in seconds. It takes slots, and nothing of the link. Without it "+
			"none is counted, and `fixed_cost_unknown` is a reason if 30 s (an assumption) make the plan a tenth longer.",
		func(in *PlanInput) **float64 { return &in.SetupSeconds }).Better(calculator.Lower),
	calculator.Optional("resume_seconds", RangeResumeSeconds,
		"How long the target takes to resume a guest, in seconds; part of its stop.",
		func(in *PlanInput) *float64 { return &in.ResumeSeconds }).Better(calculator.Lower),
	calculator.Absent("max_concurrent", RangeMaxConcurrent,
		"Migrations that run at a time at most. Without it, the shortest of the supported plans with 1, 2, 4 and so on; "+
			"if none is supported, the one with the fewest.",
		func(in *PlanInput) **float64 { return &in.MaxConcurrent }).Either("more migrations at a time are slower each"),
	calculator.Optional("nic_mbps", RangeThroughputMbps,
		"Speed of the vMotion network adapter of each host, in Mbit/s. It sets `network_slots`, and limits no rate.",
		func(in *PlanInput) *float64 { return &in.NICMbps }).Either("it sets the slots; see host_slots"),
	calculator.Absent("host_slots", RangeSlots,
		"Slots of each host, of which a vMotion and a cold migration take 1, and a vMotion with storage 4. Without it, "+
			"vCenter's 8.",
		func(in *PlanInput) **float64 { return &in.HostSlots }).Either("more migrations at a time are slower each"),
	calculator.Absent("network_slots", RangeSlots,
		"Slots of the vMotion network adapter of each host, of which a vMotion takes 1. Without it, vCenter's 2 below "+
			"1,000 Mbit/s, 4 below 10,000 Mbit/s, and 8 from there up.",
		func(in *PlanInput) **float64 { return &in.NetworkSlots }).Either("more migrations at a time are slower each"),
	calculator.Absent("datastore_slots", RangeSlots,
		"Slots of each datastore, of which a vMotion takes 1 and one with storage 16. Without it, vCenter's 128.",
		func(in *PlanInput) **float64 { return &in.DatastoreSlots }).
		Either("more migrations at a time are slower each"),
	calculator.Absent("window_hours", RangeWindowHours,
		"Length of a maintenance window, in hours. What starts in a window ends in it, before its reserve. Without it there "+
			"are no windows.",
		func(in *PlanInput) **float64 { return &in.WindowHours }).Either("more migrations at a time are slower each"),
	calculator.Absent("window_start_hour", RangeStartHour,
		"Hour of the day at which a window opens. Without it, windows follow each other without a gap.",
		func(in *PlanInput) **float64 { return &in.WindowStartHour }).Either("an hour of the day"),
	calculator.Choices("window_weekdays", Weekdays,
		"Days of the week on which a window opens; the plan begins on the first one. Windows that touch are one: `SAT` and "+
			"`SUN` with 24 hours from hour 0 are 48 hours. Without it, a window opens every day. Copies of the method "+
			"`replication` continue between windows. Needs `window_start_hour`.",
		func(in *PlanInput) *[]string { return &in.WindowWeekdays }).Either("days, the first of which begins the plan"),
	calculator.Choice("first_day", false, nil,
		"Date on which the plan begins, such as 2026-12-05; it must be the first of `window_weekdays`. Windows and moves "+
			"have dates then.",
		func(in *PlanInput) *string { return &in.FirstDay }).WithExample("2026-12-05").Neutral("it names the days"),
	calculator.Absent("max_moves_per_window", RangeMaxMoves,
		"VMs that people can move or switch in one window. Needs `window_hours`.",
		func(in *PlanInput) **float64 { return &in.MaxMovesPerWindow }).Better(calculator.Higher),
	calculator.Absent("deadline_hours", RangeDeadlineHours,
		"A promise: all VMs have moved so many hours after the start.",
		func(in *PlanInput) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
	calculator.Absent("max_windows", RangeMaxWindows,
		"A promise: all VMs have moved in so many windows. Needs `window_hours`.",
		func(in *PlanInput) **float64 { return &in.MaxWindows }).Better(calculator.Higher),
	calculator.Absent("max_downtime_minutes", RangeDowntime,
		"A promise: no VM is off for longer than so many minutes. A VM's own replaces it.",
		func(in *PlanInput) **float64 { return &in.MaxDowntimeMinutes }).Better(calculator.Higher),
	calculator.Absent("sync_interval_minutes", RangeSyncInterval,
		"Longest time between two synchronizations of a VM with the method `replication`, in minutes: what has changed "+
			"since is sent while the VM is off. With vSphere Replication it is the RPO. Without it, 120, as with HCX.",
		func(in *PlanInput) **float64 { return &in.SyncIntervalMinutes }).Better(calculator.Lower),
	calculator.Switch("online_sync_first",
		"Whether one more synchronization runs in the window before the VM is off, which leaves less for the last one.",
		func(in *PlanInput) *bool { return &in.OnlineSyncFirst }).Either("it sends more, and shortens the downtime"),
	calculator.HourList("hourly_dirty_weights", RangeWeight,
		"How much more in one hour than in another the guests dirty memory; their mean is `memory_dirty_mbps`. A VM that "+
			"would move slower than it dirties waits for a window or an hour in which it does not, if there is one.",
		func(in *PlanInput) *[]float64 { return &in.HourlyDirtyWeights }).Either("weights, of which only the shape counts"),
	calculator.Optional("window_reserve_percent", RangeReserve,
		"Part of each window that stays free at its end, in percent: nothing that has to end in a window is planned there.",
		func(in *PlanInput) *float64 { return &in.WindowReservePercent }).Either("see window_hours"),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Required("memory_gib", RangePlanMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(v *VM) *float64 { return &v.MemoryGiB }).Better(calculator.Lower),
	calculator.Optional("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"How fast the guest dirties memory, in Mbit/s (10^6 bit/s); it is sent again.",
		func(v *VM) *float64 { return &v.MemoryDirtyMbps }).Better(calculator.Lower),
	calculator.Optional("disk_gib", RangeDiskGiB,
		"Disk data to move, in GiB; above 0 it is a migration with storage.",
		func(v *VM) *float64 { return &v.DiskGiB }).Better(calculator.Lower),
	calculator.Choice("host", false, nil,
		"Host that it runs on. VMs without one share one network adapter.",
		func(v *VM) *string { return &v.Host }).Either("it sets how many move at a time"),
	calculator.Choice("target_host", false, nil, "Host that it moves to. It has slots like the host.",
		func(v *VM) *string { return &v.TargetHost }).Either("it sets how many move at a time"),
	calculator.Choice("datastore", false, nil,
		"Datastore that it is on; a datastore has slots for eight migrations with storage, or for 128 without.",
		func(v *VM) *string { return &v.Datastore }).Either("it sets how many move at a time"),
	calculator.Choice("target_datastore", false, nil, "Datastore that it moves to. It has slots like the datastore.",
		func(v *VM) *string { return &v.TargetDatastore }).Either("it sets how many move at a time"),
	calculator.Choice("method", false, methods,
		"`vmotion` moves it while it runs; `cold` sends the disks of a VM that is off, and takes a slot of the hosts only; "+
			"`replication` copies the disks while it runs, without slots and also outside windows, and switches it in a "+
			"window. Without it, `vmotion` or that of `profile`.",
		func(v *VM) *string { return &v.Method }).Either("a name"),
	calculator.Choice("transport", false, []string{TransportNFC, TransportUDT},
		"Protocol that copies it if its method is `cold`. Without it, `cold_transport`.",
		func(v *VM) *string { return &v.Transport }).Either("a name"),
	calculator.Switch("powered_off",
		"Whether it is powered off: it moves with the method `cold`, and has no downtime that a promise could judge.",
		func(v *VM) *bool { return &v.PoweredOff }).Either("it has no downtime, and moves cold"),
	calculator.Optional("switchover_minutes", RangeSwitchover,
		"How long a VM with the method `cold` or `replication` is off after its data has arrived, in minutes.",
		func(v *VM) *float64 { return &v.SwitchoverMinutes }).Better(calculator.Lower),
	calculator.Absent("max_downtime_minutes", RangeDowntime,
		"A promise: it is off for at most so many minutes. Without it, that of the plan.",
		func(v *VM) **float64 { return &v.MaxDowntimeMinutes }).Better(calculator.Higher),
	calculator.Absent(
		"daily_change_percent",
		RangeDailyChange,
		"How much of the disks of a VM with the method `replication` changes in a day, in percent. It is sent during the "+
			"copy and until the VM has been switched.",
		func(v *VM) **float64 { return &v.DailyChangePercent },
	).Better(calculator.Lower),
	calculator.Choice("move_group", false, nil, "VMs of the same group start together, in one wave.",
		func(v *VM) *string { return &v.MoveGroup }).Either("VMs that start together share the link"),
}

var methods = []string{MethodVMotion, MethodCold, MethodReplication}

var planRows = calculator.Outputs[PlanResult]{
	calculator.ResultEach("virtual_machines", "When each VM moves.", calculator.Outputs[Move]{
		calculator.ResultOf("method", "How it moves.", methods, func(m *Move) *string { return &m.Method }),
		calculator.Result("start_seconds",
			"Start, in seconds from the start of the first window; null if it is not planned.",
			func(m *Move) **float64 { return &m.StartSeconds }),
		calculator.Result("end_seconds",
			"When it has arrived, in seconds from the start of the first window; null if it is not planned.",
			func(m *Move) **float64 { return &m.EndSeconds }),
		calculator.Result("window", "Number of the window in which it arrives, from 1; null without `window_hours`.",
			func(m *Move) **int64 { return &m.Window }),
		calculator.Result("downtime_seconds",
			"How long it is off, in seconds: the stop of a vMotion, the whole move of a cold one, and the last "+
				"synchronization of a replicated VM, each with `switchover_minutes`. Null if it is not planned, is "+
				"`powered_off`, or its changes are not known.",
			func(m *Move) **float64 { return &m.DowntimeSeconds }),
		calculator.Result("needed_window_hours",
			"Window that it needs alone, its reserve included, if it fits in none, in hours; null otherwise.",
			func(m *Move) **float64 { return &m.NeededWindowHours }),
	}, func(r *PlanResult) *map[string]Move { return &r.Moves }),
	calculator.Result("unplanned", "Names of the VMs that fit in no window, or whose copy never ends, sorted.",
		func(r *PlanResult) *[]string { return &r.Unplanned }),
	calculator.ResultList("waves", "What starts together, in the order of the starts.", calculator.Outputs[Wave]{
		calculator.Result("number", "Number of the wave, from 1.", func(w *Wave) *int64 { return &w.Number }),
		calculator.Result("virtual_machines", "Names of its VMs, sorted.", func(w *Wave) *[]string { return &w.VMs }),
		calculator.Result("start_seconds", "Start, in seconds from the start of the first window.",
			func(w *Wave) *float64 { return &w.StartSeconds }),
		calculator.Result("duration_seconds", "Until the last of its VMs has arrived, in seconds.",
			func(w *Wave) *float64 { return &w.DurationSeconds }),
	}, func(r *PlanResult) *[]Wave { return &r.Waves }),
	calculator.VerdictRow(planVerdicts, func(r *PlanResult) *string { return &r.Verdict }),
	calculator.Result("duration_seconds", "Until the last VM has arrived, in seconds.",
		func(r *PlanResult) *float64 { return &r.DurationSeconds }),
	calculator.Result("windows_needed", "Number of windows; null without `window_hours`.",
		func(r *PlanResult) **int64 { return &r.WindowsNeeded }),
	calculator.ResultOf("limited_by",
		"What sets the duration: `link`, `host`, `network`, `datastore`, `max_concurrent`, `longest_migration`, `nfc`, "+
			"`people`, or `window`.", limitNames,
		func(r *PlanResult) *string { return &r.LimitedBy }),
	calculator.Result("lower_bound_seconds",
		"What no plan can beat, in seconds: the longest single migration, the work on each resource over its slots, "+
			"and all bytes over the link, each at the full rate of a migration. Null if VMs are not planned.",
		func(r *PlanResult) **float64 { return &r.LowerBoundSeconds }).Better(calculator.Lower),
	calculator.Result("worst_downtime_seconds", "Longest downtime of a VM, in seconds; null if none is known.",
		func(r *PlanResult) **float64 { return &r.WorstDowntimeSeconds }),
	calculator.Result("worst_downtime_virtual_machine", "Name of that VM; empty without one.",
		func(r *PlanResult) *string { return &r.WorstDowntimeVM }),
	calculator.Result("throughput_for_deadline_mbps",
		"A `throughput_mbps` with which `deadline_hours` and `max_windows` hold, in Mbit/s, if they do not; of "+
			"`hourly_throughput_mbps` the mean, each hour in proportion. Null if none does, with a reason.",
		func(r *PlanResult) **float64 { return &r.ThroughputForDeadlineMbps }),
	calculator.Result("max_concurrent_for_deadline",
		"Another `max_concurrent` with which `deadline_hours` and `max_windows` hold; null if there is none.",
		func(r *PlanResult) **int64 { return &r.MaxConcurrentForDeadline }),
	calculator.Result("methods_for_downtime",
		"For VMs that are off for too long, the `method` with which none of them is, all changed; `udt` is a `transport`. "+
			"A VM without one stays too long with each method that its inputs admit.",
		func(r *PlanResult) *map[string]string { return &r.MethodsForDowntime }),
	calculator.Result("assumed", "What `profile` has filled in, each value with its source.",
		func(r *PlanResult) *[]string { return &r.Assumed }),
}
