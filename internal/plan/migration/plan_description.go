package migration

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Ranges of the inputs of a plan.
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

// Values of limited_by.
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

// Codes of missed promises.
const (
	DeadlineMissed   = "deadline_missed"
	DowntimeExceeded = "downtime_exceeded"
)

var (
	reasonChangeNotCounted = calculator.NewReason("change_not_counted", "Changes on %s during the copy and the wait "+
		"are not counted: set daily_change_percent, or 0 if there are none.")
	reasonBelow100Mbps = calculator.NewReason("below_100_mbps_per_migration", "One migration has %s, but HCX vMotion "+
		"requires 100 Mbit/s.")
	reasonDeadlineMissed = calculator.NewReason(DeadlineMissed, "%s not migrated within %s: %s.")
	reasonNoThroughput   = calculator.NewReason("no_throughput_meets_deadline", "No throughput is high enough to meet "+
		"the deadline: %s.")
	reasonDowntimeExceeded = calculator.NewReason(DowntimeExceeded, "%s down for longer than promised: %s.")
	reasonFixedCostUnknown = calculator.NewReason("fixed_cost_unknown", "setup_seconds is not set. With an assumed "+
		"%s s for each migration, the plan takes %s%% longer. Measure one migration, or set it to 0.")
	reasonFitsNoWindow = calculator.NewReason("fits_no_window", "%s not fit into any window, even alone, with a "+
		"reserve of %s%%: %s.")
	reasonDoesNotConverge = calculator.NewReason("does_not_converge", "%s as fast as the copy is sent, so the copy "+
		"never ends and no migration is planned: %s.")
)

var planVerdicts = []calculator.Verdict{
	{Code: plan.Meets, Level: plan.Meets, Doc: "if all promises (deadline, windows and downtimes) are met"},
	{
		Code:  plan.AtRisk,
		Level: plan.AtRisk,
		Doc: "if no promise is missed, but a VM is unplanned, a downtime is promised for a VM with the method " +
			"`vmotion` without `memory_dirty_mbps`, or `reasons` contains `change_not_counted`, " +
			"`concurrency_not_measured`, `fixed_cost_unknown` or `one_thread`",
	},
	{Code: plan.Misses, Level: plan.Misses, Doc: "if a promise is missed"},
	{
		Code:  VerdictUnsupported,
		Level: plan.Misses,
		Doc: "if a vMotion has less than 250 Mbit/s at any time (100 with the profile `hcx_vmotion`) or a round-trip " +
			"time above 150 ms",
	},
	{
		Code: VerdictNoPromise,
		Doc: "if none of `deadline_hours`, `max_windows` and `max_downtime_minutes` is set, the " +
			"plan is supported and no VM is unplanned",
	},
}

func planReasons() []calculator.Reason {
	reasons := []calculator.Reason{
		reasonBelow250Mbps, reasonBelow100Mbps, reasonRTTAbove150, reasonOneThread, reasonChangeNotCounted,
		reasonDeadlineMissed, reasonNoThroughput, reasonDowntimeExceeded, reasonFixedCostUnknown, reasonFitsNoWindow,
		reasonDoesNotConverge, reasonDirtyRateUnknown, reasonConcurrencyNotMeasured,
	}
	for _, limit := range limitNames {
		reasons = append(reasons, limitReason(limit))
	}
	return reasons
}

var limitSentences = map[string]string{
	LimitedByLink:       "The link limits the plan: sending all data at the full rate takes that long.",
	LimitedByConcurrent: "max_concurrent limits the plan: more concurrent migrations can make it shorter.",
	LimitedByHost:       "A host limits the plan: its migrations share host_slots.",
	LimitedByNetwork:    "A network limits the plan: the migrations of a host share network_slots.",
	LimitedByDatastore:  "A datastore limits the plan: its migrations share datastore_slots.",
	LimitedByMigration:  "The longest migration limits the plan.",
	LimitedByWindow:     "The windows limit the plan: migrations wait for the next window.",
	LimitedByPeople:     "The staff limits the plan: at most max_moves_per_window VMs are migrated in a window.",
	LimitedByNFC: "NFC limits the plan: its single thread copies a powered-off VM at 1.3 Gbit/s at most. The " +
		"transport udt does not have this limit. It requires vSphere 8 and a provisioning adapter.",
}

// Blocks reports whether the reason with the given code is that VMs are not moved, or that their moves are not
// supported.
func Blocks(code string) bool {
	return slices.ContainsFunc([]calculator.Reason{
		reasonBelow250Mbps, reasonBelow100Mbps, reasonRTTAbove150, reasonFitsNoWindow, reasonDoesNotConverge,
	}, func(r calculator.Reason) bool { return r.Code == code })
}

func limitReason(limit string) calculator.Reason {
	return calculator.Reason{Code: "limited_by_" + limit, Sentence: limitSentences[limit]}
}

// PlanDefinition describes the migration_plan calculator.
var PlanDefinition = calculator.Definition[PlanInput, PlanResult]{
	Names: calculator.Names{
		Name:    "migration_plan",
		Command: "migration",
		Example: `{
    "throughput_mbps": 1000,
    "virtual_machines": {"db-1": {"memory_gib": 64}}
  }`,
		Title:   "Migration plan",
		Summary: "Waves and duration of the migration of many VMs",
		Description: "Plans the migration of many VMs over a link that all migrations share. The plan complies with " +
			"the concurrency limits of vCenter per host, network adapter and datastore. It starts the VMs of a move " +
			"group together and uses maintenance windows. The longest migrations start first. Requires no connection " +
			"and no credentials.\n\n" +
			"Planning 5,000 VMs takes one or two seconds. With windows, planning VMs with `memory_dirty_mbps` takes " +
			"longer. A plan with 1,500 of them can take minutes. If a deadline is missed, about twenty more plans " +
			"are computed to find inputs with which it is met.\n\n" +
			"Example: ten VMs of 10 GiB each are migrated at 1 Gbit/s. Sending 1 GiB takes 8.59 s, so the plan takes " +
			"859 s, regardless of the number of concurrent migrations. A host has 8 slots, and a vMotion without " +
			"shared storage takes 4 of them, so at most two of these run on a host at a time. With NFC, a " +
			"powered-off VM of 1,000 GiB takes at least 8,589.9 Gbit / 1.3 Gbit/s = 6,607.6 s, even on a faster link.",
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
	calculator.Each("virtual_machines", "VMs to migrate, by a name of your choice. The result contains the schedule "+
		"of each VM. Must have 1 to 50,000 elements.",
		vmInputs, func() VM { return VM{} },
		func(in *PlanInput) *map[string]VM { return &in.VMs }).Better(calculator.Lower).Simulates(),
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"Throughput of the link for all migrations together, in Mbit/s. Exactly one of this and "+
			"`hourly_throughput_mbps` is required.",
		func(in *PlanInput) **float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.HourList("hourly_throughput_mbps", RangeHourlyMbps,
		"Throughput of the link by hour of the day, in Mbit/s. The plan starts at `window_start_hour`, or at midnight "+
			"if there are no windows. With windows, `window_start_hour` is required.",
		func(in *PlanInput) *[]float64 { return &in.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Choice("profile", false, []string{ProfileHCXVMotion, ProfileHCXBulk},
		"Set of defaults and limits. `profile_values` lists them with their sources. `hcx_vmotion` allows one "+
			"migration at a time and lowers the minimum rate from 250 to 100 Mbit/s. `hcx_bulk` uses the method "+
			"`replication`, a `sync_interval_minutes` of 120, at most 1,000 Mbit/s per migration and at most 200 "+
			"migrations at a time. It limits the link to 1,600 Mbit/s, the throughput of one HCX Interconnect "+
			"appliance. Methods and limits that the profile does not support cause an error.",
		func(in *PlanInput) *string { return &in.Profile },
	).Either("a name"),
	calculator.Choice("cold_transport", false, []string{TransportNFC, TransportUDT},
		"Default protocol for VMs with the method `cold`. `nfc` (Network File Copy) is single-threaded and limited to "+
			"1,300 Mbit/s. `udt` (Unified Data Transport) has no such limit, but requires vSphere 8 or later and a "+
			"provisioning adapter.",
		func(in *PlanInput) *string { return &in.ColdTransport }).Either("a name"),
	calculator.Absent("threads_mbps", RangeThroughputMbps, threadsDoc,
		func(in *PlanInput) **float64 { return &in.ThreadsMbps }).Better(calculator.Higher),
	calculator.Absent("per_migration_mbps", RangeThroughputMbps,
		"Maximum rate of one migration, in Mbit/s. If not set, there is no limit.",
		func(in *PlanInput) **float64 { return &in.PerMigrationMbps }).Better(calculator.Higher),
	calculator.Optional("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds. Included in the stop time of a guest.",
		func(in *PlanInput) *float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Optional("switchover_goal_ms", RangeSwitchoverGoalMs,
		"Maximum stop time of a guest, in milliseconds, as in `vsla_vmotion_estimate`.",
		func(in *PlanInput) *float64 { return &in.SwitchoverGoalMs }).
		Either("a longer stop shortens the copy, but is the downtime"),
	calculator.Absent("setup_seconds", RangeSetupSeconds,
		"Fixed overhead of each migration before data is sent, in seconds. During this time, the migration occupies "+
			"slots, but uses no bandwidth. If not set, no overhead is counted, and `reasons` contains "+
			"`fixed_cost_unknown` if an overhead of 30 s would make the plan more than 10% longer.",
		func(in *PlanInput) **float64 { return &in.SetupSeconds }).Better(calculator.Lower),
	calculator.Optional("resume_seconds", RangeResumeSeconds,
		"Time that the target host requires to resume a guest, in seconds. Included in the stop time of the guest.",
		func(in *PlanInput) *float64 { return &in.ResumeSeconds }).Better(calculator.Lower),
	calculator.Absent("max_concurrent", RangeMaxConcurrent,
		"Maximum number of concurrent migrations. If not set, plans with a maximum of 1, 2, 4 and so on are computed, "+
			"and the shortest plan whose verdict is not `unsupported` is used. If all are unsupported, the plan with "+
			"the fewest concurrent migrations is used.",
		func(in *PlanInput) **float64 { return &in.MaxConcurrent }).Either("more concurrent migrations are slower"),
	calculator.Optional("nic_mbps", RangeThroughputMbps,
		"Speed of the vMotion network adapter of each host, in Mbit/s. Determines the default of `network_slots`. "+
			"Does not limit the transfer rate.",
		func(in *PlanInput) *float64 { return &in.NICMbps }).Either("it sets the slots; see host_slots"),
	calculator.Absent("host_slots", RangeSlots,
		"Number of slots per host. A vMotion and a cold migration take 1 slot each. A vMotion that also moves storage "+
			"takes 4. Defaults to 8, as in vCenter.",
		func(in *PlanInput) **float64 { return &in.HostSlots }).Either("more concurrent migrations are slower"),
	calculator.Absent("network_slots", RangeSlots,
		"Number of slots of the vMotion network adapter per host. A vMotion takes 1 slot. The default depends on "+
			"`nic_mbps`, as in vCenter: 2 below 1,000 Mbit/s, 4 below 10,000 Mbit/s, and 8 from 10,000 Mbit/s.",
		func(in *PlanInput) **float64 { return &in.NetworkSlots }).Either("more concurrent migrations are slower"),
	calculator.Absent("datastore_slots", RangeSlots,
		"Number of slots per datastore. A vMotion takes 1 slot. A vMotion that also moves storage takes 16. A cold "+
			"migration takes none. Defaults to 128, as in vCenter.",
		func(in *PlanInput) **float64 { return &in.DatastoreSlots }).
		Either("more concurrent migrations are slower"),
	calculator.Absent("window_hours", RangeWindowHours,
		"Length of a maintenance window, in hours. At most 24 if `window_start_hour` is set. A migration that starts "+
			"in a window must end in the same window, before the margin of `window_reserve_percent` begins. If not "+
			"set, there are no windows.",
		func(in *PlanInput) **float64 { return &in.WindowHours },
	).Either("more concurrent migrations are slower"),
	calculator.Absent("window_start_hour", RangeStartHour,
		"Hour of the day at which a window opens. Requires `window_hours`. If not set, windows follow each other "+
			"without gaps.",
		func(in *PlanInput) **float64 { return &in.WindowStartHour }).Either("an hour of the day"),
	calculator.Choices("window_weekdays", Weekdays,
		"Days of the week on which a window opens. The plan starts on the first of them. Adjacent windows are "+
			"merged. For example, `SAT` and `SUN` with 24 hours from hour 0 form one window of 48 hours. If not set, "+
			"a window opens every day. Copies with the method `replication` continue between windows. Requires "+
			"`window_start_hour`.",
		func(in *PlanInput) *[]string { return &in.WindowWeekdays },
	).Either("the plan starts on the first day"),
	calculator.Choice("first_day", false, nil,
		"Date on which the plan starts, such as 2026-12-05. Must fall on the first of the `window_weekdays`. Reports "+
			"and the command-line tool then show dates. Does not affect the results of the data source.",
		func(in *PlanInput) *string { return &in.FirstDay }).WithExample("2026-12-05").Neutral("it only adds dates"),
	calculator.Absent("max_moves_per_window", RangeMaxMoves,
		"Maximum number of VMs that the staff can move or switch over in one window. Requires `window_hours`, and "+
			"windows that close.",
		func(in *PlanInput) **float64 { return &in.MaxMovesPerWindow }).Better(calculator.Higher),
	calculator.Absent("deadline_hours", RangeDeadlineHours,
		"Time within which all VMs must be migrated, in hours from the start of the plan.",
		func(in *PlanInput) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
	calculator.Absent("max_windows", RangeMaxWindows,
		"Maximum number of windows in which all VMs must be migrated. Requires `window_hours`.",
		func(in *PlanInput) **float64 { return &in.MaxWindows }).Better(calculator.Higher),
	calculator.Absent("max_downtime_minutes", RangeDowntime,
		"Promised maximum downtime of a VM, in minutes. Can be overridden per VM.",
		func(in *PlanInput) **float64 { return &in.MaxDowntimeMinutes }).Better(calculator.Higher),
	calculator.Absent("sync_interval_minutes", RangeSyncInterval,
		"Maximum time between two synchronizations of a VM with the method `replication`, in minutes. Changes since "+
			"the last synchronization are sent while the VM is powered off. With vSphere Replication, this is the "+
			"RPO. Defaults to 120, as in HCX.",
		func(in *PlanInput) **float64 { return &in.SyncIntervalMinutes }).Better(calculator.Lower),
	calculator.Switch("online_sync_first",
		"Whether VMs with the method `replication` are synchronized once more in the window before they are powered "+
			"off. This reduces the amount of data that the last synchronization sends.",
		func(in *PlanInput) *bool { return &in.OnlineSyncFirst }).Either("it sends more data, but shortens the " +
		"downtime"),
	calculator.HourList("hourly_dirty_weights", RangeWeight,
		"Relative rate at which guests dirty memory, by hour of the day. The mean rate is `memory_dirty_mbps`. A VM "+
			"that dirties memory faster than it can be copied waits for a window or an hour with a lower rate, if "+
			"there is one.",
		func(in *PlanInput) *[]float64 { return &in.HourlyDirtyWeights }).Either("only the proportions matter"),
	calculator.Optional("window_reserve_percent", RangeReserve,
		"Share of each window that is kept free at its end as a safety margin, in percent.",
		func(in *PlanInput) *float64 { return &in.WindowReservePercent }).Either("see window_hours"),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Required("memory_gib", RangePlanMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(v *VM) *float64 { return &v.MemoryGiB }).Better(calculator.Lower),
	calculator.Absent("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"Rate at which the guest dirties memory, in Mbit/s (10^6 bit/s). Dirty memory is sent again. "+unknownDirtyDoc,
		func(v *VM) **float64 { return &v.MemoryDirtyMbps }).Better(calculator.Lower),
	calculator.Optional("disk_gib", RangeDiskGiB,
		"Amount of disk data to move, in GiB. With the method `vmotion`, a value above 0 means that the storage is "+
			"migrated as well.",
		func(v *VM) *float64 { return &v.DiskGiB }).Better(calculator.Lower),
	calculator.Choice("host", false, nil,
		"Current host. VMs without a host share one vMotion network adapter.",
		func(v *VM) *string { return &v.Host }).Either("it limits the concurrent migrations"),
	calculator.Choice("target_host", false, nil, "Target host. It has the same number of slots as the current host.",
		func(v *VM) *string { return &v.TargetHost }).Either("it limits the concurrent migrations"),
	calculator.Choice("datastore", false, nil,
		"Current datastore. By default, a datastore has slots for 8 vMotions that also move storage, or for 128 that "+
			"do not.",
		func(v *VM) *string { return &v.Datastore }).Either("it limits the concurrent migrations"),
	calculator.Choice("target_datastore", false, nil, "Target datastore. It has the same number of slots as the "+
		"current datastore.",
		func(v *VM) *string { return &v.TargetDatastore }).Either("it limits the concurrent migrations"),
	calculator.Choice("method", false, methods,
		"Migration method. `vmotion` moves the VM while it runs. `cold` copies the disks of a powered-off VM and "+
			"takes slots of hosts only. `replication` copies the disks while the VM runs, takes no slots, also runs "+
			"outside of windows, and switches the VM over in a window. Defaults to `cold` if `powered_off` is true, "+
			"otherwise to the method of `profile`, or to `vmotion`.",
		func(v *VM) *string { return &v.Method },
	).Either("a name"),
	calculator.Choice("transport", false, []string{TransportNFC, TransportUDT},
		"Protocol that copies the VM with the method `cold`. Defaults to `cold_transport`.",
		func(v *VM) *string { return &v.Transport }).Either("a name"),
	calculator.Switch("powered_off",
		"Whether the VM is powered off. A powered-off VM is migrated with the method `cold`, and its downtime is not "+
			"evaluated.",
		func(v *VM) *bool { return &v.PoweredOff }).Either("the VM has no downtime, but is migrated cold"),
	calculator.Optional("switchover_minutes", RangeSwitchover,
		"Additional downtime of a VM with the method `cold` or `replication` after its data has arrived, in minutes.",
		func(v *VM) *float64 { return &v.SwitchoverMinutes }).Better(calculator.Lower),
	calculator.Absent("max_downtime_minutes", RangeDowntime,
		"Promised maximum downtime of the VM, in minutes. Defaults to `max_downtime_minutes` of the plan.",
		func(v *VM) **float64 { return &v.MaxDowntimeMinutes }).Better(calculator.Higher),
	calculator.Absent(
		"daily_change_percent",
		RangeDailyChange,
		"Change of the disks per day for a VM with the method `replication`, in percent. Changes are sent during the "+
			"copy and until the switchover. If not set, changes and the downtime of the VM are unknown.",
		func(v *VM) **float64 { return &v.DailyChangePercent },
	).Better(calculator.Lower),
	calculator.Choice("move_group", false, nil, "Name of the move group. All VMs of a move group start together, in "+
		"one wave.",
		func(v *VM) *string { return &v.MoveGroup }).Either("VMs that start together share the link"),
}

var methods = []string{MethodVMotion, MethodCold, MethodReplication}

var planRows = calculator.Outputs[PlanResult]{
	calculator.ResultEach("virtual_machines", "Results per VM, by the names in the input.", calculator.Outputs[Move]{
		calculator.ResultOf("method", "Migration method of the "+
			"VM.", methods, func(m *Move) *string { return &m.Method }),
		calculator.Result("start_seconds",
			"Start of the migration, in seconds from the start of the first window. Null if the VM is unplanned.",
			func(m *Move) **float64 { return &m.StartSeconds }),
		calculator.Result("end_seconds",
			"End of the migration, in seconds from the start of the first window. Null if the VM is unplanned.",
			func(m *Move) **float64 { return &m.EndSeconds }),
		calculator.Result("window", "Number of the window in which the migration ends, starting at 1. Null without "+
			"windows, or if the VM is unplanned.",
			func(m *Move) **int64 { return &m.Window }),
		calculator.Result("downtime_seconds",
			"Downtime of the VM, in seconds. With `vmotion`, the stop time of the guest. With `cold`, the duration "+
				"of the migration plus `switchover_minutes`. With `replication`, the duration of the last "+
				"synchronization plus `switchover_minutes`. Null if the VM is unplanned or `powered_off`, or if its "+
				"changes are unknown.",
			func(m *Move) **float64 { return &m.DowntimeSeconds },
		),
		calculator.Result("needed_window_hours",
			"Length of the window that the VM or its move group requires if nothing else is migrated, including the "+
				"reserve, in hours. Null if the VM fits into a window or its copy never ends.",
			func(m *Move) **float64 { return &m.NeededWindowHours }),
	}, func(r *PlanResult) *map[string]Move { return &r.Moves }),
	calculator.Result("unplanned", "Names of the VMs that do not fit into any window or whose copy never ends, sorted.",
		func(r *PlanResult) *[]string { return &r.Unplanned }),
	calculator.ResultList("waves", "Waves of migrations that start together, by start time.", calculator.Outputs[Wave]{
		calculator.Result("number", "Number of the wave, starting at 1.", func(w *Wave) *int64 { return &w.Number }),
		calculator.Result("virtual_machines", "Names of the VMs of the wave, "+
			"sorted.", func(w *Wave) *[]string { return &w.VMs }),
		calculator.Result("start_seconds", "Start of the wave, in seconds from the start of the first window.",
			func(w *Wave) *float64 { return &w.StartSeconds }),
		calculator.Result("duration_seconds", "Time from the start of the wave until its last migration ends, in "+
			"seconds.",
			func(w *Wave) *float64 { return &w.DurationSeconds }),
	}, func(r *PlanResult) *[]Wave { return &r.Waves }),
	calculator.VerdictRow(planVerdicts, func(r *PlanResult) *string { return &r.Verdict }),
	calculator.Result("duration_seconds", "Time from the start of the plan until the last migration ends, in seconds.",
		func(r *PlanResult) *float64 { return &r.DurationSeconds }),
	calculator.Result("windows_needed", "Number of windows that the plan requires. Null without `window_hours`, or if "+
		"no VM is migrated.",
		func(r *PlanResult) **int64 { return &r.WindowsNeeded }),
	calculator.ResultOf("limited_by",
		"Limit that determines the duration: `link`, `host`, `network`, `datastore`, `max_concurrent`, "+
			"`longest_migration`, `nfc`, `people`, or `window`.", limitNames,
		func(r *PlanResult) *string { return &r.LimitedBy }),
	calculator.Result("lower_bound_seconds",
		"Lower bound of the duration of any plan, in seconds. It is the largest of three durations: the longest "+
			"single migration, the work on a resource divided by its slots, and the transfer of all data over the "+
			"link. All migrations are assumed to run at their full rate. Null if any VM is unplanned.",
		func(r *PlanResult) **float64 { return &r.LowerBoundSeconds },
	).Better(calculator.Lower),
	calculator.Result("worst_downtime_seconds", "Longest downtime of a VM, in seconds. Null if no downtime is known.",
		func(r *PlanResult) **float64 { return &r.WorstDowntimeSeconds }),
	calculator.Result("worst_downtime_virtual_machine", "Name of the VM with the longest downtime. Empty if no "+
		"downtime is known.",
		func(r *PlanResult) *string { return &r.WorstDowntimeVM }),
	calculator.Result("throughput_for_deadline_mbps",
		"Value of `throughput_mbps` with which the plan meets `deadline_hours` and `max_windows`. With "+
			"`hourly_throughput_mbps`, it is the mean of the hours, and the hours keep their proportions. Null if "+
			"both are already met. If no throughput is sufficient, it is null, and `reasons` contains "+
			"`no_throughput_meets_deadline`.",
		func(r *PlanResult) **float64 { return &r.ThroughputForDeadlineMbps }),
	calculator.Result("max_concurrent_for_deadline",
		"Value of `max_concurrent` with which the plan meets `deadline_hours` and `max_windows`. Null if both are "+
			"already met, if `max_concurrent` is not set, or if there is no such value.",
		func(r *PlanResult) **int64 { return &r.MaxConcurrentForDeadline }),
	calculator.Result("methods_for_downtime",
		"Values of `method` with which VMs meet their maximum downtime, by VM name. They are only valid if all of "+
			"them are applied together. The value `udt` means `transport = \"udt\"`. If a VM exceeds its maximum "+
			"downtime and is not listed, no method that its other inputs allow meets it: `replication` requires "+
			"`daily_change_percent`, and `vmotion` requires `memory_dirty_mbps` and no `switchover_minutes`.",
		func(r *PlanResult) *map[string]string { return &r.MethodsForDowntime },
	),
	calculator.Result("profile_values", "Values that `profile` has set, with their sources.",
		func(r *PlanResult) *[]string { return &r.ProfileValues }),
	calculator.ResultList("assumed", "Inputs that are not known, with the values that are assumed instead.",
		calculator.AssumptionRows("VM, or empty for the plan,"),
		func(r *PlanResult) *[]plan.Assumption { return &r.Assumed }),
}
