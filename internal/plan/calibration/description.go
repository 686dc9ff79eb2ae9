package calibration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// The ranges ensure that every quotient is finite.
var (
	RangeSyncSizeBytes    = plan.Range{Min: 0, Max: 1 << 62, Unit: "bytes"}
	RangeSyncSeconds      = plan.Range{Min: 0, Max: 1e9, Unit: "seconds"}
	RangeIntervalSeconds  = plan.Range{Min: 1, Max: 1e9, Unit: "seconds"}
	RangeTolerancePercent = plan.Range{Min: 0, Max: 100, Unit: "percent"}
)

// The first three reasons indicate optimistic assumptions; the others explain why a comparison is missing.
var (
	reasonThroughput = calculator.NewReason("throughput_below_assumed", "The sync ran at %s, but the plan assumes %s.")
	reasonChange     = calculator.NewReason("daily_change_above_assumed", "The last sync implies a daily change of "+
		"%s%%, but the plan assumes %s%%.")
	reasonDuration = calculator.NewReason("sync_longer_than_estimated", "The sync took %s, but the plan expects at "+
		"most %s.")
	reasonNoSync = calculator.NewReason("no_sync_yet", "There is no sync yet to compare with.")
	reasonShort  = calculator.NewReason("sync_too_short_to_measure", "The sync took %s. Durations are reported in "+
		"whole seconds, so the speed of syncs below %d seconds is not compared.")
	reasonFullCopy = calculator.NewReason("sync_was_full_copy", "The sync sent %s, at least %v%% of the VM's %s, so "+
		"it counts as a full sync instead of a delta.")
)

// Definition describes the replication_calibration calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:    "replication_calibration",
		Command: "calibration",
		Example: "--last-sync-size-bytes 2147483648 --last-sync-duration-seconds 300 --rpo-minutes 15 --vm-size-gib " +
			"1000",
		Title:   "Replication calibration",
		Summary: "Compare a replication's last sync with the plan",
		Description: "Compares the assumptions of a plan with the last sync of a replication, as returned by " +
			"`vsla_replications`. Reports the throughput of the sync, the daily change that it " +
			"implies, and whether the plan was optimistic. Requires no connection and no credentials.\n\n" +
			"Example: with an RPO of 15 minutes, a sync of 2 GiB (17,179,869,184 bit) in 300 s ran at 57.27 Mbit/s. " +
			"Syncs start at most 900 s apart, so the daily change is at least 2 * 86,400 / 900 = 192 GiB, or 19.2% " +
			"of a VM of 1,000 GiB.\n\n" +
			"One sync is one sample of the bandwidth left by other syncs. Whether vSphere Replication reports sizes " +
			"before or after network compression is not documented. The API does not distinguish initial syncs from " +
			"deltas either. A sync of at least half the data of the VM therefore counts as a full sync.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: rows,
	Flag:    &calculator.Flag{Name: "optimistic", Good: false},
	Reasons: []calculator.Reason{
		reasonThroughput, reasonChange, reasonDuration, reasonNoSync, reasonShort, reasonFullCopy,
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Calibrate,
}

const docInterval = "Time between the starts of the last two syncs, in " +
	"seconds. Defaults to the RPO or the duration, whichever is longer: the longest interval that vSphere " +
	"Replication allows. Real intervals may be shorter, which means a higher change rate. Null before the first sync."

var inputs = calculator.Inputs[Input]{
	calculator.Absent("last_sync_size_bytes", RangeSyncSizeBytes,
		"Size of the last sync, in bytes. Null before the first sync.",
		func(in *Input) **float64 { return &in.SizeBytes }).WithExample(float64(2 << 30)).
		Either("a larger sync in the same time means more throughput and more change"),
	calculator.Absent("last_sync_duration_seconds", RangeSyncSeconds,
		"Duration of the last sync, in seconds. Null before the first sync.",
		func(in *Input) **float64 { return &in.Seconds }).
		Either("a longer sync means less throughput and a shorter interval"),
	calculator.Required("rpo_minutes", replication.RangeRPOMinutes,
		"Configured recovery point objective, in minutes.",
		func(in *Input) *float64 { return &in.RPOMinutes }).Better(calculator.Higher),
	calculator.Absent("interval_seconds", RangeIntervalSeconds, docInterval,
		func(in *Input) **float64 { return &in.IntervalSeconds }).Better(calculator.Higher),
	calculator.Absent("vm_size_gib", replication.RangeVMSizeGiB,
		"Data of the VM, in GiB (2^30 bytes). Base of `daily_change_percent`.",
		func(in *Input) **float64 { return &in.VMSizeGiB }).
		Either("it is the base of the change rate and of the threshold for full syncs"),
	calculator.Absent("throughput_mbps", replication.RangeThroughputMbps,
		"Planned throughput of one sync of this replication, in Mbit/s (10^6 bit/s). This is its share of the link if "+
			"several syncs run at a time.",
		func(in *Input) **float64 { return &in.ThroughputMbps }).Better(calculator.Lower),
	calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
		"Planned daily change, in percent.",
		func(in *Input) **float64 { return &in.DailyChangePercent }).Better(calculator.Higher),
	calculator.Absent("peak_factor", replication.RangePeakFactor, "Planned peak factor, as in "+
		"`vsla_replication_estimate`.",
		func(in *Input) **float64 { return &in.PeakFactor }).Better(calculator.Higher),
	calculator.Optional("tolerance_percent", RangeTolerancePercent,
		"Accepted difference between measurement and assumption, in percent. The default is an assumption of vsla.",
		func(in *Input) *float64 { return &in.TolerancePercent }).Better(calculator.Higher),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("effective_throughput_mbps",
		"Throughput of the last sync, in Mbit/s. Null before the first sync, and if the sync was empty or took less "+
			"than one second.",
		func(r *Result) **float64 { return &r.EffectiveThroughputMbps }),
	calculator.Result("interval_seconds", docInterval, func(r *Result) **float64 { return &r.IntervalSeconds }),
	calculator.Result("effective_daily_change_gib",
		"Daily change at the rate of the last sync, in GiB. Null before the first sync and after a full sync.",
		func(r *Result) **float64 { return &r.EffectiveDailyChangeGiB }),
	calculator.Result("effective_daily_change_percent",
		"Daily change at the rate of the last sync, as a percentage of `vm_size_gib`. Null if "+
			"`effective_daily_change_gib` is null or `vm_size_gib` is not set.",
		func(r *Result) **float64 { return &r.EffectiveDailyChangePercent }),
	calculator.Result("estimated_sync_seconds",
		"Planned duration of the longest sync, in seconds, as estimated by `vsla_replication_estimate` for this VM "+
			"alone. Null unless `vm_size_gib`, `throughput_mbps` and `daily_change_percent` are all set.",
		func(r *Result) **float64 { return &r.EstimatedSyncSeconds }).Better(calculator.Higher),
	calculator.Result("optimistic",
		"Whether an assumption of the plan is better than its measurement. Null if nothing could be compared.",
		func(r *Result) **bool { return &r.Optimistic }),
}
