package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges keep every product finite.
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

// The verdicts on a vMotion and on a plan.
const (
	VerdictMeets       = "meets"
	VerdictMisses      = "misses"
	VerdictAtRisk      = "at_risk"
	VerdictUnsupported = "unsupported"
	VerdictNoPromise   = "no_promise"
)

var vmotionVerdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "without any reason"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "with any reason"},
	{
		Code: VerdictUnsupported, Level: calculator.Misses,
		Doc: "below 250 Mbit/s for each migration, above a round trip of 150 ms, or when the copy never ends",
	},
}

// The reasons.
var (
	reasonSDPSExpected = calculator.Reason{
		Code: "sdps_expected",
		Sentence: "The guest dirties memory at %s, more than 80%% of the %s that are left for it: it will be slowed " +
			"down to %s%% of its speed.",
	}
	reasonBelow250Mbps = calculator.Reason{
		Code:     "below_250_mbps_per_migration",
		Sentence: "One migration has %s; vSphere asks for 250 Mbit/s for each concurrent migration.",
	}
	reasonRTTAbove150 = calculator.Reason{
		Code:     "rtt_above_150_ms",
		Sentence: "The round trip takes %s ms; vSphere supports 150 ms (100 ms to VMware Cloud on AWS).",
	}
	reasonSwitchoverAbove1 = calculator.Reason{
		Code:     "switchover_above_1_second",
		Sentence: "The guest stops for %s seconds; above one second, connections of its clients may end.",
	}
	reasonGoalMissed = calculator.Reason{
		Code:     "switchover_goal_missed",
		Sentence: "After %s the guest stops for %s, longer than the goal of %s ms.",
	}
	reasonLongerThanADay = calculator.Reason{
		Code:     "longer_than_a_day",
		Sentence: "The move takes %s, longer than a day: move the disks in another way, or over a faster link.",
	}
	reasonOneThread = calculator.Reason{
		Code: "one_thread",
		Sentence: "One migration has %s, and one thread carries 15 to 18 Gbit/s; vSphere before 7.0 U2 uses one for each " +
			"vMotion adapter. Give threads_mbps.",
	}
	reasonDiskNeverEnds = calculator.Reason{
		Code:     "disk_writes_exceed_throughput",
		Sentence: "The guest writes %s to its disks, as much as one migration's %s carry: the copy never ends.",
	}
)

// VMotionDefinition describes vsla_vmotion_estimate.
var VMotionDefinition = calculator.Definition[VMotionInput, VMotionResult]{
	Names: calculator.Names{
		Name:     "vmotion_estimate",
		Function: "vmotion_estimate",
		Command:  "vmotion",
		Title:    "vMotion",
		Summary:  "How long a vMotion takes, and how long the guest stops",
		Description: "How long a vMotion takes over a link, how long the guest stops, and whether vSphere supports it: " +
			"pre-copy rounds over memory while the guest runs, after the disks when they move too. It needs no connection " +
			"and no credentials.\n\n" +
			"By hand: 8 * 10^9 bytes (7.45 GiB) at 900 Mbit/s, dirtied at 160 Mbit/s, take rounds of 71.1 s, 12.6 s and " +
			"2.2 s; 44.9 MB are left and stop the guest for 0.3995 s; 86.4001 s in all.",
	},
	Default:  VMotionDefaults,
	Inputs:   vmotionInputs,
	Results:  vmotionRows,
	Verdicts: vmotionVerdicts,
	Reasons: []calculator.Reason{
		reasonSDPSExpected, reasonBelow250Mbps, reasonRTTAbove150, reasonSwitchoverAbove1, reasonGoalMissed,
		reasonDiskNeverEnds, reasonLongerThanADay, reasonOneThread,
	},
	Explain: func(r *VMotionResult) *calculator.Explanation { return &r.Explanation },
	Compute: VMotion,
}

// threadsDoc cites KB 323379 for one adapter of 40 Gbit/s, checked 2026-11-23.
const threadsDoc = "What the threads of one vMotion carry at most, in Mbit/s. Before vSphere 7.0 U2 there is one " +
	"for each vMotion adapter: on 40 Gbit/s one carries 18,000, two 28,000 and three 36,000 (Broadcom KB 323379, " +
	"checked 2026-11-23). Without it there is no limit, and above 15,000 Mbit/s the reason `one_thread`."

var vmotionInputs = calculator.Inputs[VMotionInput]{
	calculator.Required("memory_gib", RangeMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(in *VMotionInput) *float64 { return &in.MemoryGiB }).Better(calculator.Lower),
	calculator.Optional("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"How fast the guest dirties memory, in Mbit/s (10^6 bit/s).",
		func(in *VMotionInput) *float64 { return &in.MemoryDirtyMbps }).Better(calculator.Lower),
	calculator.Absent("working_set_gib", RangeWorkingSetGiB,
		"What can be dirty at a time, in GiB. Without it, all of `memory_gib`.",
		func(in *VMotionInput) **float64 { return &in.WorkingSetGiB }).Better(calculator.Lower).WorstIfAbsent(),
	calculator.Optional("disk_gib", RangeDiskGiB, "Disk data to move, in GiB; 0 with shared storage.",
		func(in *VMotionInput) *float64 { return &in.DiskGiB }).Better(calculator.Lower),
	calculator.Optional("disk_write_mbps", RangeDiskWriteMbps,
		"How fast the guest writes to its disks, in Mbit/s; writes are mirrored over the same link while `disk_gib` "+
			"moves.",
		func(in *VMotionInput) *float64 { return &in.DiskWriteMbps }).Better(calculator.Lower),
	calculator.Required("throughput_mbps", RangeThroughputMbps,
		"What the link carries for all migrations together, in Mbit/s.",
		func(in *VMotionInput) *float64 { return &in.ThroughputMbps }).Better(calculator.Higher),
	calculator.Absent("threads_mbps", RangeThroughputMbps, threadsDoc,
		func(in *VMotionInput) **float64 { return &in.ThreadsMbps }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"How `throughput_mbps` is known: `transfer` (measured with whole moves), `network` (measured without the storage "+
			"at its ends) or `nominal` (the rate of a line). It sets how much longer moves usually take; without it no "+
			"band is returned.",
		func(in *VMotionInput) *string { return &in.ThroughputBasis }).Neutral("it adds a band and changes no verdict"),
	calculator.Optional("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds.",
		func(in *VMotionInput) *float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Optional("concurrent_migrations", RangeConcurrentMigrations,
		"Migrations that share the link evenly.",
		func(in *VMotionInput) *float64 { return &in.ConcurrentMigrations }).Better(calculator.Lower),
	calculator.Optional("switchover_goal_ms", RangeSwitchoverGoalMs,
		"How long the guest may stop, in milliseconds. Rounds continue until it stops no longer than that and no longer "+
			"than the second that clients tolerate; the default is half of it.",
		func(in *VMotionInput) *float64 { return &in.SwitchoverGoalMs }).Better(calculator.Higher),
	calculator.Optional("setup_seconds", RangeSetupSeconds, "Fixed cost before data moves, in seconds.",
		func(in *VMotionInput) *float64 { return &in.SetupSeconds }).Better(calculator.Lower),
	calculator.Optional("resume_seconds", RangeResumeSeconds,
		"How long the target takes to resume the guest, in seconds; part of the stop.",
		func(in *VMotionInput) *float64 { return &in.ResumeSeconds }).Better(calculator.Lower),
}

var vmotionRows = calculator.Outputs[VMotionResult]{
	calculator.Result("duration_seconds",
		"Setup, disks, memory and switchover, in seconds; null when the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds }),
	calculator.Result(
		"duration_seconds_80",
		"What 4 of 5 comparable transfers took at most, in seconds: with the basis `transfer` 1.14 times "+
			"`duration_seconds`, with `nominal` 1.87 times the duration at 70 % of `throughput_mbps`. Null otherwise, and "+
			"when the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds80 },
	),
	calculator.Result("duration_seconds_90",
		"What 9 of 10 took at most, in seconds: 1.32 times `duration_seconds` with the basis `transfer`. Null otherwise.",
		func(r *VMotionResult) **float64 { return &r.DurationSeconds90 }),
	calculator.Result("disk_copy_seconds", "Copy of the disks, in seconds; null when it never ends.",
		func(r *VMotionResult) **float64 { return &r.DiskCopySeconds }),
	calculator.Result("memory_copy_seconds",
		"Pre-copy rounds over memory, in seconds; null when the disks never end.",
		func(r *VMotionResult) **float64 { return &r.MemoryCopySeconds }),
	calculator.Result("switchover_seconds",
		"How long the guest stops, round trip and resume included, in seconds; null when the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.SwitchoverSeconds }),
	calculator.Result("precopy_rounds", "Passes over memory while the guest runs; null when the copy never ends.",
		func(r *VMotionResult) **int64 { return &r.PrecopyRounds }),
	calculator.Result("transferred_gib", "All that is sent, in GiB; null when the copy never ends.",
		func(r *VMotionResult) **float64 { return &r.TransferredGiB }),
	calculator.Result("sdps_expected",
		"Whether the guest dirties memory at more than 80 % of the rate, and will be slowed down (stun during page send).",
		func(r *VMotionResult) *bool { return &r.SDPSExpected }),
	calculator.Result("guest_speed_percent",
		"How fast the guest runs meanwhile, in percent; 100 when it is not slowed down. That it is slowed until it "+
			"dirties 80 % of the rate is an assumption.",
		func(r *VMotionResult) *float64 { return &r.GuestSpeedPercent }),
	calculator.Result("meets_switchover_goal",
		"Whether the guest stops no longer than `switchover_goal_ms` and one second, round trip and resume included.",
		func(r *VMotionResult) *bool { return &r.MeetsSwitchoverGoal }),
	calculator.Result("min_throughput_mbps",
		"Smallest `throughput_mbps` at which the guest is not slowed down, at least 250 Mbit/s for each migration, which "+
			"vSphere asks for; null if there is none.",
		func(r *VMotionResult) **float64 { return &r.MinThroughputMbps }),
	calculator.VerdictRow(vmotionVerdicts, func(r *VMotionResult) *string { return &r.Verdict }),
}
