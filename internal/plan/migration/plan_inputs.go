package migration

import (
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
			"the fewest concurrent migrations is used. With `setup_seconds`, a plan with a maximum of 4 is used if it "+
			"keeps `deadline_hours` and `max_windows`, because the fixed cost of more was not measured.",
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
