package replication

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs. The upper bounds are far beyond any estate (a billion VMs of a yobibyte, an exabit per
// second) and keep every product finite.
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

// The values of change_assumption.
const (
	// AssumeWholeDay assumes the daily change in one cycle: the worst case and the published method.
	AssumeWholeDay = "whole_day"
	// AssumePeakFactor multiplies the daily mean by PeakFactor.
	AssumePeakFactor = "peak_factor"
	// AssumeCurve evaluates the change curve at the RPO times the peak factor.
	AssumeCurve = "curve"
)

// The replication mechanisms.
const (
	MechanismReplication = "vsphere_replication"
	MechanismGroup       = "protection_group"
)

// Mechanisms lists the values of mechanism.
var Mechanisms = []string{MechanismReplication, MechanismGroup}

// The values of limited_by.
const (
	LimitedByLink        = "link"
	LimitedBySourceRead  = "source_read"
	LimitedByTargetWrite = "target_write"
)

// The verdicts on an RPO.
const (
	// VerdictMeets means that a cycle fits into half the RPO, so the schedule never violates the RPO.
	VerdictMeets = "meets"
	// VerdictAtRisk means that a cycle fits into the RPO, but not into half of it, so each cycle violates the RPO for
	// a while. With a peak factor only some cycles do, because earlier syncs send less.
	VerdictAtRisk = "at_risk"
	// VerdictMisses means that a cycle does not fit into the RPO.
	VerdictMisses = "misses"
)

var verdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "when violation free"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "when only `meets_rpo` holds"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "otherwise, and when `deadline_hours` is missed"},
}

// The reasons. The first two both apply to a missed RPO.
var (
	reasonCycleExceedsRPO = calculator.Reason{
		Code:     "cycle_exceeds_rpo",
		Sentence: "One cycle's changes take %s to send, longer than the RPO of %s.",
	}
	reasonCycleExceedsHalf = calculator.Reason{
		Code: "cycle_exceeds_half_rpo",
		Sentence: "One cycle's changes take %s to send, longer than half the RPO (%s): a recovery point is as old as " +
			"its sync's start, so the next one lands %s after it.",
	}
	reasonDailyChangeOverLink = calculator.Reason{
		Code:     "daily_change_exceeds_link",
		Sentence: "A day's changes need %s%% of what the link carries in a day, so replication falls behind for good.",
	}
	reasonOverheadExceedsHalf = calculator.Reason{
		Code:     "overhead_exceeds_half_rpo",
		Sentence: "The fixed cost of a sync, %s, alone is longer than half the RPO (%s); no throughput helps.",
	}
)

// The reasons about the deadline and the smallest RPO.
var (
	reasonDeadlineMissed = calculator.Reason{
		Code:     "deadline_missed",
		Sentence: "All VMs, started together, %s, not within the deadline of %s%s.",
	}
	reasonRPODoesNotHelp = calculator.Reason{
		Code: "rpo_does_not_help",
		Sentence: "A longer RPO does not help: with a peak_factor of %s a cycle of up to %s minutes carries the change of " +
			"its busiest time, which grows in proportion to the RPO. Only more throughput or less change does.",
	}
)

// The reasons that do not depend on the verdict.
var (
	reasonSeedCheckNotCounted = calculator.Reason{
		Code: "seed_check_not_counted",
		Sentence: "%s%% of the data is seeded. Seeds are compared block by block, which takes time at the storage; " +
			"without checksum_mbps it is not counted.",
	}
	reasonExtrapolated = calculator.Reason{
		Code: "change_curve_extrapolated",
		Sentence: "The change curve has points from %s to %s and is used beyond them: below the first it is " +
			"proportional, the least that is possible, and above the last it keeps its slope.",
	}
	reasonCurveSparse = calculator.Reason{
		Code: "curve_sparse",
		Sentence: "Neighbouring points of the change curve, %s and %s, are more than a factor of 8 apart, and no " +
			"interpolation is reliable between them: measure the change in %s.",
	}
	reasonSchedulerUnknown = calculator.Reason{
		Code: "scheduler_not_documented",
		Sentence: "The scheduler of vSAN Data Protection is not documented: meets_rpo holds for it, and violation_free and " +
			"at_risk are by the rule of vSphere Replication.",
	}
	reasonLowRPO = calculator.Reason{
		Code:     "rpo_below_5_minutes",
		Sentence: "An RPO of %s needs enhanced replication; the least without it is 5 minutes.",
	}
)

// EstimateDefinition describes vsla_replication_estimate.
var EstimateDefinition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "replication_estimate",
		Function: "replication_estimate",
		Command:  "replication",
		Title:    "Replication estimate",
		Summary:  "How long replication takes, and whether an RPO holds",
		Description: "How long the initial sync of a group of VMs takes, how long one cycle's changes take, and whether a " +
			"recovery point objective (RPO) holds, by the published test (a cycle fits into the RPO) and by vSphere " +
			"Replication's own scheduling rule (a cycle fits into half of it). It needs no connection and no credentials, " +
			"and is known at plan time whenever its inputs are.",
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

const mechanismDoc = "What replicates the VMs: `vsphere_replication`, the default, or `protection_group` of vSAN " +
	"Data Protection, whose scheduler is not documented."

// GroupInputs returns the inputs for VMs, link and promise.
func GroupInputs() calculator.Inputs[Input] {
	return calculator.Inputs[Input]{
		calculator.Required("vm_count", RangeVMCount, "Number of VMs.",
			func(in *Input) *float64 { return &in.VMCount }).Better(calculator.Lower),
		calculator.Required("vm_size_gib", RangeVMSizeGiB, "Data to replicate of each VM, in GiB (2^30 bytes).",
			func(in *Input) *float64 { return &in.VMSizeGiB }).Better(calculator.Lower),
		calculator.Required("daily_change_percent", RangeDailyChangePercent,
			"How much of that data changes in a day, in percent.",
			func(in *Input) *float64 { return &in.DailyChangePercent }).OrElse("change_curve").Better(calculator.Lower),
		calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
			"How many GiB of one VM change in a number of minutes: `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. Blocks that are "+
				"rewritten are sent once for each sync, so change grows less than linearly. Between two points the curve is "+
				"straight on logarithmic axes, below the first it is proportional, above the last it keeps its slope.",
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

// assumptionInputs returns the other inputs of an estimate.
func assumptionInputs() calculator.Inputs[Input] {
	return calculator.Inputs[Input]{
		calculator.Absent("peak_factor", RangePeakFactor,
			"How unevenly the change is spread: the busiest cycle sees this many times the daily mean; 1 is evenly "+
				"spread. Absent: the whole day's change falls into one cycle, the worst case and the published method.",
			func(in *Input) **float64 { return &in.PeakFactor }).Better(calculator.Lower),
		calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
			"Usable part of `throughput_mbps`, in percent: 100 for a measured throughput; 70 is a common planning "+
				"value for the nominal rate of a link.",
			func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
		calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of original size to size on the wire.",
			func(in *Input) *float64 { return &in.CompressionRatio }).Better(calculator.Higher),
		calculator.Optional("seeded_percent", RangeSeededPercent,
			"Part of the initial sync that is at the target already, in percent.",
			func(in *Input) *float64 { return &in.SeededPercent }).
			Either("less is sent, and more is compared with checksum_mbps"),
		calculator.Optional("overhead_seconds", RangeOverheadSeconds, "Fixed cost of each sync, in seconds.",
			func(in *Input) *float64 { return &in.OverheadSeconds }).Better(calculator.Lower),
		calculator.Absent("checksum_mbps", RangeStorageMbps,
			"How fast seeded data is compared, all VMs together, in Mbit/s of uncompressed data. Without it, comparing is "+
				"not counted.",
			func(in *Input) **float64 { return &in.ChecksumMbps }).Better(calculator.Higher),
		calculator.Absent("source_read_mbps", RangeStorageMbps,
			"What the source's storage reads for replication, in Mbit/s of uncompressed data. Without it there is no limit.",
			func(in *Input) **float64 { return &in.SourceReadMbps }).Better(calculator.Higher),
		calculator.Absent("target_write_mbps", RangeStorageMbps,
			"What the target's storage writes, in Mbit/s of uncompressed data. Without it there is no limit.",
			func(in *Input) **float64 { return &in.TargetWriteMbps }).Better(calculator.Higher),
		calculator.Optional("target_write_factor", RangeTargetWriteFactor,
			"How often the target writes, or reads, each replicated byte.",
			func(in *Input) *float64 { return &in.TargetWriteFactor }).Better(calculator.Lower),
		calculator.Absent("deadline_hours", RangeDeadlineHours,
			"Time in which all VMs have to be in sync, in hours. A deadline that is missed is a miss.",
			func(in *Input) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
		calculator.Choice("throughput_basis", false, plan.Bases,
			"How `throughput_mbps` is known: `transfer` if whole transfers of this kind were measured (past syncs, a "+
				"calibration), `network` for a network benchmark, `nominal` for the rate of a line. It decides how far "+
				"transfers usually are from the prediction; without it no band is returned.",
			func(in *Input) *string { return &in.ThroughputBasis }).Neutral("it widens the prediction, and changes no verdict"),
		calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
			"How much the data, and with it its change, grows in a year, in percent.",
			func(in *Input) **float64 { return &in.GrowthPercentPerYear }).Better(calculator.Lower),
		calculator.Optional("horizon_months", RangeHorizonMonths, "How far growth is followed, in months.",
			func(in *Input) *float64 { return &in.HorizonMonths }).Better(calculator.Lower),
	}
}

// OutcomeRows returns the results of an estimate.
func OutcomeRows() calculator.Outputs[Result] {
	return calculator.Outputs[Result]{
		calculator.Result("total_gib", "Data of all VMs, in GiB: `vm_count * vm_size_gib`.",
			func(r *Result) *float64 { return &r.TotalGiB }),
		calculator.Result("initial_sync_seconds", "Time of the initial sync of all VMs, in seconds.",
			func(r *Result) *float64 { return &r.InitialSyncSeconds }).Better(calculator.Lower),
		calculator.Result("initial_sync_caught_up_seconds",
			"Time until all VMs are in sync: the initial sync, and what changed meanwhile, in seconds; null if it never "+
				"catches up.",
			func(r *Result) **float64 { return &r.InitialSyncCaughtUpSeconds }).Better(calculator.Lower),
		calculator.Result("batch_vm_count",
			"VMs that, started together, are in sync within `deadline_hours`; 0 if not even one is, null without it.",
			func(r *Result) **int64 { return &r.BatchVMCount }),
		calculator.Result("batches_hours",
			"Time until batches of that size, one after the other, are all in sync, in hours; null without a batch, and if "+
				"the changes of all VMs exceed the rate.",
			func(r *Result) **float64 { return &r.BatchesHours }),
		calculator.Result("deadline_met",
			"Whether all VMs, started together, are in sync within `deadline_hours`; null without it.",
			func(r *Result) **bool { return &r.DeadlineMet }),
		calculator.Result("initial_sync_seconds_80",
			"Time within which 4 of 5 comparable transfers were done, in seconds: `initial_sync_seconds` times 1.14 for "+
				"`throughput_basis` `transfer`, at 70 % efficiency at most times 1.87 for `nominal`. Null otherwise, with "+
				"`change_curve`, and where storage is the limit.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("initial_sync_seconds_90",
			"Time within which 9 of 10 were done: times 1.32 for `transfer`, null otherwise.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds90 }).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_80", "`ongoing_sync_seconds` with the factors of `initial_sync_seconds_80`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_90", "`ongoing_sync_seconds` with the factors of `initial_sync_seconds_90`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds90 }).Better(calculator.Lower),
		calculator.ResultOf("change_assumption",
			"What the busiest cycle carries: `whole_day` of change, `peak_factor` times the mean, or by the `curve`.",
			[]string{AssumeWholeDay, AssumePeakFactor, AssumeCurve},
			func(r *Result) *string { return &r.ChangeAssumption }),
		calculator.ResultOf("limited_by", "What data flows at: `link`, `source_read` or `target_write`.",
			[]string{LimitedByLink, LimitedBySourceRead, LimitedByTargetWrite},
			func(r *Result) *string { return &r.LimitedBy }),
		calculator.Result("changed_gib_per_cycle",
			"Changes that the busiest cycle has to send, in GiB before compression.",
			func(r *Result) *float64 { return &r.ChangedGiBPerCycle }),
		calculator.Result("ongoing_sync_seconds", "Time to send them, overhead included, in seconds.",
			func(r *Result) *float64 { return &r.OngoingSyncSeconds }),
		calculator.Result("rpo_used_percent", "`ongoing_sync_seconds` as a share of the RPO, in percent.",
			func(r *Result) *float64 { return &r.RPOUsedPercent }).Better(calculator.Lower),
		calculator.Result("meets_rpo", "The published SLA test: `ongoing_sync_seconds` is at most the RPO.",
			func(r *Result) *bool { return &r.MeetsRPO }),
		calculator.Result("violation_free",
			"vSphere Replication's scheduling rule: `ongoing_sync_seconds` is at most half the RPO.",
			func(r *Result) *bool { return &r.ViolationFree }),
		calculator.VerdictRow(verdicts, func(r *Result) *string { return &r.Verdict }),
		calculator.Result("min_rpo_minutes",
			"Smallest whole-minute RPO that is violation free with these inputs, from 5 minutes (from 1 if `rpo_minutes` is "+
				"below 5) to 1,440, or to 1,440 / `peak_factor`: a longer cycle carries a whole day's change. Null if none is.",
			func(r *Result) **int64 { return &r.MinRPOMinutes }).Better(calculator.Lower),
		calculator.Result("throughput_for_rpo_mbps",
			"Smallest `throughput_mbps`, before efficiency, that meets the RPO; null if none does.",
			func(r *Result) **float64 { return &r.ThroughputForRPOMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "meets_rpo"),
		calculator.Result("throughput_violation_free_mbps",
			"Smallest `throughput_mbps`, before efficiency, that is violation free; null if none is.",
			func(r *Result) **float64 { return &r.ThroughputViolationFreeMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "violation_free"),
		calculator.Result("max_vm_count",
			"Largest number of VMs that stays violation free, the rest as given; 0 if not even one does, null if any "+
				"number does.",
			func(r *Result) **int64 { return &r.MaxVMCount }).Better(calculator.Higher).
			BoundaryOf("vm_count", "violation_free"),
		calculator.Result("max_daily_change_percent",
			"Largest daily change up to 1,000 percent that stays violation free, the rest as given; null if not even 0 "+
				"does, and with `change_curve`.",
			func(r *Result) **float64 { return &r.MaxDailyChangePercent }).Better(calculator.Higher).
			BoundaryOf("daily_change_percent", "violation_free"),
		calculator.Result("months_until_at_risk",
			"Months until growth ends `violation_free`, a fraction; 0 if it does not hold today, null without growth and if "+
				"it holds to the horizon.",
			func(r *Result) **float64 { return &r.MonthsUntilAtRisk }).Better(calculator.Higher),
		calculator.Result("months_until_miss",
			"Months until growth ends `meets_rpo`, a fraction; 0 if it does not hold today, null without growth and if it "+
				"holds to the horizon.",
			func(r *Result) **float64 { return &r.MonthsUntilMiss }).Better(calculator.Higher),
		calculator.Result("daily_link_use_percent",
			"A day's changes on the wire against what the link carries in a day, in percent.",
			func(r *Result) *float64 { return &r.DailyLinkUsePercent }).Better(calculator.Lower),
	}
}
