package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

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
			"`longest_migration`, `nfc`, `people`, or `window`.", limitNames(),
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
