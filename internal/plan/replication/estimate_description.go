package replication

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Ranges of the inputs. The upper bounds far exceed any real environment (a billion VMs of a zettabyte each, an exabit
// per second) and ensure that every product is finite.
var (
	RangeVMCount            = plan.Range{Min: 1, Max: 1e9, Whole: true, Unit: "VMs", Zero: plan.NoVMs}
	RangeVMSizeGiB          = plan.Range{Min: 1e-6, Max: 1e12, Unit: "GiB"}
	RangeDailyChangePercent = plan.Range{Min: 0, Max: 1000, Unit: "percent"}
	RangeThroughputMbps     = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeRPOMinutes         = plan.Range{Min: 1, Max: maxRPOMinutes, Unit: "minutes"}
	RangePeakFactor         = plan.Range{Min: 1, Max: 1e6}
	RangeEfficiencyPercent  = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeCompressionRatio   = plan.Range{Min: 1, Max: 1e6}
	RangeSeededPercent      = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeOverheadSeconds    = plan.Range{Min: 0, Max: 1e9, Unit: "seconds"}
	RangeGrowthPercent      = plan.Range{Min: 0, Max: 1000, Unit: "percent"}
	RangeCurveMinutes       = plan.Range{Min: 1e-3, Max: 1e6, Unit: "minutes"}
	RangeCurveGiB           = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
	RangeStorageMbps        = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeTargetWriteFactor  = plan.Range{Min: 1, Max: 1e3}
	RangeDeadlineHours      = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangeHorizonMonths      = plan.Range{Min: 1, Max: 600, Unit: "months"}
)

const (
	// AssumeWholeDay assumes that the daily change occurs in one cycle, which is the worst case and the published method.
	AssumeWholeDay = "whole_day"
	// AssumePeakFactor multiplies the daily mean by PeakFactor.
	AssumePeakFactor = "peak_factor"
	// AssumeCurve evaluates the change curve at the RPO times the peak factor.
	AssumeCurve = "curve"
)

// Replication mechanisms.
const (
	MechanismReplication = "vsphere_replication"
	MechanismGroup       = "protection_group"
)

// Mechanisms lists the values of mechanism.
var Mechanisms = []string{MechanismReplication, MechanismGroup}

// Values of limited_by.
const (
	LimitedByLink        = "link"
	LimitedBySourceRead  = "source_read"
	LimitedByTargetWrite = "target_write"
)

const (
	// VerdictMeets means that a cycle takes at most half the RPO, so the schedule never violates the RPO.
	VerdictMeets = "meets"
	// VerdictAtRisk means that a cycle takes at most the RPO but more than half of it, so each cycle violates the RPO
	// temporarily. With a peak factor or a change curve, not every cycle does, because a sync that starts less than one
	// RPO after the previous one transfers less data.
	VerdictAtRisk = "at_risk"
	// VerdictMisses means that a cycle takes longer than the RPO.
	VerdictMisses = "misses"
)

var verdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "if there are no violations (`violation_free`)"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "if only `meets_rpo` is true"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "otherwise, and if `deadline_hours` is missed"},
}

// Reasons for the verdict. If the RPO is missed, both of the first two apply.
var (
	reasonCycleExceedsRPO = calculator.NewReason("cycle_exceeds_rpo", "Sending the changes of one cycle takes %s, longer "+
		"than the RPO of %s.")
	reasonCycleExceedsHalf = calculator.NewReason("cycle_exceeds_half_rpo", "Sending the changes of one cycle takes %s, "+
		"longer than half the RPO (%s). A recovery point is as old as the start of its sync, so the next one is complete %s "+
		"after it.")
	reasonDailyChangeOverLink = calculator.NewReason("daily_change_exceeds_link", "A day's changes need %s%% of the "+
		"link's daily capacity, so replication falls further and further behind.")
	reasonOverheadExceedsHalf = calculator.NewReason("overhead_exceeds_half_rpo", "The fixed overhead of a sync, %s, "+
		"already exceeds half the RPO (%s). More throughput does not help.")
)

var (
	reasonDeadlineMissed = calculator.NewReason("deadline_missed", "If all VMs start together, they %s, but the deadline "+
		"is %s.%s")
	reasonRPODoesNotHelp = calculator.NewReason("rpo_does_not_help", "A longer RPO does not help. With a peak_factor of "+
		"%s, a cycle of up to %s minutes contains the changes of the busiest time, which grow in proportion to the RPO. "+
		"Only more throughput or a lower change rate helps.")
)

var (
	reasonSeedCheckNotCounted = calculator.NewReason("seed_check_not_counted", "%s%% of the data is seeded. Seeds are "+
		"compared block by block, which takes time on the storage. Without checksum_mbps, this time is not counted.")
	reasonExtrapolated = calculator.NewReason("change_curve_extrapolated", "The change curve has points from %s to %s "+
		"and is extrapolated: below the first point, the change is proportional to the interval, the least possible; above "+
		"the last point, the curve keeps its slope.")
	reasonCurveSparse = calculator.NewReason("curve_sparse", "Adjacent points of the change curve, %s and %s, differ by "+
		"more than a factor of 8, so interpolation between them is unreliable: measure the change in %s.")
	reasonSchedulerUnknown = calculator.NewReason("scheduler_not_documented", "The scheduler of vSAN Data Protection is "+
		"not documented. meets_rpo applies to it, but violation_free and at_risk follow the rules of vSphere Replication.")
	reasonLowRPO = calculator.NewReason("rpo_below_5_minutes", "An RPO of %s requires enhanced replication; without it, "+
		"the minimum is 5 minutes.")
)

// EstimateDefinition describes the replication_estimate calculator.
var EstimateDefinition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "replication_estimate",
		Function: "replication_estimate",
		Command:  "replication",
		Example:  "--vm-count 10 --vm-size-gib 100 --daily-change-percent 5 --throughput-mbps 1000 --rpo-minutes 60",
		Title:    "Replication estimate",
		Summary:  "Replication times, and whether an RPO can be met",
		Description: "Estimates how long the initial sync of a group of VMs takes, how long it takes to sync the " +
			"changes of one cycle, and whether a recovery point objective (RPO) can be met. Two tests are applied. The " +
			"test published by VMware requires that the sync of a cycle takes at most the RPO. The scheduling rule of " +
			"vSphere Replication requires at most half the RPO. Requires no connection and no credentials. The results " +
			"are known during the plan if all inputs are known.",
	},
	Default:  Defaults,
	Inputs:   inputs,
	Results:  OutcomeRows(),
	Verdicts: verdicts,
	Reasons: []calculator.Reason{
		reasonCycleExceedsRPO, reasonCycleExceedsHalf, reasonDailyChangeOverLink, reasonOverheadExceedsHalf,
		reasonDeadlineMissed, reasonRPODoesNotHelp, reasonSeedCheckNotCounted, reasonExtrapolated, reasonCurveSparse,
		reasonLowRPO, reasonSchedulerUnknown,
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Estimate,
}

const mechanismDoc = "Replication mechanism: `vsphere_replication`, or `protection_group` for vSAN Data Protection, " +
	"whose scheduler is not documented. Defaults to `vsphere_replication`."

// GroupInputs returns the inputs that describe the VMs, the link and the promise.
func GroupInputs() calculator.Inputs[Input] {
	return calculator.Inputs[Input]{
		calculator.Required("vm_count", RangeVMCount, "Number of VMs.",
			func(in *Input) *float64 { return &in.VMCount }).Better(calculator.Lower),
		calculator.Required("vm_size_gib", RangeVMSizeGiB, "Data to replicate per VM, in GiB (2^30 bytes).",
			func(in *Input) *float64 { return &in.VMSizeGiB }).Better(calculator.Lower),
		calculator.Required("daily_change_percent", RangeDailyChangePercent,
			"Data that changes per day, as a percentage of `vm_size_gib`.",
			func(in *Input) *float64 { return &in.DailyChangePercent }).OrElse("change_curve").Better(calculator.Lower),
		calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
			"Change of one VM in GiB, by interval in minutes, such as `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. Blocks that are "+
				"rewritten between two syncs are sent only once, so the change grows less than linearly with the interval. "+
				"Between two points, the curve is a straight line on logarithmic axes. Below the first point, the change is "+
				"proportional to the interval. Above the last point, the curve keeps its slope.",
			func(in *Input) *map[float64]float64 { return &in.ChangeCurve }).Better(calculator.Lower),
		calculator.Required("throughput_mbps", RangeThroughputMbps,
			"Sustained replication throughput, in Mbit/s (10^6 bit/s).",
			func(in *Input) *float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
		calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
			func(in *Input) *float64 { return &in.RPOMinutes }).Better(calculator.Higher),
		calculator.Choice("mechanism", false, Mechanisms, mechanismDoc,
			func(in *Input) *string { return &in.Mechanism }).Neutral("it adds a reason, and changes no verdict"),
	}
}

func assumptionInputs() calculator.Inputs[Input] {
	return calculator.Inputs[Input]{
		calculator.Absent("peak_factor", RangePeakFactor,
			"Ratio of the change rate in the busiest cycle to the daily mean. `1` means an even distribution. If neither "+
				"this nor `change_curve` is set, the change of a whole day is assumed to fall into one cycle, which is the "+
				"worst case and the published method.",
			func(in *Input) **float64 { return &in.PeakFactor }).Better(calculator.Lower),
		calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
			"Usable share of `throughput_mbps`, in percent. Use 100 for a measured throughput. 70 is a common planning value "+
				"for the nominal rate of a link.",
			func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
		calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of the original size to the size on the "+
			"wire.",
			func(in *Input) *float64 { return &in.CompressionRatio }).Better(calculator.Higher),
		calculator.Optional("seeded_percent", RangeSeededPercent,
			"Share of the data that is already at the target before the initial sync, in percent.",
			func(in *Input) *float64 { return &in.SeededPercent }).
			Either("less data is sent, but more is compared"),
		calculator.Optional("overhead_seconds", RangeOverheadSeconds, "Fixed overhead of each sync, in seconds.",
			func(in *Input) *float64 { return &in.OverheadSeconds }).Better(calculator.Lower),
		calculator.Absent("checksum_mbps", RangeStorageMbps,
			"Rate at which seeded data is compared, for all VMs together, in Mbit/s of uncompressed data. If not set, the "+
				"time for the comparison is not counted.",
			func(in *Input) **float64 { return &in.ChecksumMbps }).Better(calculator.Higher),
		calculator.Absent("source_read_mbps", RangeStorageMbps,
			"Read rate of the source storage for replication, in Mbit/s of uncompressed data. If not set, there is no limit.",
			func(in *Input) **float64 { return &in.SourceReadMbps }).Better(calculator.Higher),
		calculator.Absent("target_write_mbps", RangeStorageMbps,
			"Write rate of the target storage, in Mbit/s of uncompressed data. If not set, there is no limit.",
			func(in *Input) **float64 { return &in.TargetWriteMbps }).Better(calculator.Higher),
		calculator.Optional("target_write_factor", RangeTargetWriteFactor,
			"Number of times that the target writes or reads each replicated byte.",
			func(in *Input) *float64 { return &in.TargetWriteFactor }).Better(calculator.Lower),
		calculator.Absent("deadline_hours", RangeDeadlineHours,
			"Time within which all VMs must be in sync, in hours. If it is missed, the verdict is `misses`.",
			func(in *Input) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
		calculator.Choice("throughput_basis", false, plan.Bases,
			"Source of `throughput_mbps`: `transfer` (measured transfers of the same kind, such as past syncs or a "+
				"calibration), `network` (measured with iperf or similar) or `nominal` (nominal rate of the line). Selects "+
				"the factors for the results that end in `_80` and `_90`.",
			func(in *Input) *string { return &in.ThroughputBasis }).Neutral("it widens the prediction, and changes no verdict"),
		calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
			"Annual growth of the data and of its daily change, in percent.",
			func(in *Input) **float64 { return &in.GrowthPercentPerYear }).Better(calculator.Lower),
		calculator.Optional("horizon_months", RangeHorizonMonths, "Period for which growth is evaluated, in months.",
			func(in *Input) *float64 { return &in.HorizonMonths }).Better(calculator.Lower),
	}
}

// OutcomeRows returns the results of an estimate.
func OutcomeRows() calculator.Outputs[Result] {
	return calculator.Outputs[Result]{
		calculator.Result("total_gib", "Data of all VMs, in GiB (`vm_count * vm_size_gib`).",
			func(r *Result) *float64 { return &r.TotalGiB }),
		calculator.Result("initial_sync_seconds", "Duration of the initial sync of all VMs, in seconds.",
			func(r *Result) *float64 { return &r.InitialSyncSeconds }).Better(calculator.Lower),
		calculator.Result("initial_sync_caught_up_seconds",
			"Time until all VMs are in sync, including the changes during the initial sync, in seconds. Null if replication "+
				"never catches up.",
			func(r *Result) **float64 { return &r.InitialSyncCaughtUpSeconds }).Better(calculator.Lower),
		calculator.Result("batch_vm_count",
			"Largest number of VMs that are in sync within `deadline_hours` if they start together. 0 if a single VM takes "+
				"longer. Null without `deadline_hours`.",
			func(r *Result) **int64 { return &r.BatchVMCount }),
		calculator.Result("batches_hours",
			"Time until all VMs are in sync if batches of `batch_vm_count` VMs start one after the other, in hours. Null "+
				"if `batch_vm_count` is 0 or null, or if the replication of all VMs never catches up.",
			func(r *Result) **float64 { return &r.BatchesHours }),
		calculator.Result("deadline_met",
			"Whether all VMs are in sync within `deadline_hours` if they start together. Null without `deadline_hours`.",
			func(r *Result) **bool { return &r.DeadlineMet }),
		calculator.Result("initial_sync_seconds_80",
			"Duration of the initial sync with a margin that was sufficient in 4 of 5 comparable measured transfers, in "+
				"seconds. With the basis `transfer`, 1.14 times `initial_sync_seconds`. With `nominal`, 1.87 times the "+
				"duration at an efficiency of at most 70%. Null with other bases, with `change_curve`, and if storage is "+
				"the limit.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("initial_sync_seconds_90",
			"Duration of the initial sync with a margin that was sufficient in 9 of 10 comparable measured transfers, in "+
				"seconds. With the basis `transfer`, 1.32 times `initial_sync_seconds`. Null if `initial_sync_seconds_80` "+
				"is null, and with `nominal`.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds90 }).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_80", "Like `initial_sync_seconds_80`, but for `ongoing_sync_seconds`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_90", "Like `initial_sync_seconds_90`, but for `ongoing_sync_seconds`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds90 }).Better(calculator.Lower),
		calculator.ResultOf("change_assumption",
			"Assumed change in the busiest cycle: `whole_day` (change of a whole day), `peak_factor` (`peak_factor` times "+
				"the mean) or `curve` (from `change_curve`).",
			[]string{AssumeWholeDay, AssumePeakFactor, AssumeCurve}, func(r *Result) *string { return &r.ChangeAssumption }),
		calculator.ResultOf("limited_by", "The limiting factor: `link`, `source_read` or `target_write`.",
			[]string{LimitedByLink, LimitedBySourceRead, LimitedByTargetWrite},
			func(r *Result) *string { return &r.LimitedBy }),
		calculator.Result("changed_gib_per_cycle", "Data sent in the busiest cycle, in GiB before compression.",
			func(r *Result) *float64 { return &r.ChangedGiBPerCycle }),
		calculator.Result("ongoing_sync_seconds", "Duration of sending `changed_gib_per_cycle` and overhead, in seconds.",
			func(r *Result) *float64 { return &r.OngoingSyncSeconds }),
		calculator.Result("rpo_used_percent", "`ongoing_sync_seconds` as a percentage of the RPO.",
			func(r *Result) *float64 { return &r.RPOUsedPercent }).Better(calculator.Lower),
		calculator.Result("meets_rpo", "Whether `ongoing_sync_seconds` is at most the RPO (published SLA test).",
			func(r *Result) *bool { return &r.MeetsRPO }),
		calculator.Result("violation_free",
			"Whether `ongoing_sync_seconds` is at most half the RPO (scheduling rule of vSphere Replication).",
			func(r *Result) *bool { return &r.ViolationFree }),
		calculator.VerdictRow(verdicts, func(r *Result) *string { return &r.Verdict }),
		calculator.Result("min_rpo_minutes",
			"Smallest RPO without violations, in whole minutes, at least 5 (at least 1 if `rpo_minutes` is below 5) and "+
				"at most 1,440. With `peak_factor` and without `change_curve`, at most 1,440 / `peak_factor`, because a "+
				"longer cycle at the peak rate would contain more than the change of a whole day. Null if there is none.",
			func(r *Result) **int64 { return &r.MinRPOMinutes }).Better(calculator.Lower),
		calculator.Result("throughput_for_rpo_mbps",
			"Smallest `throughput_mbps` that meets the RPO, before `efficiency_percent` is applied. Null if there is none.",
			func(r *Result) **float64 { return &r.ThroughputForRPOMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "meets_rpo"),
		calculator.Result("throughput_violation_free_mbps",
			"Smallest `throughput_mbps` without violations, before `efficiency_percent` is applied. Null if there is none.",
			func(r *Result) **float64 { return &r.ThroughputViolationFreeMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "violation_free"),
		calculator.Result("max_vm_count",
			"Largest number of VMs without violations, with all other inputs unchanged. 0 if a single VM has violations. "+
				"Null if there is no limit.",
			func(r *Result) **int64 { return &r.MaxVMCount }).Better(calculator.Higher).
			BoundaryOf("vm_count", "violation_free"),
		calculator.Result("max_daily_change_percent",
			"Largest daily change without violations, in percent, up to 1,000 percent, with all other inputs unchanged. "+
				"Null if the RPO is violated even if no data changes, and with `change_curve`.",
			func(r *Result) **float64 { return &r.MaxDailyChangePercent }).Better(calculator.Higher).
			BoundaryOf("daily_change_percent", "violation_free"),
		calculator.Result("months_until_at_risk",
			"Months until growth makes `violation_free` false, as a decimal number. 0 if it is already false. Null without "+
				"growth, or if it is still true at the horizon.",
			func(r *Result) **float64 { return &r.MonthsUntilAtRisk }).Better(calculator.Higher),
		calculator.Result("months_until_miss",
			"Months until growth makes `meets_rpo` false, as a decimal number. 0 if it is already false. Null without "+
				"growth, or if it is still true at the horizon.",
			func(r *Result) **float64 { return &r.MonthsUntilMiss }).Better(calculator.Higher),
		calculator.Result("daily_link_use_percent",
			"Data sent per day after compression, as a percentage of the daily capacity of the link.",
			func(r *Result) *float64 { return &r.DailyLinkUsePercent }).Better(calculator.Lower),
	}
}
