package replication

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
)

// Ranges of inputs. The VMs of an estimate are not simulated, so that their number is hardly limited.
var (
	RangeVMCount            = plan.Range{Min: 1, Max: 1e9, Whole: true, Unit: "VMs", Zero: plan.NoVMs}
	RangeDeadlineHours      = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangeHorizonMonths      = plan.Range{Min: 1, Max: 600, Unit: "months"}
	RangeVMSizeGiB          = promise.RangeVMSizeGiB
	RangeDailyChangePercent = promise.RangeDailyChangePercent
	RangeThroughputMbps     = promise.RangeThroughputMbps
	RangeRPOMinutes         = promise.RangeRPOMinutes
	RangePeakFactor         = promise.RangePeakFactor
)

const (
	// AssumeWholeDay assumes that the daily change occurs in one cycle, which is the worst case and the published
	// method.
	AssumeWholeDay = "whole_day"
	// AssumePeakFactor multiplies the daily mean by PeakFactor.
	AssumePeakFactor = "peak_factor"
	// AssumeCurve evaluates the change curve at the RPO times the peak factor.
	AssumeCurve = "curve"
)

// Values of limited_by.
const (
	LimitedByLink        = "link"
	LimitedBySourceRead  = "source_read"
	LimitedByTargetWrite = "target_write"
)

var reasonDailyChangeOverLink = calculator.NewReason("daily_change_exceeds_link", "A day's changes need %s%% of the "+
	"link's daily capacity, so replication falls further and further behind.")

var reasonDeadlineMissed = calculator.NewReason("deadline_missed", "If all VMs start together, they %s, but the "+
	"deadline is %s.%s")

var (
	reasonSeedCheckNotCounted = calculator.NewReason("seed_check_not_counted", "%s%% of the data is seeded. Seeds are "+
		"compared block by block, which takes time on the storage. Without checksum_mbps, this time is not counted.")
	reasonExtrapolated = calculator.NewReason("change_curve_extrapolated", "The change curve has points from %s to %s "+
		"and is extrapolated: below the first point, the change is proportional to the interval, the least possible; "+
		"above the last point, the curve keeps its slope.")
	reasonCurveSparse = calculator.NewReason("curve_sparse", "Adjacent points of the change curve, %s and %s, differ "+
		"by more than a factor of 8, so interpolation between them is unreliable: measure the change in %s.")
)

// EstimateDefinition describes the replication_estimate calculator.
var EstimateDefinition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:    "replication_estimate",
		Command: "replication",
		Example: "--vm-count 10 --vm-size-gib 100 --daily-change-percent 5 --throughput-mbps 1000 --rpo-minutes 60",
		Title:   "Replication estimate",
		Summary: "Replication times, and the configured RPO that keeps a promised RPO",
		Description: "Estimates how long the initial sync of a group of VMs takes, how long it takes to sync the " +
			"changes of one cycle, whether a promised recovery point objective (RPO) can be kept, and which RPO to " +
			"configure for it. The verdict, the setting, the throughput that is needed and the maxima are those of " +
			"`vsla_sla_plan` for a single tier. Requires no connection and no credentials. The results are known " +
			"during the plan if all inputs are known.\n\n" +
			"vSphere Replication starts each sync at most one configured RPO (N) after the start of the previous " +
			"sync. If the change of N minutes can be sent in at most 0.9 N, a recovery point is at most N plus the " +
			"duration of a sync old. Without `peak_factor` and `change_curve`, the busiest time is likely to change " +
			"3 times the daily mean, and at the worse end, the change of a whole day occurs within one RPO.\n\n" +
			"Example: 15 VMs of 95.367 GiB change by 5% per day: by 7.111 Mbit/s on average. At 440 Mbit/s, measured " +
			"on the network, the worse end is 440 / 1.14 = 386 Mbit/s. The promise of 15 minutes holds with 12 " +
			"minutes configured while the busiest time changes at most 0.9 * 386 / 7.111 = 48.8 times the daily mean.",
	},
	Default:  Defaults,
	Inputs:   inputs,
	Results:  OutcomeRows(),
	Verdicts: promise.Verdicts,
	Reasons: append([]calculator.Reason{
		reasonDailyChangeOverLink,
		reasonDeadlineMissed,
		reasonSeedCheckNotCounted,
		reasonExtrapolated,
		reasonCurveSparse,
	}, promise.Reasons...),
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
		calculator.Points("change_curve", promise.RangeCurveMinutes, promise.RangeCurveGiB,
			"Change of one VM in GiB, by interval in minutes, such as `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. Blocks "+
				"that are rewritten between two syncs are sent only once, so the change grows less than linearly "+
				"with the interval. Between two points, the curve is a straight line on logarithmic axes. Below the "+
				"first point, the change is proportional to the interval. Above the last point, the curve keeps its "+
				"slope.",
			func(in *Input) *map[float64]float64 { return &in.ChangeCurve },
		).Better(calculator.Lower),
		calculator.Required("throughput_mbps", RangeThroughputMbps,
			"Sustained replication throughput, in Mbit/s (10^6 bit/s).",
			func(in *Input) *float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
		calculator.Required("rpo_minutes", RangeRPOMinutes,
			"Promised RPO, in minutes: the maximum age of the newest recovery point that users are promised.",
			func(in *Input) *float64 { return &in.RPOMinutes }).Better(calculator.Higher),
		calculator.Absent("configured_rpo_minutes", RangeRPOMinutes,
			"RPO that vSphere Replication is configured with, in minutes. If not set, the longest setting that keeps "+
				"the promise is used.",
			func(in *Input) **float64 { return &in.ConfiguredRPOMinutes }).
			Either("a shorter setting has younger recovery points, but more syncs"),
		calculator.Optional("min_configured_rpo_minutes", RangeRPOMinutes,
			"Shortest RPO that can be configured, in minutes: 1 with enhanced replication.",
			func(in *Input) *float64 { return &in.MinConfiguredRPOMinutes }).Better(calculator.Lower),
		calculator.Choices("assumed_inputs", promise.AssumableInputs,
			"Names of inputs whose values are not known, but were filled in by a tool. A promise that holds with "+
				"them is at best `at_risk`. Remove a name when its value is known.",
			func(in *Input) *[]string { return &in.AssumedInputs }).Either("it states what is known"),
		calculator.Choice("mechanism", false, promise.Mechanisms, mechanismDoc,
			func(in *Input) *string { return &in.Mechanism }).Neutral("it adds a reason, and changes no verdict"),
	}
}

func assumptionInputs() calculator.Inputs[Input] {
	return calculator.Inputs[Input]{
		calculator.Absent("peak_factor", RangePeakFactor,
			"Ratio of the change rate in the busiest time to the daily mean. `1` means an even distribution. If "+
				"neither this nor `change_curve` is set, the likely value is 3, and the value at the worse end is "+
				"1,440 / `rpo_minutes`, but at least 3. `ongoing_sync_seconds` then assumes that the change of a "+
				"whole day falls into one cycle, as in the published method.",
			func(in *Input) **float64 { return &in.PeakFactor }).Better(calculator.Lower),
		calculator.Optional("efficiency_percent", promise.RangeEfficiencyPercent,
			"Usable share of `throughput_mbps`, in percent. Use 100 for a measured throughput. 70 is a common "+
				"planning value for the nominal rate of a link.",
			func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
		calculator.Optional("compression_ratio", promise.RangeCompressionRatio,
			"Ratio of the original size to the size on the wire.",
			func(in *Input) *float64 { return &in.CompressionRatio }).Better(calculator.Higher),
		calculator.Optional("seeded_percent", promise.RangeSeededPercent,
			"Share of the data that is already at the target before the initial sync, in percent.",
			func(in *Input) *float64 { return &in.SeededPercent }).
			Either("less data is sent, but more is compared"),
		calculator.Optional("overhead_seconds", promise.RangeOverheadSeconds, "Fixed overhead of each sync, in "+
			"seconds.",
			func(in *Input) *float64 { return &in.OverheadSeconds }).Better(calculator.Lower),
		calculator.Absent("checksum_mbps", promise.RangeStorageMbps,
			"Rate at which seeded data is compared, for all VMs together, in Mbit/s of uncompressed data. If not "+
				"set, the time for the comparison is not counted.",
			func(in *Input) **float64 { return &in.ChecksumMbps }).Better(calculator.Higher),
		calculator.Absent("source_read_mbps", promise.RangeStorageMbps,
			"Read rate of the source storage for replication, in Mbit/s of uncompressed data. If not set, there is "+
				"no limit.",
			func(in *Input) **float64 { return &in.SourceReadMbps }).Better(calculator.Higher),
		calculator.Absent("target_write_mbps", promise.RangeStorageMbps,
			"Write rate of the target storage, in Mbit/s of uncompressed data. If not set, there is no limit.",
			func(in *Input) **float64 { return &in.TargetWriteMbps }).Better(calculator.Higher),
		calculator.Optional("target_write_factor", promise.RangeTargetWriteFactor,
			"Number of times that the target writes or reads each replicated byte.",
			func(in *Input) *float64 { return &in.TargetWriteFactor }).Better(calculator.Lower),
		calculator.Absent("deadline_hours", RangeDeadlineHours,
			"Time within which all VMs must be in sync, in hours. If it is missed, the verdict is `misses`.",
			func(in *Input) **float64 { return &in.DeadlineHours }).Better(calculator.Higher),
		calculator.Choice("throughput_basis", false, plan.Bases,
			"Source of `throughput_mbps`: `transfer` (measured transfers of the same kind, such as past syncs or a "+
				"calibration), `network` (measured with iperf or similar) or `nominal` (nominal rate of the line). "+
				"Determines the worse end of the throughput, which 4 of 5 measurements reached or exceeded: divided "+
				"by 1.14 with `transfer` and `network`, and otherwise at an efficiency of at most 70% and divided by "+
				"1.87. Also selects the factors for the results that end in `_80` and `_90`.",
			func(in *Input) *string { return &in.ThroughputBasis }).Either("a measured basis has a better worse end"),
		calculator.Absent("growth_percent_per_year", promise.RangeGrowthPercent,
			"Annual growth of the data and of its daily change, in percent.",
			func(in *Input) **float64 { return &in.GrowthPercentPerYear }).Neutral("the verdict applies to today"),
		calculator.Optional("horizon_months", RangeHorizonMonths, "Period for which growth is evaluated, in months.",
			func(in *Input) *float64 { return &in.HorizonMonths }).Neutral("the verdict applies to today"),
	}
}

// OutcomeRows returns the results of an estimate.
func OutcomeRows() calculator.Outputs[Result] {
	return slices.Concat(durationRows(), cycleRows(), promiseRows())
}

// durationRows describe the initial sync, and the margins of the durations.
func durationRows() calculator.Outputs[Result] {
	return calculator.Outputs[Result]{
		calculator.Result("total_gib", "Data of all VMs, in GiB (`vm_count * vm_size_gib`).",
			func(r *Result) *float64 { return &r.TotalGiB }),
		calculator.Result("initial_sync_seconds", "Duration of the initial sync of all VMs, in seconds.",
			func(r *Result) *float64 { return &r.InitialSyncSeconds }).Better(calculator.Lower),
		calculator.Result("initial_sync_caught_up_seconds",
			"Time until all VMs are in sync, including the changes during the initial sync, in seconds. Null if "+
				"replication never catches up.",
			func(r *Result) **float64 { return &r.InitialSyncCaughtUpSeconds }).Better(calculator.Lower),
		calculator.Result("batch_vm_count",
			"Largest number of VMs that are in sync within `deadline_hours` if they start together. 0 if a single VM "+
				"takes longer. Null without `deadline_hours`.",
			func(r *Result) **int64 { return &r.BatchVMCount }),
		calculator.Result("batches_hours",
			"Time until all VMs are in sync if batches of `batch_vm_count` VMs start one after the other, in hours. "+
				"Null if `batch_vm_count` is 0 or null, or if the replication of all VMs never catches up.",
			func(r *Result) **float64 { return &r.BatchesHours }),
		calculator.Result("deadline_met",
			"Whether all VMs are in sync within `deadline_hours` if they start together. Null without "+
				"`deadline_hours`.",
			func(r *Result) **bool { return &r.DeadlineMet }),
		calculator.Result("initial_sync_seconds_80",
			"Duration of the initial sync with a margin that was sufficient in 4 of 5 comparable measured transfers, "+
				"in seconds. With the bases `transfer` and `network`, 1.14 times `initial_sync_seconds`. With "+
				"`nominal`, 1.87 times the duration at an efficiency of at most 70%. Null without a basis, with "+
				"`change_curve`, and if storage is the limit.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("initial_sync_seconds_90",
			"Duration of the initial sync with a margin that was sufficient in 9 of 10 comparable measured "+
				"transfers, in seconds. With the bases `transfer` and `network`, 1.32 times `initial_sync_seconds`. "+
				"Null if `initial_sync_seconds_80` is null, and with `nominal`.",
			func(r *Result) **float64 { return &r.InitialSyncSeconds90 },
		).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_80", "Like `initial_sync_seconds_80`, but for `ongoing_sync_seconds`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds80 }).Better(calculator.Lower),
		calculator.Result("ongoing_sync_seconds_90", "Like `initial_sync_seconds_90`, but for `ongoing_sync_seconds`.",
			func(r *Result) **float64 { return &r.OngoingSyncSeconds90 }).Better(calculator.Lower),
	}
}

// cycleRows describe the busiest cycle, and what meets the RPO by it.
func cycleRows() calculator.Outputs[Result] {
	return calculator.Outputs[Result]{
		calculator.ResultOf("change_assumption",
			"Assumed change in the busiest cycle: `whole_day` (change of a whole day), `peak_factor` (`peak_factor` "+
				"times the mean) or `curve` (from `change_curve`).",
			[]string{AssumeWholeDay, AssumePeakFactor, AssumeCurve},
			func(r *Result) *string { return &r.ChangeAssumption }),
		calculator.ResultOf("limited_by", "The limiting factor: `link`, `source_read` or `target_write`.",
			[]string{LimitedByLink, LimitedBySourceRead, LimitedByTargetWrite},
			func(r *Result) *string { return &r.LimitedBy }),
		calculator.Result("changed_gib_per_cycle", "Data sent in the busiest cycle, in GiB before compression.",
			func(r *Result) *float64 { return &r.ChangedGiBPerCycle }),
		calculator.Result("ongoing_sync_seconds", "Duration of sending `changed_gib_per_cycle` and overhead, in "+
			"seconds.",
			func(r *Result) *float64 { return &r.OngoingSyncSeconds }),
		calculator.Result("rpo_used_percent", "`ongoing_sync_seconds` as a percentage of the RPO.",
			func(r *Result) *float64 { return &r.RPOUsedPercent }).Better(calculator.Lower),
		calculator.Result("meets_rpo", "Whether `ongoing_sync_seconds` is at most the RPO (published SLA test).",
			func(r *Result) *bool { return &r.MeetsRPO }),
		calculator.Result("violation_free",
			"Whether `ongoing_sync_seconds` is at most half of `rpo_minutes`: the vendor's rule if that RPO is "+
				"configured.",
			func(r *Result) *bool { return &r.ViolationFree }),
		calculator.VerdictRow(promise.Verdicts, func(r *Result) *string { return &r.Verdict }),
		calculator.Result("min_rpo_minutes",
			"Smallest RPO without violations, in whole minutes, at least 5 (at least 1 if `rpo_minutes` is below 5) "+
				"and at most 1,440. With `peak_factor` and without `change_curve`, at most 1,440 / `peak_factor`, "+
				"because a longer cycle at the peak rate would contain more than the change of a whole day. Null if "+
				"there is none.",
			func(r *Result) **int64 { return &r.MinRPOMinutes }).Better(calculator.Lower),
		calculator.Result("throughput_for_rpo_mbps",
			"Smallest `throughput_mbps` that meets the RPO, before `efficiency_percent` is applied. Null if there is "+
				"none.",
			func(r *Result) **float64 { return &r.ThroughputForRPOMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "meets_rpo"),
		calculator.Result("throughput_violation_free_mbps",
			"Smallest `throughput_mbps` without violations, before `efficiency_percent` is applied. Null if there is "+
				"none.",
			func(r *Result) **float64 { return &r.ThroughputViolationFreeMbps }).Better(calculator.Lower).
			BoundaryOf("throughput_mbps", "violation_free"),
		calculator.Result("max_vm_count",
			"Largest number of VMs without violations, with all other inputs unchanged. 0 if a single VM has "+
				"violations. Null if there is no limit.",
			func(r *Result) **int64 { return &r.MaxVMCount }).Better(calculator.Higher).
			BoundaryOf("vm_count", "violation_free"),
	}
}

// promiseRows describe how, with which inputs and for how long the promise holds, and the use of the link.
func promiseRows() calculator.Outputs[Result] {
	return calculator.Outputs[Result]{
		calculator.ResultOf("holds_by", "How the promise holds: `bound` (no recovery point can get older than "+
			"promised), `vendor_rule` (no sync takes longer than half the configured RPO) or `share` (every VM is "+
			"within the promised RPO for 99.9% of the time). Null if it does not hold with likely inputs.",
			[]string{promise.ByBound, promise.ByVendorRule, promise.ByShare},
			func(r *Result) **string { return &r.HoldsBy }),
		calculator.Result("suggested_rpo_minutes", "Longest configured RPO that keeps the promise, in minutes, at "+
			"the worse end of uncertain inputs, or, if there is none, with likely inputs. Null if there is none.",
			func(r *Result) **float64 { return &r.SuggestedRPOMinutes }),
		calculator.Result("throughput_needed_mbps",
			"Smallest `throughput_mbps` at which the promise holds at the worse end of uncertain inputs, with a "+
				"setting of its own. At least the busiest change rate / 0.9. Null if there is none.",
			func(r *Result) **float64 { return &r.ThroughputNeededMbps }).Better(calculator.Lower),
		calculator.Result("max_daily_change_percent",
			"Largest daily change with which the promise holds at the worse end of all other inputs, in percent, "+
				"with the setting `max_daily_change_rpo_minutes`. Null if there is none or no limit, and with "+
				"`change_curve`.",
			func(r *Result) **float64 { return &r.MaxDailyChangePercent }).Better(calculator.Higher),
		calculator.Result("max_daily_change_rpo_minutes",
			"Configured RPO with which `max_daily_change_percent` holds, in minutes.",
			func(r *Result) **float64 { return &r.MaxDailyChangeRPOMinutes }),
		calculator.Result("max_peak_factor",
			"Largest `peak_factor` with which the promise holds at the worse end of all other inputs, with the "+
				"setting `max_peak_rpo_minutes`. Null if there is none or no limit, and with `change_curve` without "+
				"`peak_factor`.",
			func(r *Result) **float64 { return &r.MaxPeakFactor }).Better(calculator.Higher),
		calculator.Result("max_peak_rpo_minutes", "Configured RPO with which `max_peak_factor` holds, in minutes.",
			func(r *Result) **float64 { return &r.MaxPeakRPOMinutes }),
		calculator.Result("months_until_at_risk",
			"Months until growth breaks the promise at the worse end of uncertain inputs, as a decimal number. 0 if "+
				"it does not hold. Null without growth, or if it still holds at the horizon.",
			func(r *Result) **float64 { return &r.MonthsUntilAtRisk }).Better(calculator.Higher),
		calculator.Result("daily_link_use_percent",
			"Data sent per day after compression, as a percentage of the daily capacity of the link.",
			func(r *Result) *float64 { return &r.DailyLinkUsePercent }).Better(calculator.Lower),
	}
}
