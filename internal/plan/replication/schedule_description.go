package replication

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Ranges of the inputs that an estimate does not have. RangeScheduleVMCount is narrower than RangeVMCount, because the
// VMs of all groups share one event queue.
var (
	RangeDays                    = plan.Range{Min: 1, Max: 31, Whole: true, Unit: "days"}
	RangeHourlyWeight            = plan.Range{Min: 0, Max: 1e6}
	RangeHourlyThroughputMbps    = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeMaxConcurrentSyncs      = plan.Range{Min: 1, Max: simulation.MaxVMs, Whole: true, Unit: "syncs"}
	RangeScheduleVMCount         = plan.Range{Min: 1, Max: simulation.MaxVMs, Whole: true, Unit: "VMs", Zero: plan.NoVMs}
	RangeTargetCompliancePercent = plan.Range{Min: 0, Max: 100, Above: true, Unit: "percent"}
	RangeRuns                    = plan.Range{Min: 1, Max: 1000, Whole: true, Unit: "runs"}
	RangeJitterPercent           = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeOutageMinutes           = plan.Range{Min: 0, Max: 31 * quantity.MinutesPerDay, Above: true, Unit: "minutes"}
	RangeScheduleDeadlineHours   = plan.Range{Min: 1e-3, Max: 31 * hoursPerDay, Unit: "hours"}
	RangeScheduleHorizonMonths   = plan.Range{Min: 1, Max: 600, Whole: true, Unit: "months"}
	RangePeakStartHour           = plan.Range{Min: 0, Max: hoursPerDay, Unit: "hours"}
	RangeOutageStartHours        = plan.Range{Min: 0, Max: 31 * hoursPerDay, Unit: "hours"}
)

var scheduleVerdicts = []calculator.Verdict{
	{
		Code: VerdictMeets, Level: calculator.Holds,
		Doc: "if `within_rpo_percent` is at least `target_compliance_percent` (99.9 if not set), the run has " +
			"`converged`, at least 5 runs or 500 VMs are simulated, and all of this also holds on the slower link of " +
			"`throughput_basis`",
	},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "if `within_rpo_percent` is at least " +
		"`target_compliance_percent` (99 if not set), but another condition of `meets` does not hold"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "otherwise, and if `deadline_met` is false"},
}

var (
	reasonViolations = calculator.NewReason("rpo_violations", "VMs violate their RPO %s, for %s in total. Violations of "+
		"a minute or longer: %s. The oldest recovery point is %s old.")
	reasonNotConverged = calculator.NewReason("not_converged", "A longer run could give a different result: %s.")
	reasonOneRun       = calculator.NewReason(simulation.OneRun, "Other start times could give a different result: the "+
		"simulation has only %s of %s VMs. A verdict of meets requires 5 runs with a jitter_percent above 0, or 500 VMs.")
	reasonTwoStates = calculator.NewReason(simulation.TwoStates, "Syncs of group %q can synchronize with each other: its "+
		"VMs are within the RPO for %s%% of the time in the worst run, and for %s%% in the median run.")
	reasonBandMisses = calculator.NewReason("band_misses", "Group %q meets its target at the specified rate, but at the "+
		"rate that 4 of 5 links with this throughput_basis reach, a VM is within its RPO for only %s%% of the time.")
	reasonScheduleDeadline = calculator.NewReason("deadline_missed", "VMs are in sync after %s, but the deadline is %s.")
	reasonAbove500         = calculator.NewReason("above_500_at_5_minutes", "%s VMs have an RPO of 5 minutes or less, "+
		"but vSphere Replication supports only 500: use a longer rpo_minutes for some of them.")
	reasonPerSyncUnlimited = calculator.NewReason("per_sync_unlimited", "A single sync can use the whole link. With a "+
		"tenth of the link, a sync of group %q takes longer than half its RPO. Set per_sync_mbps, the rate of a single "+
		"transfer.")
	reasonScheduleScheduler = calculator.NewReason(reasonSchedulerUnknown.Code, "Group %q is replicated by vSAN Data "+
		"Protection, whose scheduler is not documented. It counts as load on the link, and its violations follow the rules "+
		"of vSphere Replication.")
	reasonLinkSaturated        = calculator.NewReason("link_saturated", "In its busiest hour, the link is %s%% in use.")
	reasonScheduleExtrapolated = calculator.NewReason(reasonExtrapolated.Code, "The change curve of group %q has points "+
		"from %s to %s minutes, but syncs are %s to %s minutes apart. Below the first point, the change is proportional to "+
		"the interval, the least possible; above the last point, the curve keeps its slope.")
)

// ScheduleDefinition describes the replication_schedule calculator.
var ScheduleDefinition = calculator.Definition[ScheduleInput, ScheduleResult]{
	Names: calculator.Names{
		Name:     "replication_schedule",
		Function: "replication_schedule",
		Command:  "schedule",
		Example: `{
    "throughput_mbps": 1000,
    "groups": {"gold": {
      "vm_count": 20, "vm_size_gib": 100,
      "daily_change_percent": 5, "rpo_minutes": 60
    }}
  }`,
		Title:   "Replication schedule",
		Summary: "Simulation of several groups with different RPOs on one link",
		Description: "Simulates the replication of several groups of VMs with different RPOs on one link. Each sync " +
			"sends the changes since the start of the previous sync. It starts as late as the RPO allows, based on its " +
			"predicted duration, and shares the link and the storage with all other running syncs. The verdict is based " +
			"on the VM that is within its RPO for the smallest share of time. Simulating 4,000 replications with an RPO " +
			"of 5 minutes takes a few seconds. Requires no connection and no credentials.\n\n" +
			"Example: one VM with an RPO of 15 minutes changes at half the link rate (c = 0.5). Without jitter, its syncs " +
			"start 15 / (1 + 1.2 * 0.5) = 9.375 minutes apart and take half of that time, 4.6875 minutes. Its newest " +
			"recovery point is at most 9.375 + 4.6875 = 14.0625 minutes old.",
	},
	Default:  ScheduleDefaults,
	Inputs:   scheduleInputs,
	Results:  append(totalsRows(func(r *ScheduleResult) *Totals { return &r.Totals }), scheduleRows...),
	Verdicts: scheduleVerdicts,
	Reasons: []calculator.Reason{
		reasonViolations, reasonNotConverged, reasonOneRun, reasonTwoStates, reasonBandMisses, reasonScheduleDeadline,
		reasonLinkSaturated, reasonSeedCheckNotCounted,
		reasonScheduleExtrapolated, reasonLowRPO, reasonAbove500, reasonPerSyncUnlimited, reasonScheduleScheduler,
	},
	Explain: func(r *ScheduleResult) *calculator.Explanation { return &r.Explanation },
	Compute: func(in ScheduleInput) (ScheduleResult, error) { return Schedule(context.Background(), in) },
	Long:    Schedule,
	Quick:   Simulate,
	Slow:    ScheduleInput.takesLong,
}

var scheduleInputs = calculator.Inputs[ScheduleInput]{
	calculator.Each("groups", "Groups of VMs to simulate, by name, with the inputs and results of each group.",
		groupInputs, GroupDefaults,
		func(in *ScheduleInput) *map[string]Group { return &in.Groups }).Better(calculator.Lower).Simulates(),
	calculator.Absent("days", RangeDays,
		"Number of days to simulate, at least four times the largest RPO. By default, the longest of 31, 16 and 8 days "+
			"with at most 500,000 syncs is used. Larger estates are simulated for 8, then 16, then 31 days, until the "+
			"halves of the run agree. A run of less than 8 days never converges.",
		func(in *ScheduleInput) **float64 { return &in.Days }).
		Either("a longer run dilutes events at its start"),
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"Throughput of the link, in Mbit/s (10^6 bit/s). Exactly one of this and `hourly_throughput_mbps` is required.",
		func(in *ScheduleInput) **float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.HourList("hourly_throughput_mbps", RangeHourlyThroughputMbps,
		"Throughput of the link by hour of the day, in Mbit/s. Conflicts with `throughput_mbps`.",
		func(in *ScheduleInput) *[]float64 { return &in.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
		"Usable share of the throughput, in percent. Use 100 for a measured throughput.",
		func(in *ScheduleInput) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Absent("per_sync_mbps", RangeThroughputMbps,
		"Maximum rate of one sync, in Mbit/s. If not set, a sync can use the whole link.",
		func(in *ScheduleInput) **float64 { return &in.PerSyncMbps }).Better(calculator.Higher),
	calculator.Absent("max_concurrent_syncs", RangeMaxConcurrentSyncs,
		"Maximum number of concurrent syncs. Further syncs wait, and the sync with the earliest deadline starts next. "+
			"Initial syncs start in the order of their RPO, group name and VM number. If not set, there is no limit.",
		func(in *ScheduleInput) **float64 { return &in.MaxConcurrentSyncs }).
		Either("fewer concurrent syncs are faster, but the others wait"),
	calculator.Switch("start_in_sync",
		"Whether every VM has a recovery point at the start. If `false`, each VM starts with its initial sync and is in "+
			"violation until the initial sync is complete.",
		func(in *ScheduleInput) *bool { return &in.StartInSync }).
		Either("a cold start adds violations, and shifts every sync after it"),
	calculator.Absent("source_read_mbps", RangeStorageMbps,
		"Read rate of the source storage for all syncs together, in Mbit/s of uncompressed data. If not set, there is no "+
			"limit.",
		func(in *ScheduleInput) **float64 { return &in.SourceReadMbps }).Better(calculator.Higher),
	calculator.Absent("target_write_mbps", RangeStorageMbps,
		"Write rate of the target storage for all syncs together, in Mbit/s of uncompressed data. If not set, there is no "+
			"limit.",
		func(in *ScheduleInput) **float64 { return &in.TargetWriteMbps }).Better(calculator.Higher),
	calculator.Optional("target_write_factor", RangeTargetWriteFactor,
		"Number of times that the target writes or reads each replicated byte.",
		func(in *ScheduleInput) *float64 { return &in.TargetWriteFactor }).Better(calculator.Lower),
	calculator.Absent("checksum_mbps", RangeStorageMbps,
		"Rate at which seeded data is compared with the source, for all VMs together, in Mbit/s of uncompressed data. "+
			"If not set, the comparison takes no time.",
		func(in *ScheduleInput) **float64 { return &in.ChecksumMbps }).Better(calculator.Higher),
	calculator.Absent("target_compliance_percent", RangeTargetCompliancePercent,
		"Promised share of time within the RPO for each VM, in percent. If not set, a group keeps the promise at 99.9 "+
			"percent or more and misses it below 99 percent. Use `100` to allow no violations of more than one second.",
		func(in *ScheduleInput) **float64 { return &in.TargetCompliancePercent }).Better(calculator.Lower),
	calculator.Absent("runs", RangeRuns,
		"Number of simulation runs. More than one run requires a `jitter_percent` above 0. By default, up to 20 runs "+
			"with about 2.5 million syncs in total are simulated.",
		func(in *ScheduleInput) **float64 { return &in.Runs }).Either("more runs include better and worse ones"),
	calculator.Optional("jitter_percent", RangeJitterPercent,
		"Maximum shift of the start of a sync, as a percentage of the RPO. The first sync of each VM is shifted to a "+
			"later time, and all other starts to an earlier time. The shifts are reproducible. With `0`, the syncs of the VMs "+
			"stay synchronized with each other, only one run is simulated, and a tiny change of the throughput can change the "+
			"compliance by several percentage points.",
		func(in *ScheduleInput) *float64 { return &in.JitterPercent }).
		Either("earlier starts send more data, but prevent simultaneous starts"),
	calculator.Absent("outage_minutes", RangeOutageMinutes, "Duration of an outage of the link, in minutes.",
		func(in *ScheduleInput) **float64 { return &in.OutageMinutes }).Better(calculator.Lower),
	calculator.Optional("outage_start_hours", RangeOutageStartHours,
		"Start of the outage, in hours from the start of the run. Requires `outage_minutes`.",
		func(in *ScheduleInput) *float64 { return &in.OutageStartHours }).
		Either("the effect depends on the changes at that time"),
	calculator.Absent("deadline_hours", RangeScheduleDeadlineHours,
		"Time within which all VMs must be in sync, in hours from the start of the run. Requires `start_in_sync = false`.",
		func(in *ScheduleInput) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of the throughput: `transfer` (measured transfers of the same kind, such as past syncs or a "+
			"calibration), `network` (measured with iperf or similar) or `nominal` (nominal rate of the line). Determines "+
			"how far the real throughput can be below the specified one, and therefore the results ending in `_80` and "+
			"`_90`. These are null with `network` or with a change curve. The verdict is `meets` only if the promise is "+
			"also met at the throughput that 4 of 5 measurements reached.",
		func(in *ScheduleInput) *string { return &in.ThroughputBasis }).
		Either("a basis adds a slower link, on which the promise must also be met"),
	calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
		"Annual growth of the data and of its daily change, in percent, for all groups.",
		func(in *ScheduleInput) **float64 { return &in.GrowthPercentPerYear }).Neutral("the verdict applies to today"),
	calculator.Optional("horizon_months", RangeScheduleHorizonMonths, "Period for which growth is evaluated, in months.",
		func(in *ScheduleInput) *float64 { return &in.HorizonMonths }).Neutral("the verdict applies to today"),
}

var groupInputs = calculator.Inputs[Group]{
	calculator.Required("vm_count", RangeScheduleVMCount, "Number of VMs. Each VM is a separate replication.",
		func(g *Group) *float64 { return &g.VMCount }).OrElse("vm_sizes_gib").Better(calculator.Lower),
	calculator.Required("vm_size_gib", RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
		func(g *Group) *float64 { return &g.VMSizeGiB }).OrElse("vm_sizes_gib").Better(calculator.Lower),
	calculator.List("vm_sizes_gib", RangeVMSizeGiB,
		"Data of each VM, in GiB, as a list with one element per VM. Conflicts with `vm_count` and `vm_size_gib`.",
		func(g *Group) *[]float64 { return &g.VMSizesGiB }).Better(calculator.Lower),
	calculator.Required("daily_change_percent", RangeDailyChangePercent,
		"Data that changes per day, as a percentage of the size of the VM.",
		func(g *Group) *float64 { return &g.DailyChangePercent }).OrElse("change_curve").Better(calculator.Lower),
	calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
		"Change of one VM in GiB, by interval in minutes, such as `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. A sync sends the "+
			"change for the time since the start of the previous sync, with each minute weighted by `hourly_weights`.",
		func(g *Group) *map[float64]float64 { return &g.ChangeCurve }).Better(calculator.Lower),
	calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
		func(g *Group) *float64 { return &g.RPOMinutes }).Better(calculator.Higher),
	calculator.HourList("hourly_weights", RangeHourlyWeight,
		"Distribution of the daily change over the hours. Only the proportions of the numbers matter. If not set, the "+
			"change is evenly distributed. All hourly lists must use the same time zone. The lists of `vsla_change_rates` "+
			"are in UTC.",
		func(g *Group) *[]float64 { return &g.HourlyWeights }).Either("only the proportions matter"),
	calculator.Absent("peak_factor", RangePeakFactor,
		"Ratio of the change rate in the peak to the daily mean. Conflicts with `hourly_weights`. The peak starts at "+
			"`peak_start_hour` and lasts for 1,440 / `peak_factor` minutes. No data changes outside the peak. "+
			"`vsla_replication_estimate` assumes the same distribution.",
		func(g *Group) **float64 { return &g.PeakFactor }).Better(calculator.Lower),
	calculator.Optional("peak_start_hour", RangePeakStartHour,
		"Start of the peak, in hours from midnight, in the time zone of the hourly lists. Has no effect without "+
			"`peak_factor`.",
		func(g *Group) *float64 { return &g.PeakStartHour }).
		Either("the effect depends on the other traffic at that time"),
	calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of the original size to the size on the wire.",
		func(g *Group) *float64 { return &g.CompressionRatio }).Better(calculator.Higher),
	calculator.Optional("overhead_seconds", RangeOverheadSeconds,
		"Fixed overhead before the data of a sync is sent, in seconds. Does not apply to the initial sync.",
		func(g *Group) *float64 { return &g.OverheadSeconds }).Better(calculator.Lower),
	calculator.Optional("quiesce_seconds", RangeOverheadSeconds,
		"Time to quiesce the VM before the data of a sync is sent, in seconds. Added to `overhead_seconds`. Does not "+
			"apply to the initial sync.",
		func(g *Group) *float64 { return &g.QuiesceSeconds }).Better(calculator.Lower),
	calculator.Optional("seeded_percent", RangeSeededPercent,
		"Share of the data that is already at the target before the initial sync, in percent.",
		func(g *Group) *float64 { return &g.SeededPercent }).
		Either("less data is sent, but more is compared"),
	calculator.Choice("mechanism", false, Mechanisms, mechanismDoc,
		func(g *Group) *string { return &g.Mechanism }).Neutral("it adds a reason, and changes no verdict"),
}

func totalsRows[R any](at func(*R) *Totals) calculator.Outputs[R] {
	return calculator.Outputs[R]{
		calculator.Result("compliance_percent",
			"Share of VM time during which the newest recovery point is within the RPO, in percent. A violation of more "+
				"than one second counts in full. A shorter one does not count.",
			func(r *R) *float64 { return &at(r).CompliancePercent }),
		calculator.Result("all_within_rpo_percent",
			"Share of time during which every VM is within its RPO, in percent. Violations count as for "+
				"`compliance_percent`.",
			func(r *R) *float64 { return &at(r).AllWithinRPOPercent }),
		calculator.Result("mean_compliance_percent", "Mean of `compliance_percent` over the runs, in percent.",
			func(r *R) *float64 { return &at(r).MeanCompliancePercent }),
		calculator.Result("p5_compliance_percent",
			"5th percentile of `compliance_percent` over the runs, in percent (nearest rank).",
			func(r *R) *float64 { return &at(r).P5CompliancePercent }),
		calculator.Result("p95_compliance_percent",
			"95th percentile of `compliance_percent` over the runs, in percent (nearest rank).",
			func(r *R) *float64 { return &at(r).P95CompliancePercent }),
		calculator.Result("violations", "Number of violations of more than one second.",
			func(r *R) *int64 { return &at(r).Violations }),
		calculator.Result("violation_minutes", "Total duration of the violations of all VMs, in minutes.",
			func(r *R) *float64 { return &at(r).ViolationMinutes }),
		calculator.Result("alarms",
			"Number of violations of one minute or longer. vSphere Replication raises an alarm for each of them.",
			func(r *R) *int64 { return &at(r).Alarms }),
		calculator.Result("worst_recovery_point_minutes", "Maximum age of the newest recovery point of any VM, in "+
			"minutes.",
			func(r *R) *float64 { return &at(r).WorstRecoveryPointMinutes }),
		calculator.Result("p95_sync_seconds",
			"95th percentile of the duration of the completed syncs, in seconds. Null if no sync is complete.",
			func(r *R) **float64 { return &at(r).P95SyncSeconds }),
		calculator.Result("transferred_gib", "Amount of data sent by the end of the run, in GiB on the wire.",
			func(r *R) *float64 { return &at(r).TransferredGiB }),
		calculator.Result("within_rpo_percent",
			"Smallest share of time that a VM is within its RPO, over all runs and their second halves, in percent. "+
				"Determines the verdict. With more than 20 runs, the 5th percentile over the runs is used. After a cold "+
				"start, time counts from `in_sync_after_minutes`.",
			func(r *R) *float64 { return &at(r).WithinRPOPercent }),
		calculator.Result("decided_by", "VM, run and part of the run (whole run or second half) that determine "+
			"`within_rpo_percent`. Empty if it is 100.",
			func(r *R) *string { return &at(r).DecidedBy }),
		calculator.Result("late_vm_count", "Number of VMs that are within their RPO for less than "+
			"`target_compliance_percent` (99.9 if not set) of the time in any run.",
			func(r *R) *int64 { return &at(r).LateVMCount }),
		calculator.Result("days_per_alarm", "Mean number of days between two alarms of a VM, over all runs. Null if "+
			"there are no alarms.",
			func(r *R) **float64 { return &at(r).DaysPerAlarm }),
		calculator.VerdictRow(scheduleVerdicts, func(r *R) *string { return &at(r).Verdict }),
	}
}

var groupRows = calculator.Outputs[Totals]{
	calculator.Result("vm_link_share_percent",
		"Mean change rate of the largest VM, as a percentage of the usable throughput of the link, or of "+
			"`per_sync_mbps` if it is lower.",
		func(t *Totals) *float64 { return &t.VMLinkSharePercent }),
	calculator.Result("alone_recovery_point_minutes",
		"Maximum age of the newest recovery point of the largest VM if no other VM uses the link, in minutes: `RPO * (1 "+
			"+ c) / (1 + 1.2 * c)` with c = `vm_link_share_percent` / 100. Null if c is at least 1, or with an overhead, "+
			"a change curve, an uneven change or an hourly throughput.",
		func(t *Totals) **float64 { return &t.AloneRecoveryPointMinutes }),
}

var scheduleRows = calculator.Outputs[ScheduleResult]{
	calculator.ResultEach("groups", "", append(totalsRows(func(t *Totals) *Totals { return t }), groupRows...),
		func(r *ScheduleResult) *map[string]Totals { return &r.Groups }),
	calculator.Result("days_simulated", "Number of days per run.",
		func(r *ScheduleResult) *int64 { return &r.DaysSimulated }),
	calculator.Result("runs_simulated",
		"Number of simulated runs. The verdict, `within_rpo_percent`, `late_vm_count`, `worst_recovery_point_minutes`, "+
			"`days_per_alarm`, and the mean and percentiles of the compliance cover all runs. All other results are from "+
			"the first run.",
		func(r *ScheduleResult) *int64 { return &r.RunsSimulated }),
	calculator.Result("converged",
		"Whether the two halves of the first run agree. If not, a longer run could have a different result. Always "+
			"`false` for runs of less than 8 days, and if the mean change exceeds the throughput of the link.",
		func(r *ScheduleResult) *bool { return &r.Converged }),
	calculator.Result("link_use_percent", "Data sent, as a percentage of the capacity of the link.",
		func(r *ScheduleResult) *float64 { return &r.LinkUsePercent }),
	calculator.Result("peak_hour_link_use_percent",
		"Data sent in the busiest hour, as a percentage of the capacity of the link in that hour.",
		func(r *ScheduleResult) *float64 { return &r.PeakHourLinkUsePercent }),
	calculator.Result("recovered_after_minutes",
		"Time from the end of the outage until every VM is within its RPO, in minutes. Null without an outage, or if the "+
			"run ends first.",
		func(r *ScheduleResult) **float64 { return &r.RecoveredAfterMinutes }),
	calculator.Result("in_sync_after_minutes",
		"Time from a cold start (`start_in_sync = false`) until every VM is within its RPO, in minutes. Null without a "+
			"cold start, or if the run ends first.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes }),
	calculator.Result("deadline_met",
		"Whether all VMs are in sync within `deadline_hours`. Null without `deadline_hours`.",
		func(r *ScheduleResult) **bool { return &r.DeadlineMet }),
	calculator.Result("compliance_percent_80",
		"`compliance_percent` that 4 of 5 links with this `throughput_basis` reach or exceed. Null with `network`, "+
			"without a basis, or with a change curve.",
		func(r *ScheduleResult) **float64 { return &r.CompliancePercent80 }),
	calculator.Result("compliance_percent_90",
		"`compliance_percent` that 9 of 10 links with the basis `transfer` reach or exceed. Null with other bases, or "+
			"with a change curve.",
		func(r *ScheduleResult) **float64 { return &r.CompliancePercent90 }),
	calculator.Result("in_sync_after_minutes_80",
		"`in_sync_after_minutes` that 4 of 5 links with this `throughput_basis` do not exceed. Null if "+
			"`compliance_percent_80` is null, without a cold start, or if the run ends first.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes80 }),
	calculator.Result("in_sync_after_minutes_90",
		"`in_sync_after_minutes` that 9 of 10 links with the basis `transfer` do not exceed. Null if "+
			"`compliance_percent_90` is null, without a cold start, or if the run ends first.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes90 }),
	calculator.Result("months_until_at_risk",
		"First month in which growth changes the verdict to `at_risk` or `misses`. 0 if the verdict is already "+
			"`at_risk` or `misses`. Null without growth, or if this does not happen within `horizon_months`.",
		func(r *ScheduleResult) **int64 { return &r.MonthsUntilAtRisk }),
	calculator.Result("months_until_miss", "First month in which growth changes the verdict to `misses`. 0 if the "+
		"verdict is already `misses`. Null without growth, or if this does not happen within `horizon_months`.",
		func(r *ScheduleResult) **int64 { return &r.MonthsUntilMiss }),
	calculator.Result("throughput_for_target_mbps",
		"Smallest throughput at which every group keeps its promise, in Mbit/s, accurate to 1%. Never below the mean "+
			"change. With `hourly_throughput_mbps`, it is the mean of the hours, and the hours keep their proportions. "+
			"With `throughput_basis`, the promises must also be kept on the slower link. If every group already keeps its "+
			"promise, it is at most the specified throughput. Otherwise, it is higher. The minimum of 5 runs or 500 VMs "+
			"for the verdict `meets` is ignored. Null if no throughput is sufficient.",
		func(r *ScheduleResult) **float64 { return &r.ThroughputForTargetMbps }),
}
