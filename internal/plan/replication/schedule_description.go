package replication

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// The ranges of the inputs without a range in an estimate. RangeScheduleVMCount is narrower than RangeVMCount, because
// the VMs of all groups share one event queue.
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
		Doc: "if `within_rpo_percent` of each group is at least `target_compliance_percent`, without it 99.9, the run has " +
			"`converged`, there are at least 5 runs or 500 VMs, and the same holds on the slower link of `throughput_basis`",
	},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "if only that share is reached, without a target from 99 on"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "otherwise, and if `deadline_met` is false"},
}

// The reasons of a schedule.
var (
	reasonViolations = calculator.Reason{
		Code: "rpo_violations",
		Sentence: "VMs fall out of their RPO %s, for %s in all, %s of them for a minute or longer; the oldest " +
			"recovery point is %s old.",
	}
	reasonNotConverged = calculator.Reason{
		Code:     "not_converged",
		Sentence: "Whether a longer run comes to the same is not known: %s.",
	}
	reasonOneRun = calculator.Reason{
		Code: simulation.OneRun,
		Sentence: "Whether other starts come to the same is not known: %s of %s VMs. It takes 5 runs with " +
			"jitter_percent above 0, or 500 VMs.",
	}
	reasonTwoStates = calculator.Reason{
		Code: simulation.TwoStates,
		Sentence: "Syncs of group %q may fall into step: %s%% of its time is within the RPO in the worst run, and %s%% in " +
			"the median one.",
	}
	reasonBandMisses = calculator.Reason{
		Code: "band_misses",
		Sentence: "Group %q holds at the given rate, and on the slowest of 4 in 5 links of this throughput_basis a VM is " +
			"within its RPO for %s%% of the time.",
	}
	reasonScheduleDeadline = calculator.Reason{
		Code:     "deadline_missed",
		Sentence: "VMs are in sync after %s, and the deadline is %s.",
	}
	reasonAbove500 = calculator.Reason{
		Code: "above_500_at_5_minutes",
		Sentence: "%s VMs have an RPO of 5 minutes or less, which vSphere Replication supports for 500 VMs: " +
			"a longer rpo_minutes for some of them avoids that.",
	}
	reasonPerSyncUnlimited = calculator.Reason{
		Code: "per_sync_unlimited",
		Sentence: "A single sync may take the whole link here. With a tenth of it, one of group %q takes longer than half " +
			"its RPO: per_sync_mbps, the rate of a single transfer, settles it.",
	}
	reasonScheduleScheduler = calculator.Reason{
		Code: reasonSchedulerUnknown.Code,
		Sentence: "Group %q is replicated by vSAN Data Protection, whose scheduler is not documented: it counts on the " +
			"link, and its violations are by the rule of vSphere Replication.",
	}
	reasonLinkSaturated = calculator.Reason{
		Code:     "link_saturated",
		Sentence: "In its busiest hour the link is %s%% in use.",
	}
	reasonScheduleExtrapolated = calculator.Reason{
		Code: reasonExtrapolated.Code,
		Sentence: "The change curve of group %q has points from %s to %s minutes, and syncs are %s to %s minutes apart: " +
			"below the first point it is proportional, the least that is possible, and above the last it keeps its slope.",
	}
)

// ScheduleDefinition describes vsla_replication_schedule.
var ScheduleDefinition = calculator.Definition[ScheduleInput, ScheduleResult]{
	Names: calculator.Names{
		Name:     "replication_schedule",
		Function: "replication_schedule",
		Command:  "schedule",
		Title:    "Replication schedule",
		Summary:  "Many groups with their RPOs on one link, simulated",
		Description: "Simulates the replication of many groups of VMs with different RPOs on one link: a sync sends what " +
			"has changed since the previous one started, starts as late as its RPO allows by its predicted duration, and " +
			"shares link and storage with all others that run. The promise is made to each VM: the one that is within its RPO " +
			"for the least of the time decides. It needs no connection and no credentials. 4,000 replications with an RPO of " +
			"5 minutes take some seconds.\n\n" +
			"By hand, without jitter: one VM whose changes would fill half the link (c = 0.5), RPO 15 minutes: syncs settle " +
			"at 15 / (1 + 1.2 * 0.5) = 9.375 minutes apart, take half of that, 4.6875 minutes, and a recovery point gets " +
			"14.0625 minutes old at most.",
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
	calculator.Each("groups", "The groups, by name, with what the simulation finds of each.",
		groupInputs, GroupDefaults,
		func(in *ScheduleInput) *map[string]Group { return &in.Groups }).Better(calculator.Lower).Simulates(),
	calculator.Absent("days", RangeDays,
		"Days to simulate, at least four times the largest RPO. Without it 31, 16 or 8, the most with at most 500,000 "+
			"syncs; of larger estates 8, then 16, then 31, until the halves of the run agree. A run below 8 days never "+
			"converges.",
		func(in *ScheduleInput) **float64 { return &in.Days }).
		Either("a longer run shows more of the day, and dilutes what happens at its start"),
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"What the link carries, in Mbit/s (10^6 bit/s). Give this or `hourly_throughput_mbps`.",
		func(in *ScheduleInput) **float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.HourList("hourly_throughput_mbps", RangeHourlyThroughputMbps,
		"What the link carries, in Mbit/s, in place of `throughput_mbps`.",
		func(in *ScheduleInput) *[]float64 { return &in.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
		"Usable part of the throughput, in percent: 100 for a measured one.",
		func(in *ScheduleInput) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Absent("per_sync_mbps", RangeThroughputMbps,
		"The most that one sync gets, in Mbit/s. Without it there is no limit but the link.",
		func(in *ScheduleInput) **float64 { return &in.PerSyncMbps }).Better(calculator.Higher),
	calculator.Absent("max_concurrent_syncs", RangeMaxConcurrentSyncs,
		"Syncs that run at a time; the others wait, the nearest deadline first, and initial syncs by RPO, name of the "+
			"group and number of the VM. Without it there is no limit.",
		func(in *ScheduleInput) **float64 { return &in.MaxConcurrentSyncs }).
		Either("fewer syncs at a time are faster each, and the others wait"),
	calculator.Switch("start_in_sync",
		"Whether every VM has a recovery point at the start. When false, its initial sync comes first, and it is in "+
			"violation until that has arrived.",
		func(in *ScheduleInput) *bool { return &in.StartInSync }).
		Either("a cold start adds violations, and shifts every sync after it"),
	calculator.Absent("source_read_mbps", RangeStorageMbps,
		"What the source's storage reads for all syncs together, in Mbit/s of uncompressed data. Without it there is no "+
			"limit.",
		func(in *ScheduleInput) **float64 { return &in.SourceReadMbps }).Better(calculator.Higher),
	calculator.Absent("target_write_mbps", RangeStorageMbps,
		"What the target's storage writes for all syncs together, in Mbit/s of uncompressed data. Without it there is no "+
			"limit.",
		func(in *ScheduleInput) **float64 { return &in.TargetWriteMbps }).Better(calculator.Higher),
	calculator.Optional("target_write_factor", RangeTargetWriteFactor,
		"How often the target writes, or reads, each replicated byte.",
		func(in *ScheduleInput) *float64 { return &in.TargetWriteFactor }).Better(calculator.Lower),
	calculator.Absent("checksum_mbps", RangeStorageMbps,
		"How fast seeded data is compared, all VMs together, in Mbit/s of uncompressed data. Without it, comparing is "+
			"not counted.",
		func(in *ScheduleInput) **float64 { return &in.ChecksumMbps }).Better(calculator.Higher),
	calculator.Absent("target_compliance_percent", RangeTargetCompliancePercent,
		"The promise to each VM: the share of time within the RPO, in percent. Without it a group meets from 99.9 on, and "+
			"misses below 99. Who wants no alarm at all sets 100.",
		func(in *ScheduleInput) **float64 { return &in.TargetCompliancePercent }).Better(calculator.Lower),
	calculator.Absent("runs", RangeRuns,
		"How many times the groups are simulated. More than one needs `jitter_percent`. Without it as many as have about "+
			"2.5 million syncs together, 1 to 20.",
		func(in *ScheduleInput) **float64 { return &in.Runs }).Either("more runs show better and worse ones"),
	calculator.Optional("jitter_percent", RangeJitterPercent,
		"By how much of the RPO a start moves at most, in percent: the first of each VM later, all others earlier. The "+
			"numbers are pseudo-random and always the same. With 0, VMs keep in step, all runs would be the same, and a tiny "+
			"change of the throughput may change compliance by points.",
		func(in *ScheduleInput) *float64 { return &in.JitterPercent }).
		Either("earlier starts send more, and keep VMs from starting together"),
	calculator.Absent("outage_minutes", RangeOutageMinutes, "How long the link carries nothing, in minutes.",
		func(in *ScheduleInput) **float64 { return &in.OutageMinutes }).Better(calculator.Lower),
	calculator.Optional("outage_start_hours", RangeOutageStartHours,
		"When that begins, in hours from the start of the run. Only with `outage_minutes`.",
		func(in *ScheduleInput) *float64 { return &in.OutageStartHours }).
		Either("an hour of the day: what changes then decides"),
	calculator.Absent("deadline_hours", RangeScheduleDeadlineHours,
		"Time in which all VMs have to be in sync, in hours from the start of the run. Only with `start_in_sync = false`.",
		func(in *ScheduleInput) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Where the throughput is from: `transfer` is the measured rate of whole transfers of this kind (past syncs, a "+
			"calibration), `network` a measured network (iperf and the like), `nominal` the rate of a line. With `transfer` "+
			"and `nominal`, and without a change curve, the results state how far off it usually is.",
		func(in *ScheduleInput) *string { return &in.ThroughputBasis }).
		Neutral("it adds figures, and changes no verdict"),
	calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
		"How much the data of all groups, and with it its change, grows in a year, in percent.",
		func(in *ScheduleInput) **float64 { return &in.GrowthPercentPerYear }).Neutral("the verdict is that of today"),
	calculator.Optional("horizon_months", RangeScheduleHorizonMonths, "How far growth is followed, in months.",
		func(in *ScheduleInput) *float64 { return &in.HorizonMonths }).Neutral("the verdict is that of today"),
}

var groupInputs = calculator.Inputs[Group]{
	calculator.Required("vm_count", RangeScheduleVMCount, "Number of VMs; each is a replication of its own.",
		func(g *Group) *float64 { return &g.VMCount }).OrElse("vm_sizes_gib").WithExample(20.0).Better(calculator.Lower),
	calculator.Required("vm_size_gib", RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
		func(g *Group) *float64 { return &g.VMSizeGiB }).OrElse("vm_sizes_gib").WithExample(100.0).Better(calculator.Lower),
	calculator.List("vm_sizes_gib", RangeVMSizeGiB,
		"Data of each VM, in GiB, in place of `vm_count` and `vm_size_gib`: every VM is simulated as itself.",
		func(g *Group) *[]float64 { return &g.VMSizesGiB }).Better(calculator.Lower),
	calculator.Required(
		"daily_change_percent",
		RangeDailyChangePercent,
		"How much of it changes in a day, in percent.",
		func(g *Group) *float64 { return &g.DailyChangePercent },
	).OrElse("change_curve").WithExample(5.0).Better(calculator.Lower),
	calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
		"How many GiB of one VM change in a number of minutes: `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. A sync sends what "+
			"the curve has for the minutes since the previous start, each minute weighted by `hourly_weights`.",
		func(g *Group) *map[float64]float64 { return &g.ChangeCurve }).Better(calculator.Lower),
	calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
		func(g *Group) *float64 { return &g.RPOMinutes }).Better(calculator.Higher),
	calculator.HourList("hourly_weights", RangeHourlyWeight,
		"How the day's change is spread; only their proportion counts. Without it, evenly. All hourly lists of a "+
			"schedule go by one clock: those of `vsla_change_rates` are in UTC.",
		func(g *Group) *[]float64 { return &g.HourlyWeights }).Either("a profile: only its proportions count"),
	calculator.Absent("peak_factor", RangePeakFactor,
		"In place of `hourly_weights`: the day's change happens at this many times its mean from `peak_start_hour` on, "+
			"for 1,440 minutes over this factor, and nothing changes in the rest. This is the day that "+
			"`vsla_replication_estimate` assumes.",
		func(g *Group) **float64 { return &g.PeakFactor }).Better(calculator.Lower),
	calculator.Optional("peak_start_hour", RangePeakStartHour,
		"When the peak begins, in hours from midnight (UTC). Only with `peak_factor`.",
		func(g *Group) *float64 { return &g.PeakStartHour }).
		Either("an hour of the day: what else is sent then decides"),
	calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of original size to size on the wire.",
		func(g *Group) *float64 { return &g.CompressionRatio }).Better(calculator.Higher),
	calculator.Optional("overhead_seconds", RangeOverheadSeconds,
		"Fixed cost of each sync but the initial one, in seconds, before its data is sent.",
		func(g *Group) *float64 { return &g.OverheadSeconds }).Better(calculator.Lower),
	calculator.Optional("quiesce_seconds", RangeOverheadSeconds,
		"How long each sync but the initial one quiesces the VM before its data is sent, in seconds, in addition "+
			"to `overhead_seconds`.",
		func(g *Group) *float64 { return &g.QuiesceSeconds }).Better(calculator.Lower),
	calculator.Optional("seeded_percent", RangeSeededPercent,
		"Part of the initial sync that is at the target already, in percent.",
		func(g *Group) *float64 { return &g.SeededPercent }).
		Either("less is sent, and more is compared with checksum_mbps"),
	calculator.Choice("mechanism", false, Mechanisms, mechanismDoc,
		func(g *Group) *string { return &g.Mechanism }).Neutral("it adds a reason, and changes no verdict"),
}

func totalsRows[R any](at func(*R) *Totals) calculator.Outputs[R] {
	return calculator.Outputs[R]{
		calculator.Result("compliance_percent",
			"Share of VM-time during which the newest recovery point was within the RPO, in percent. An unbroken stretch "+
				"above the RPO counts with its whole length, if it is longer than a second.",
			func(r *R) *float64 { return &at(r).CompliancePercent }),
		calculator.Result("all_within_rpo_percent",
			"Share of time during which every VM was within its RPO, in percent, by the same rule.",
			func(r *R) *float64 { return &at(r).AllWithinRPOPercent }),
		calculator.Result("mean_compliance_percent", "Mean of `compliance_percent` over the runs, in percent.",
			func(r *R) *float64 { return &at(r).MeanCompliancePercent }),
		calculator.Result("p5_compliance_percent",
			"5th percentile of `compliance_percent` over the runs, in percent (nearest rank).",
			func(r *R) *float64 { return &at(r).P5CompliancePercent }),
		calculator.Result("p95_compliance_percent",
			"95th percentile of `compliance_percent` over the runs, in percent (nearest rank).",
			func(r *R) *float64 { return &at(r).P95CompliancePercent }),
		calculator.Result("violations", "How often a VM fell out of its RPO, for more than a second.",
			func(r *R) *int64 { return &at(r).Violations }),
		calculator.Result("violation_minutes", "How long, in minutes, added up over the VMs.",
			func(r *R) *float64 { return &at(r).ViolationMinutes }),
		calculator.Result("alarms",
			"How often a VM fell out of its RPO for a minute or longer, which vSphere Replication raises alarms for.",
			func(r *R) *int64 { return &at(r).Alarms }),
		calculator.Result("worst_recovery_point_minutes", "Greatest age that a newest recovery point reached, in minutes.",
			func(r *R) *float64 { return &at(r).WorstRecoveryPointMinutes }),
		calculator.Result("p95_sync_seconds",
			"Duration that 95 % of the completed syncs stay within, in seconds; null without one.",
			func(r *R) **float64 { return &at(r).P95SyncSeconds }),
		calculator.Result("transferred_gib", "What was sent by the end of the run, in GiB on the wire.",
			func(r *R) *float64 { return &at(r).TransferredGiB }),
		calculator.Result("within_rpo_percent",
			"Least share of time within the RPO of a VM, over the runs and their second halves, in percent: what decides. Of "+
				"more than 20 runs the 5th percentile. From a cold start it counts from `in_sync_after_minutes` on.",
			func(r *R) *float64 { return &at(r).WithinRPOPercent }),
		calculator.Result("decided_by", "VM, run and half of `within_rpo_percent`; empty if it is 100.",
			func(r *R) *string { return &at(r).DecidedBy }),
		calculator.Result("late_vm_count", "VMs that are within their RPO for less than is promised.",
			func(r *R) *int64 { return &at(r).LateVMCount }),
		calculator.Result("days_per_alarm", "Mean days between two alarms of a VM, over all runs; null without an alarm.",
			func(r *R) **float64 { return &at(r).DaysPerAlarm }),
		calculator.VerdictRow(scheduleVerdicts, func(r *R) *string { return &at(r).Verdict }),
	}
}

var groupRows = calculator.Outputs[Totals]{
	calculator.Result("vm_link_share_percent",
		"Part of the link, or of `per_sync_mbps`, that the mean change of the largest VM takes, in percent.",
		func(t *Totals) *float64 { return &t.VMLinkSharePercent }),
	calculator.Result("alone_recovery_point_minutes",
		"How old recovery points of this VM get alone on the link, by hand: RPO * (1 + c) / (1 + 1.2 * c), c being this "+
			"part, in minutes. Null with an overhead, a curve, or change or a link that is not even.",
		func(t *Totals) **float64 { return &t.AloneRecoveryPointMinutes }),
}

var scheduleRows = calculator.Outputs[ScheduleResult]{
	calculator.ResultEach("groups", "", append(totalsRows(func(t *Totals) *Totals { return t }), groupRows...),
		func(r *ScheduleResult) *map[string]Totals { return &r.Groups }),
	calculator.Result("days_simulated", "Days of each run.",
		func(r *ScheduleResult) *int64 { return &r.DaysSimulated }),
	calculator.Result("runs_simulated",
		"Runs that were simulated. Figures are of the first one, shares and verdicts of all.",
		func(r *ScheduleResult) *int64 { return &r.RunsSimulated }),
	calculator.Result("converged",
		"Whether the halves of the run agree, so that a longer one comes to the same. Never for a run below 8 days, nor "+
			"where more changes on average than the link carries.",
		func(r *ScheduleResult) *bool { return &r.Converged }),
	calculator.Result("link_use_percent", "What was sent against what the link could carry, in percent.",
		func(r *ScheduleResult) *float64 { return &r.LinkUsePercent }),
	calculator.Result("peak_hour_link_use_percent",
		"What was sent in the busiest hour against what the link could carry in it, in percent.",
		func(r *ScheduleResult) *float64 { return &r.PeakHourLinkUsePercent }),
	calculator.Result("recovered_after_minutes",
		"Time from the end of the outage until every VM is within its RPO, in minutes; null without an outage, and if "+
			"the run ends before.",
		func(r *ScheduleResult) **float64 { return &r.RecoveredAfterMinutes }),
	calculator.Result("in_sync_after_minutes",
		"Time from a cold start (`start_in_sync = false`) until every VM is within its RPO, in minutes; null without "+
			"one, and if the run ends before.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes }),
	calculator.Result("deadline_met",
		"Whether all VMs are in sync by `deadline_hours`; null without it.",
		func(r *ScheduleResult) **bool { return &r.DeadlineMet }),
	calculator.Result("compliance_percent_80",
		"`compliance_percent` that 4 of 5 links of this `throughput_basis` reach, in percent; null where that is not "+
			"known.",
		func(r *ScheduleResult) **float64 { return &r.CompliancePercent80 }),
	calculator.Result("compliance_percent_90", "The same for 9 of 10; only known of `transfer`.",
		func(r *ScheduleResult) **float64 { return &r.CompliancePercent90 }),
	calculator.Result("in_sync_after_minutes_80",
		"`in_sync_after_minutes` that 4 of 5 links of this `throughput_basis` stay within, in minutes; null where that "+
			"is not known, and if that run ends before.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes80 }),
	calculator.Result("in_sync_after_minutes_90", "The same for 9 of 10; only known of `transfer`.",
		func(r *ScheduleResult) **float64 { return &r.InSyncAfterMinutes90 }),
	calculator.Result("months_until_at_risk",
		"First month in which growth makes the verdict `at_risk` or `misses`, 0 if it is that today; null without growth, "+
			"and beyond `horizon_months`.",
		func(r *ScheduleResult) **int64 { return &r.MonthsUntilAtRisk }),
	calculator.Result("months_until_miss", "The same for `misses`.",
		func(r *ScheduleResult) **int64 { return &r.MonthsUntilMiss }),
	calculator.Result("throughput_for_target_mbps",
		"Least throughput with which every group meets, in Mbit/s, to 1 % and never below the mean change; with hourly "+
			"figures their mean, the profile kept. With a `throughput_basis` the slower link decides. It is at most the one "+
			"that is given if every group meets, and above it if not. Too few runs and VMs to meet are left out. Null if no "+
			"throughput is enough.",
		func(r *ScheduleResult) **float64 { return &r.ThroughputForTargetMbps }),
}
