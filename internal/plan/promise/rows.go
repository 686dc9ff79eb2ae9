package promise

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

var linkRows = calculator.Outputs[LinkResult]{
	calculator.Result("mean_throughput_mbps", "Mean throughput of the link over the day, before `efficiency_percent` "+
		"is applied, in Mbit/s.",
		func(r *LinkResult) *float64 { return &r.ThroughputMbps }),
	calculator.Result("use_percent", "Data sent, as a percentage of the capacity of the link.",
		func(r *LinkResult) *float64 { return &r.UsePercent }),
	calculator.Result("busiest_hour_percent", "Data sent in the busiest hour of the run, as a percentage of the "+
		"capacity of the link.",
		func(r *LinkResult) *float64 { return &r.BusiestHourPercent }),
	calculator.Result("hourly_use_percent", "Mean of the data sent in each hour of the day, as a percentage of the "+
		"capacity of the link. List of 24 numbers.",
		func(r *LinkResult) *[]float64 { return &r.HourlyUsePercent }),
	calculator.Result("throughput_needed_mbps",
		"Smallest throughput at which every promise on the link holds at the worse end of uncertain inputs, with the "+
			"settings `needed_configured_rpo_minutes`, in Mbit/s, accurate to 1%. At least the sum of the busiest "+
			"change rates of its tiers / 0.9. All other inputs are unchanged. Like `throughput_mbps`, it is the "+
			"specified throughput. Migrations are not included. Null if `needed_limited_by` is set or no tier uses "+
			"the link.",
		func(r *LinkResult) **float64 { return &r.ThroughputNeededMbps }),
	calculator.Result("needed_configured_rpo_minutes",
		"Configured RPOs, by tier, with which `throughput_needed_mbps` is sufficient, in minutes.",
		func(r *LinkResult) *map[string]float64 { return &r.NeededConfiguredRPOMinutes }),
	calculator.ResultOf("needed_limited_by",
		"Limit that a higher throughput of this link cannot remove: `target` (space or writes), `per_sync`, "+
			"`overhead`, `other_link`, `source_read`, `hours` (of the link without throughput), "+
			"`min_configured_rpo`, or `unknown` (no single limit is the cause). Null if there is no such limit.",
		[]string{
			LimitedByTarget, LimitedByPerSync, LimitedByOverhead, LimitedByOtherLink, LimitedBySource, LimitedByHours,
			LimitedBySetting, LimitedByUnknown,
		},
		func(r *LinkResult) **string { return &r.NeededLimitedBy }),
	calculator.Result("headroom_percent",
		"Share of the throughput above `throughput_needed_mbps`, in percent. Negative if the throughput is too low. "+
			"Null if `throughput_needed_mbps` is null.",
		func(r *LinkResult) **float64 { return &r.HeadroomPercent }),
	calculator.Result("promises", "Names of the tiers that use the link, sorted.",
		func(r *LinkResult) *[]string { return &r.Promises }),
}

var targetRows = calculator.Outputs[TargetResult]{
	calculator.Result("needed_gib", "Space of all replicas on the target, in GiB: for each VM, its size, the changes "+
		"of its point-in-time instances, and the changes of one RPO.",
		func(r *TargetResult) *float64 { return &r.NeededGiB }),
	calculator.Result("free_after_gib",
		"Remaining free space, in GiB. Negative if there is too little space. Null without `free_gib`.",
		func(r *TargetResult) **float64 { return &r.FreeAfterGiB }),
	calculator.Result("months_until_full",
		"Number of months until growth uses up the free space, as a decimal number. Null without growth or "+
			"`free_gib`, or if this takes longer than `horizon_months`.",
		func(r *TargetResult) **float64 { return &r.MonthsUntilFull }),
	calculator.Result("busiest_write_percent",
		"Data written in the busiest hour, as a percentage of `write_mbps`. Null without `write_mbps`.",
		func(r *TargetResult) **float64 { return &r.BusiestWritePercent }),
	calculator.Result("promises", "Names of the tiers that use the target, sorted.",
		func(r *TargetResult) *[]string { return &r.Promises }),
}

var lateRows = calculator.Outputs[LateVM]{
	calculator.Result("name", "Name of the VM.", func(r *LateVM) *string { return &r.Name }),
	calculator.Result("size_gib", "Data of the VM, in GiB.", func(r *LateVM) *float64 { return &r.SizeGiB }),
	calculator.Result("within_rpo_percent", "Share of time that the VM is within its RPO, in percent.",
		func(r *LateVM) *float64 { return &r.WithinRPOPercent }),
	calculator.Result("oldest_recovery_point_minutes", "Greatest age of the recovery points of the VM, in minutes.",
		func(r *LateVM) *float64 { return &r.OldestRecoveryPointMinutes }),
}

var remedyKinds = []string{
	RemedySetting, RemedyThroughput, RemedyPerSync, RemedySource, RemedyWrite, RemedyFree, RemedyMoves, RemedyPeak,
	RemedyMeasure, RemedyDeadline, RemedyRPO, RemedyWithout,
}

var remedyRows = calculator.Outputs[Remedy]{
	calculator.ResultOf("kind", "Input to change: `configured_rpo_minutes`, `throughput_mbps`, `per_sync_mbps`, "+
		"`source_read_mbps`, `write_mbps`, `free_gib`, `hourly_moves_percent`, `peak_factor`, `throughput_basis` "+
		"(measure a transfer), `deadline_hours`, `rpo_minutes` or `without_virtual_machines` (exclude "+
		"VMs).", remedyKinds,
		func(r *Remedy) *string { return &r.Kind }),
	calculator.Result("at", "Name of the link, target or tier to which the input belongs.",
		func(r *Remedy) *string { return &r.At }),
	calculator.Result("value", "New value of the input. Null for `without_virtual_machines` and `throughput_basis`.",
		func(r *Remedy) **float64 { return &r.Value }),
	calculator.Result("configured_rpo_minutes", "Configured RPOs, by tier, that the change needs, in minutes.",
		func(r *Remedy) *map[string]float64 { return &r.ConfiguredRPOMinutes }),
	calculator.Result("virtual_machines", "Names of the VMs to exclude, with `without_virtual_machines`.",
		func(r *Remedy) *[]string { return &r.VirtualMachines }),
	calculator.Result("sentence", "Description of the change in one sentence.",
		func(r *Remedy) *string { return &r.Sentence }),
}

var promiseRows = append(calculator.Outputs[Promise]{
	calculator.VerdictRow(Verdicts, func(r *Promise) *string { return &r.Verdict }),
	calculator.ResultOf("likely_verdict", "Verdict with likely inputs.", codes,
		func(r *Promise) *string { return &r.LikelyVerdict }),
	calculator.ResultOf("worse_end_verdict", "Verdict with every uncertain input at its worse end, also during "+
		"migrations. Null if no input has a worse end.", codes,
		func(r *Promise) **string { return &r.WorseEndVerdict }),
	calculator.ResultOf("moves_verdict",
		"Verdict with likely inputs while migrations use `hourly_moves_percent` of the links. Null without "+
			"`hourly_moves_percent`.", codes,
		func(r *Promise) **string { return &r.MovesVerdict }),
	calculator.Result("moves_within_rpo_percent", "`within_rpo_percent` while migrations use `hourly_moves_percent` "+
		"of the links. Null without `hourly_moves_percent`.",
		func(r *Promise) **float64 { return &r.MovesWithinRPOPercent }),
	calculator.ResultOf("holds_by", "How the promise holds: `bound` (no recovery point can get older than promised), "+
		"`vendor_rule` (no sync takes longer than half the configured RPO) or `share` (every VM is within the "+
		"promised RPO for the target share of time). Null if it does not hold with likely inputs.",
		[]string{ByBound, ByVendorRule, ByShare}, func(r *Promise) **string { return &r.HoldsBy }),
	calculator.Result("suggested_rpo_minutes", "Longest configured RPO that keeps the promise, in minutes, at the "+
		"worse end of uncertain inputs, or, if there is none, with likely inputs. With several tiers on a link near "+
		"its capacity, the search can miss a longer one. One of 1, 2, 3, 4, 5, 6, 8, 10, "+
		"12, 15, 20, 25, 30, 40, 45, 60, 75, 90, 120, 150, 180, 240, 300, 360, 480, 600, 720, 900, 1080, 1200 and "+
		"1440. Null if there is none.",
		func(r *Promise) **float64 { return &r.SuggestedRPOMinutes }),
	calculator.Result("vm_count", "Number of VMs of the tier.", func(r *Promise) *int64 { return &r.VMCount }),
	calculator.Result("total_gib",
		"Data of the VMs, in GiB, excluding VMs of unknown size. Null if the size of every VM is unknown.",
		func(r *Promise) **float64 { return &r.TotalGiB }),
	calculator.Result("within_rpo_percent",
		"Smallest share of time that a VM is within its RPO, in percent: the mean over all runs. Null if the tier "+
			"cannot be simulated.",
		func(r *Promise) **float64 { return &r.WithinRPOPercent }),
	calculator.Result("worse_end_within_rpo_percent", "`within_rpo_percent` with every uncertain input at its worse "+
		"end, also during migrations. Null if no input has a worse end.",
		func(r *Promise) **float64 { return &r.WorseEndWithinRPOPercent }),
	calculator.Result("late_vm_count", "Number of VMs that are within their RPO for less than the promised share of "+
		"time.",
		func(r *Promise) *int64 { return &r.LateVMCount }),
	calculator.ResultList("late_virtual_machines", "Late VMs, sorted by their share of time within the RPO, worst "+
		"first. Contains at most 20 VMs.", lateRows,
		func(r *Promise) *[]LateVM { return &r.LateVirtualMachines }),
	calculator.Result("oldest_recovery_point_minutes",
		"Greatest age that a recovery point of any VM can reach, in minutes.",
		func(r *Promise) **float64 { return &r.OldestRecoveryPointMinutes }),
	calculator.Result("worst_virtual_machine", "Name of the VM with the oldest recovery point.",
		func(r *Promise) *string { return &r.WorstVirtualMachine }),
	calculator.Result("longest_sync_minutes", "Longest duration of a sync, in minutes.",
		func(r *Promise) **float64 { return &r.LongestSyncMinutes }),
	calculator.Result("together_oldest_recovery_point_minutes",
		"`oldest_recovery_point_minutes` if the syncs of all VMs start together at the beginning of the busiest hour.",
		func(r *Promise) **float64 { return &r.TogetherOldestRecoveryPointMinutes }),
	calculator.Result("together_within_rpo_after_minutes",
		"Time from this start until all recovery points are within the promised RPO again, in minutes. Null if they "+
			"are not after 2 days.",
		func(r *Promise) **float64 { return &r.TogetherWithinRPOAfterMinutes }),
	calculator.Result("outage_oldest_recovery_point_minutes",
		"`oldest_recovery_point_minutes` during the outage of the link. Null without an outage.",
		func(r *Promise) **float64 { return &r.OutageOldestRecoveryPointMinutes }),
	calculator.Result("outage_within_rpo_after_minutes",
		"Time from the end of the outage until all recovery points are within the promised RPO again, in minutes. "+
			"Null without an outage, or if they are not after 6 days.",
		func(r *Promise) **float64 { return &r.OutageWithinRPOAfterMinutes }),
	calculator.Result("change_mbps", "Mean change rate of the tier on the wire, in Mbit/s. Null if the tier cannot be "+
		"simulated.",
		func(r *Promise) **float64 { return &r.ChangeMbps }),
	calculator.Result("busiest_change_mbps", "Change rate of the tier on the wire in the busiest interval of the "+
		"length of `rpo_minutes`, in Mbit/s. Null if the tier cannot be simulated.",
		func(r *Promise) **float64 { return &r.BusiestChangeMbps }),
	calculator.Result("initial_sync_minutes",
		"Time until the last VM of the tier is in sync if the initial syncs of all tiers start together, in minutes. "+
			"Null if it exceeds 31 days.",
		func(r *Promise) **float64 { return &r.InitialSyncMinutes }),
	calculator.Result("deadline_met", "Whether the initial sync of all VMs of the tier is complete within "+
		"`deadline_hours`. Null without `deadline_hours`.",
		func(r *Promise) **bool { return &r.DeadlineMet }),
	calculator.Result("target_gib", "Space that the replicas of the tier take at the target, in GiB. Null without a "+
		"target.",
		func(r *Promise) **float64 { return &r.TargetGiB }),
	calculator.Result("max_daily_change_percent",
		"Largest `daily_change_percent` with which the promises hold at the worse end of all other inputs, with "+
			"settings up to the configured ones, accurate to 1%. The tiers whose change is assumed change in "+
			"proportion; if none is, all tiers do. Null if there is none or no limit, or if the promises hold only "+
			"by their share of time.",
		func(r *Promise) **float64 { return &r.MaxDailyChangePercent }),
	calculator.Result("max_daily_change_rpo_minutes",
		"Configured RPO with which `max_daily_change_percent` holds, in minutes.",
		func(r *Promise) **float64 { return &r.MaxDailyChangeRPOMinutes }),
	calculator.Result("max_peak_factor",
		"Largest `peak_factor` with which the promises hold at the worse end of all other inputs, with settings up "+
			"to the configured ones, accurate to 1%. The tiers whose peak is not known change in proportion; if none "+
			"is unknown, all tiers do. Null if there is none or no limit, or if the promises hold only by their "+
			"share of time.",
		func(r *Promise) **float64 { return &r.MaxPeakFactor }),
	calculator.Result("max_peak_rpo_minutes", "Configured RPO with which `max_peak_factor` holds, in minutes.",
		func(r *Promise) **float64 { return &r.MaxPeakRPOMinutes }),
	calculator.Result("months_until_at_risk",
		"First month in which growth breaks the promise at the worse end of uncertain inputs, if all tiers grow, with "+
			"`configured_rpo_minutes` or, without it, the best setting of that month, outside migrations. 0 if it "+
			"does not hold today. Null without growth, or if this does not happen within `horizon_months`.",
		func(r *Promise) **int64 { return &r.MonthsUntilAtRisk }),
	calculator.Result("months_until_miss", "`months_until_at_risk` with likely inputs.",
		func(r *Promise) **int64 { return &r.MonthsUntilMiss }),
	calculator.ResultList("remedies", "Changes with which the promise holds. Each change is sufficient on its own, "+
		"with all other inputs unchanged.", remedyRows,
		func(r *Promise) *[]Remedy { return &r.Remedies }),
}, calculator.ExplanationRows(func(r *Promise) *calculator.Explanation { return &r.Explanation }, Reasons)...)

var results = calculator.Outputs[Result]{
	calculator.ResultOf("verdict", "Worst verdict on any tier with VMs, in the order `meets`, `at_risk`, `unknown`, "+
		"`misses`. `empty` if no tier has VMs.",
		codes, func(r *Result) *string { return &r.Verdict }),
	calculator.ResultEach("promises", "Results for each tier, by name.", promiseRows,
		func(r *Result) *map[string]Promise { return &r.Promises }),
	calculator.ResultEach("links", "", linkRows, func(r *Result) *map[string]LinkResult { return &r.Links }),
	calculator.ResultEach("targets", "", targetRows, func(r *Result) *map[string]TargetResult { return &r.Targets }),
	calculator.Result("days_simulated", "Number of days per run, after a warm-up of 2 days.",
		func(r *Result) *int64 { return &r.DaysSimulated }),
	calculator.Result("runs_simulated", "Number of simulated runs, which depends on the number of VMs that share "+
		"links or targets. The smallest number, if there are several.", func(r *Result) *int64 { return &r.Runs }),
	calculator.ResultList("assumed", "Inputs that are not known, with the values that are assumed instead.",
		calculator.AssumptionRows("link or tier"), func(r *Result) *[]plan.Assumption { return &r.Assumed }),
	calculator.Result("not_counted", "Names of inputs that are not set everywhere, although they could turn a verdict "+
		"into `misses`, sorted.",
		func(r *Result) *[]string { return &r.NotCounted }),
}
