package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges ensure that every product is finite.
var (
	RangeMemoryGiB            = plan.Range{Min: 1e-6, Max: 1e9, Unit: "GiB"}
	RangeMemoryDirtyMbps      = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeWorkingSetGiB        = plan.Range{Min: 0, Max: 1e9, Unit: "GiB"}
	RangeDiskGiB              = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
	RangeDiskWriteMbps        = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeThroughputMbps       = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeRTTMs                = plan.Range{Min: 0, Max: 1e7, Unit: "ms"}
	RangeConcurrentMigrations = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "migrations"}
	RangeSwitchoverGoalMs     = plan.Range{Min: 1, Max: 1e6, Unit: "ms"}
	RangeResumeSeconds        = plan.Range{Min: 0, Max: 1e6, Unit: "seconds"}
	RangeSetupSeconds         = plan.Range{Min: 0, Max: 1e9, Unit: "seconds"}
)

// Verdicts on a vMotion and on a plan in addition to those of plan.Level.
const (
	VerdictUnsupported = "unsupported"
	VerdictNoPromise   = "no_promise"
)

var vmotionVerdicts = []calculator.Verdict{
	{Code: plan.Meets, Level: plan.Meets, Doc: "if `reasons` is empty"},
	{Code: plan.AtRisk, Level: plan.AtRisk, Doc: "if `reasons` is not empty and the migration is supported"},
	{
		Code:  VerdictUnsupported,
		Level: plan.Misses,
		Doc:   "if a migration has less than 250 Mbit/s, the round-trip time is above 150 ms, or the copy never ends",
	},
}

var (
	reasonDirtyRateUnknown = calculator.NewReason("dirty_rate_unknown", "It is not known how fast the memory of %s "+
		"changes. The stop counts as at least the round-trip time plus 0.2 s, and can be longer: set "+
		"memory_dirty_mbps.")
	reasonConcurrencyNotMeasured = calculator.NewReason("concurrency_not_measured", "%s vMotions at a time count with "+
		"the fixed cost of one. The one published series takes 252, 237, 205 and 302 s with 1, 2, 4 and 8 at a time, "+
		"so more than 4 can be slower than calculated: measure them, or move fewer at a time.")
	reasonSDPSExpected = calculator.NewReason("sdps_expected", "The guest dirties memory at %s, more than 80%% of "+
		"the %s available for it, so it is slowed down to %s%% of its speed.")
	reasonBelow250Mbps = calculator.NewReason("below_250_mbps_per_migration", "One migration has %s, but vSphere "+
		"requires 250 Mbit/s for each concurrent migration.")
	reasonRTTAbove150 = calculator.NewReason("rtt_above_150_ms", "The round trip takes %s ms, but vSphere supports at "+
		"most 150 ms (100 ms to VMware Cloud on AWS).")
	reasonSwitchoverAbove1 = calculator.NewReason("switchover_above_1_second", "The guest stops for %s seconds; above "+
		"one second, client connections can be lost.")
	reasonGoalMissed = calculator.NewReason("switchover_goal_missed", "After %s, the guest stops for %s, longer than "+
		"the goal of %s ms.")
	reasonLongerThanADay = calculator.NewReason("longer_than_a_day", "The migration takes %s, longer than a day: move "+
		"the disks in another way, or over a faster link.")
	reasonOneThread = calculator.NewReason("one_thread", "One migration has %s, but one thread carries 15 to 18 "+
		"Gbit/s, and vSphere before 7.0 U2 uses one for each vMotion adapter. Set threads_mbps.")
	reasonDiskNeverEnds = calculator.NewReason("disk_writes_exceed_throughput", "The guest writes %s to its disks, as "+
		"much as the %s of one migration: the copy never ends.")
)

// VMotionDefinition describes the vmotion_estimate calculator.
var VMotionDefinition = calculator.Definition[VMotionInput, VMotionResult]{
	Names: calculator.Names{
		Name:    "vmotion_estimate",
		Command: "vmotion",
		Example: "--memory-gib 100 --throughput-mbps 1000",
		Title:   "vMotion",
		Summary: "Duration of a vMotion, and stop time of the guest",
		Description: "Estimates how long a vMotion takes over a link, how long the guest is stopped, and whether " +
			"vSphere supports the migration. Disks that move are copied first. Memory is then copied in pre-copy " +
			"rounds while the guest runs. Requires no connection and no credentials.\n\n" +
			"Example: a guest with 8 * 10^9 bytes (7.45 GiB) of memory dirties it at 160 Mbit/s. At 900 Mbit/s, the " +
			"pre-copy rounds take 71.1 s, 12.6 s and 2.2 s. The guest is then stopped for 0.3995 s to send the " +
			"remaining 44.9 MB. The migration takes 86.4001 s in total.",
	},
	Default:  VMotionDefaults,
	Inputs:   vmotionInputs,
	Results:  vmotionRows,
	Verdicts: vmotionVerdicts,
	Reasons: []calculator.Reason{
		reasonSDPSExpected,
		reasonBelow250Mbps,
		reasonRTTAbove150,
		reasonSwitchoverAbove1,
		reasonGoalMissed,
		reasonDiskNeverEnds,
		reasonLongerThanADay,
		reasonOneThread,
		reasonDirtyRateUnknown,
		reasonConcurrencyNotMeasured,
	},
	Explain: func(r *VMotionResult) *calculator.Explanation { return &r.Explanation },
	Compute: VMotion,
}

const unknownDirtyDoc = "If not set, it counts as 0 and the stop as at least the round-trip time plus 0.2 seconds " +
	"(assumption of this project), and `reasons` contains `dirty_rate_unknown`."

const threadsDoc = "Maximum rate of the threads of one vMotion, in Mbit/s. Before vSphere 7.0 U2, vMotion uses one " +
	"thread per vMotion adapter. On a 40 Gbit/s adapter, one thread reaches 18,000 Mbit/s, two reach 28,000 Mbit/s " +
	"and three reach 36,000 Mbit/s (Broadcom KB 323379, checked 2026-11-23). If not set, there is no limit, and " +
	"`reasons` contains `one_thread` if the rate of one vMotion is above 15,000 Mbit/s."

var vmotionInputs = calculator.Inputs[VMotionInput]{
	calculator.Required("memory_gib", RangeMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(in *VMotionInput) *float64 { return &in.MemoryGiB }).Better(calculator.Lower),
	calculator.Absent("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"Rate at which the guest dirties memory, in Mbit/s (10^6 bit/s). "+unknownDirtyDoc,
		func(in *VMotionInput) **float64 { return &in.MemoryDirtyMbps }).Better(calculator.Lower),
	calculator.Absent("working_set_gib", RangeWorkingSetGiB,
		"Amount of memory that the guest rewrites repeatedly, in GiB. No pre-copy round after the first sends more "+
			"than this. Defaults to `memory_gib`.",
		func(in *VMotionInput) **float64 { return &in.WorkingSetGiB }).Better(calculator.Lower).WorstIfAbsent(),
	calculator.Optional("disk_gib", RangeDiskGiB, "Amount of disk data to move, in GiB. Use 0 for shared storage.",
		func(in *VMotionInput) *float64 { return &in.DiskGiB }).Better(calculator.Lower),
	calculator.Optional("disk_write_mbps", RangeDiskWriteMbps,
		"Rate at which the guest writes to its disks, in Mbit/s. If disks move, their writes are mirrored over the "+
			"same link until the guest is stopped. Ignored if `disk_gib` is 0.",
		func(in *VMotionInput) *float64 { return &in.DiskWriteMbps }).Better(calculator.Lower),
	calculator.Required("throughput_mbps", RangeThroughputMbps,
		"Throughput of the link for all migrations together, in Mbit/s.",
		func(in *VMotionInput) *float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.Absent("threads_mbps", RangeThroughputMbps, threadsDoc,
		func(in *VMotionInput) **float64 { return &in.ThreadsMbps }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of `throughput_mbps`: `transfer` (measured migrations), `network` (measured with iperf or similar) or "+
			"`nominal` (nominal rate of the line). Selects the factors for `duration_seconds_80` and "+
			"`duration_seconds_90`.",
		func(in *VMotionInput) *string { return &in.ThroughputBasis }).Neutral("it adds a band and changes no verdict"),
	calculator.Optional("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds.",
		func(in *VMotionInput) *float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Optional("concurrent_migrations", RangeConcurrentMigrations,
		"Number of migrations that share the link evenly.",
		func(in *VMotionInput) *float64 { return &in.ConcurrentMigrations }).Better(calculator.Lower),
	calculator.Optional("switchover_goal_ms", RangeSwitchoverGoalMs,
		"Maximum stop time of the guest, in milliseconds. Values above 1,000 have the same effect as 1,000, because "+
			"client connections can be lost after one second. Pre-copy rounds continue until the stop time, including "+
			"round trip and resume, is within the goal. If round trip and resume alone take that long, the goal is "+
			"missed, and the rounds continue until the remaining memory can be sent within this time.",
		func(in *VMotionInput) *float64 { return &in.SwitchoverGoalMs }).Better(calculator.Higher),
	calculator.Optional("setup_seconds", RangeSetupSeconds, "Fixed overhead before data is sent, in seconds.",
		func(in *VMotionInput) *float64 { return &in.SetupSeconds }).Better(calculator.Lower),
	calculator.Optional("resume_seconds", RangeResumeSeconds,
		"Time that the target host requires to resume the guest, in seconds. Included in the stop time.",
		func(in *VMotionInput) *float64 { return &in.ResumeSeconds }).Better(calculator.Lower),
}

var vmotionRows = calculator.Outputs[VMotionResult]{
	calculator.Result("duration_seconds",
		"Total duration of setup, disk copy, memory copy and switchover, in seconds. Null if the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds }),
	calculator.Result(
		"duration_seconds_80",
		"Duration with a margin that was sufficient in 4 of 5 comparable measured transfers, in seconds. With the "+
			"basis `transfer`, 1.14 times `duration_seconds`. With `nominal`, 1.87 times the duration at 70% of "+
			"`throughput_mbps`. Null with other bases, for a guest that writes, and if the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds80 },
	),
	calculator.Result("duration_seconds_90",
		"Duration with a margin that was sufficient in 9 of 10 comparable measured transfers, in seconds. With the "+
			"basis `transfer`, 1.32 times `duration_seconds`. Null if `duration_seconds_80` is null, and with "+
			"`nominal`.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds90 }),
	calculator.Result("disk_copy_seconds", "Duration of the disk copy, in seconds. Null if the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.DiskCopySeconds }),
	calculator.Result("memory_copy_seconds",
		"Duration of all pre-copy rounds over memory, in seconds. Null if the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.MemoryCopySeconds }),
	calculator.Result("switchover_seconds",
		"Stop time of the guest, including round trip and resume, in seconds. Null if the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.SwitchoverSeconds }),
	calculator.Result("precopy_rounds", "Number of pre-copy rounds over memory. Null if the copy never ends.",
		func(r *VMotionResult) **int64 { return &r.PrecopyRounds }),
	calculator.Result("transferred_gib", "Amount of data sent, including mirrored disk writes, in GiB. Null if the "+
		"copy never ends.",
		func(r *VMotionResult) **float64 { return &r.TransferredGiB }),
	calculator.Result("sdps_expected",
		"Whether vMotion is expected to slow the guest down (stun during page send, SDPS). `true` if the guest "+
			"dirties memory at more than 80% of the rate available for memory, unless its working set can be sent "+
			"within the stop time.",
		func(r *VMotionResult) *bool { return &r.SDPSExpected },
	),
	calculator.Result("guest_speed_percent",
		"Speed of the guest during the memory copy, in percent of its normal speed. Assumes that vMotion slows the "+
			"guest down until it dirties memory at 80% of the rate available for memory.",
		func(r *VMotionResult) *float64 { return &r.GuestSpeedPercent }),
	calculator.Result("meets_switchover_goal",
		"Whether the stop time of the guest, including round trip and resume, is at most `switchover_goal_ms` and at "+
			"most one second.",
		func(r *VMotionResult) *bool { return &r.MeetsSwitchoverGoal }),
	calculator.Result("min_throughput_mbps",
		"Smallest `throughput_mbps` at which the guest is not slowed down. At least 250 Mbit/s per migration, as "+
			"required by vSphere. Null if no throughput is sufficient.",
		func(r *VMotionResult) **float64 { return &r.MinThroughputMbps }),
	calculator.VerdictRow(vmotionVerdicts, func(r *VMotionResult) *string { return &r.Verdict }),
}
