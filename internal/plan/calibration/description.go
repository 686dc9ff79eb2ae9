// The description of the calibration.

package calibration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// The ranges of the inputs; they keep every quotient finite.
var (
	RangeSyncSizeBytes     = plan.Range{Min: 0, Max: 1 << 62, Unit: "bytes"}
	RangeSyncSeconds       = plan.Range{Min: 0, Max: 1e9, Unit: "seconds"}
	RangeIntervalSeconds   = plan.Range{Min: 1, Max: 1e9, Unit: "seconds"}
	RangeCompliancePercent = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeTolerancePercent  = plan.Range{Min: 0, Max: 100, Unit: "percent"}
)

// The reasons. Each of the first three makes an assumption optimistic; each of the others is why something is not
// judged.
var (
	reasonThroughput = calculator.Reason{
		Code:     "throughput_below_assumed",
		Sentence: "The sync ran at %s, and the plan assumes %s.",
	}
	reasonChange = calculator.Reason{
		Code:     "daily_change_above_assumed",
		Sentence: "At the pace of the last sync %s %% change in a day, and the plan assumes %s %%.",
	}
	reasonDuration = calculator.Reason{
		Code:     "sync_longer_than_estimated",
		Sentence: "The sync took %s, and the plan's busiest one takes %s.",
	}
	reasonCompliance = calculator.Reason{
		Code:     "compliance_below_replayed",
		Sentence: "The measured compliance is %s %%, and the schedule reaches %s %% with the measured change.",
	}
	reasonNoSync = calculator.Reason{
		Code:     "no_sync_yet",
		Sentence: "There was no sync yet, so there is nothing to compare with.",
	}
	reasonShort = calculator.Reason{
		Code: "sync_too_short_to_measure",
		Sentence: "The sync took %s, and durations are reported in whole seconds: below %d seconds its speed is " +
			"not judged.",
	}
	reasonFullCopy = calculator.Reason{
		Code:     "sync_was_full_copy",
		Sentence: "The sync sent %s, at least %v %% of the VM's %s: it is taken for a full sync and not for a delta.",
	}
)

// Definition describes vsla_replication_calibration.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "replication_calibration",
		Function: "replication_calibration",
		Command:  "calibration",
		Title:    "Replication calibration",
		Summary:  "How a replication's last sync compares with the plan",
		Description: "Compares what a plan assumes of one replication with its last sync, as `vsla_replication_status` and " +
			"`vsla_replications` report it: how fast the sync was, how much of the VM's data changes in a day at that " +
			"pace, how long a sync takes by the plan, and whether the plan was optimistic. It needs no connection and no " +
			"credentials.\n\n" +
			"By hand: RPO 15 minutes, a sync of 2 GiB (17,179,869,184 bit) in 300 s ran at 57.27 Mbit/s. Two starts are " +
			"900 - 1.2 * 300 = 540 s apart, as `vsla_replication_schedule` plans them, so a day brings 2 * 86,400 / 540 = " +
			"320 GiB, 32 % of a VM with 1,000 GiB.\n\n" +
			"One sync is one sample, of the share of the link that it got while others ran. Whether vSphere Replication " +
			"reports sizes before or after network compression is not documented. The API does not tell an initial sync " +
			"from a delta either: a sync of at least half the VM's data is taken for a full sync.\n\n" +
			"With `compliance_percent` a measured period is replayed: `vsla_replication_schedule` simulates VMs that are " +
			"alike with the measured `change_curve` and `hourly_weights` of `vsla_replication_history` on a link of " +
			"`throughput_mbps`, and `compliance_difference_points` is how far the measured compliance is from its own.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: rows,
	Flag:    &calculator.Flag{Name: "optimistic", Good: false},
	Reasons: []calculator.Reason{
		reasonThroughput, reasonChange, reasonDuration, reasonCompliance, reasonNoSync, reasonShort, reasonFullCopy,
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Calibrate,
}

const docInterval = "Time between the start of the last sync and the start of the one before, where it is known, in " +
	"seconds. Otherwise the RPO less 1.2 times the duration, but no less than the duration, as " +
	"`vsla_replication_schedule` plans it. Real ones may be shorter, and the change is higher then. Null before the " +
	"first sync."

var inputs = calculator.Inputs[Input]{
	calculator.Absent("last_sync_size_bytes", RangeSyncSizeBytes,
		"Size of the last sync, in bytes; null before the first.",
		func(in *Input) **float64 { return &in.SizeBytes }).WithExample(float64(2 << 30)).
		Either("a measurement: more is a faster sync, and more change"),
	calculator.Absent("last_sync_duration_seconds", RangeSyncSeconds,
		"Duration of the last sync, in seconds; null before the first.",
		func(in *Input) **float64 { return &in.Seconds }).WithExample(300.0).
		Either("a measurement: longer is a slower sync, and a shorter interval"),
	calculator.Required("rpo_minutes", replication.RangeRPOMinutes,
		"Configured recovery point objective, in minutes.",
		func(in *Input) *float64 { return &in.RPOMinutes }).WithExample(15.0).Better(calculator.Higher),
	calculator.Absent("interval_seconds", RangeIntervalSeconds, docInterval,
		func(in *Input) **float64 { return &in.IntervalSeconds }).Better(calculator.Higher),
	calculator.Absent("vm_size_gib", replication.RangeVMSizeGiB,
		"Data of the VM, in GiB (2^30 bytes): what `daily_change_percent` is a share of.",
		func(in *Input) **float64 { return &in.VMSizeGiB }).WithExample(1000.0).
		Either("it divides the measured change, and decides what is a full sync"),
	calculator.Absent("throughput_mbps", replication.RangeThroughputMbps,
		"Throughput that the plan assumes for a sync of this replication, in Mbit/s (10^6 bit/s): its share, where "+
			"several run at a time.",
		func(in *Input) **float64 { return &in.ThroughputMbps }).Better(calculator.Lower),
	calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
		"What the plan assumes to change in a day, in percent.",
		func(in *Input) **float64 { return &in.DailyChangePercent }).Better(calculator.Higher),
	calculator.Absent("peak_factor", replication.RangePeakFactor, "The plan's; see `vsla_replication_estimate`.",
		func(in *Input) **float64 { return &in.PeakFactor }).Better(calculator.Higher),
	calculator.Absent("compliance_percent", RangeCompliancePercent,
		"Measured compliance of a period, in percent: `vsla_replication_history` returns it. It asks for the replay, which "+
			"needs `throughput_mbps`, `vm_size_gib`, and `change_curve` or `daily_change_percent`. `throughput_mbps` is that "+
			"of the link then.",
		func(in *Input) **float64 { return &in.CompliancePercent }).Either("a measurement, which asks for the replay").
		Simulates(),
	calculator.Optional("vm_count", replication.RangeScheduleVMCount,
		"For the replay: number of VMs that are alike and share the link.",
		func(in *Input) *float64 { return &in.VMCount }).Better(calculator.Higher),
	calculator.Points("change_curve", replication.RangeCurveMinutes, replication.RangeCurveGiB,
		"For the replay: how many GiB of one VM change in a number of minutes, as measured.",
		func(in *Input) *map[float64]float64 { return &in.ChangeCurve }).Better(calculator.Higher),
	calculator.HourList("hourly_weights", replication.RangeHourlyWeight,
		"For the replay: how the day's change is spread, as measured.",
		func(in *Input) *[]float64 { return &in.HourlyWeights }).Either("a profile: only its proportions count"),
	calculator.Optional(
		"replay_days",
		replication.RangeDays,
		"For the replay: days to simulate, at least four times the RPO. Two more come before them and are not counted, as "+
			"far as the schedule takes them.",
		func(in *Input) *float64 { return &in.Days },
	).Neutral("the length of a run that has settled"),
	calculator.Switch("start_together",
		"For the replay: whether the VMs sync at the same moments at the beginning, as VMs that are alike do when they were "+
			"configured together. Otherwise their syncs are spread evenly over the RPO.",
		func(in *Input) *bool { return &in.StartTogether }).
		Either("syncs at the same moments collide, and may drift apart"),
	calculator.Optional("tolerance_percent", RangeTolerancePercent,
		"How far a measurement may be from an assumption before that counts as optimistic, in percent. The default is "+
			"an assumption.",
		func(in *Input) *float64 { return &in.TolerancePercent }).Better(calculator.Higher),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("effective_throughput_mbps",
		"How fast the last sync was, in Mbit/s; null before the first, for an empty one, and below one second.",
		func(r *Result) **float64 { return &r.EffectiveThroughputMbps }),
	calculator.Result("interval_seconds", docInterval, func(r *Result) **float64 { return &r.IntervalSeconds }),
	calculator.Result("effective_daily_change_gib",
		"How much changes in a day at the pace of the last sync, in GiB; null before the first and after a full sync.",
		func(r *Result) **float64 { return &r.EffectiveDailyChangeGiB }),
	calculator.Result("effective_daily_change_percent",
		"How much of `vm_size_gib` changes in a day at the pace of the last sync, in percent.",
		func(r *Result) **float64 { return &r.EffectiveDailyChangePercent }),
	calculator.Result("estimated_sync_seconds",
		"How long the busiest sync takes by the plan, in seconds: `vsla_replication_estimate` of this VM alone. Null "+
			"without `vm_size_gib`, `throughput_mbps` and `daily_change_percent`.",
		func(r *Result) **float64 { return &r.EstimatedSyncSeconds }).Better(calculator.Higher),
	calculator.Result("replayed_compliance_percent",
		"Compliance that the schedule reaches in the replay, in percent, with lateness as it is and not in whole minutes; "+
			"null without `compliance_percent`.",
		func(r *Result) **float64 { return &r.ReplayedCompliancePercent }),
	calculator.Result("compliance_difference_points",
		"`compliance_percent` less that, in percentage points. Below -1 the plan is optimistic.",
		func(r *Result) **float64 { return &r.ComplianceDifference }),
	calculator.Result("optimistic",
		"Whether one of the plan's assumptions is better than what was measured; null when none could be compared.",
		func(r *Result) **bool { return &r.Optimistic }),
}
