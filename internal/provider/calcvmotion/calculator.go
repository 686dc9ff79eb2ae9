// Package calcvmotion is the calculator vsla_vmotion_estimate, as data source and as function vmotion_estimate. The
// arithmetic is in internal/plan/migration.
package calcvmotion

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_vmotion_estimate",
	Function:   "vmotion_estimate",
	Summary:    "How long a vMotion takes, and how long the guest stops",
	Description: "How long a vMotion takes over a link, how long the guest stops, and whether vSphere supports it: pre-copy rounds over memory while the guest runs, after the disks when they move too. It needs no connection and no credentials.\n\n" +
		"By hand: 8 * 10^9 bytes (7.45 GiB) at 900 Mbit/s, dirtied at 160 Mbit/s, take rounds of 71.1 s, 12.6 s and 2.2 s; 44.9 MB are left and stop the guest for 0.3995 s; 86.4001 s in all.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	MemoryGiB            types.Float64 `tfsdk:"memory_gib"`
	MemoryDirtyMbps      types.Float64 `tfsdk:"memory_dirty_mbps"`
	WorkingSetGiB        types.Float64 `tfsdk:"working_set_gib"`
	DiskGiB              types.Float64 `tfsdk:"disk_gib"`
	DiskWriteMbps        types.Float64 `tfsdk:"disk_write_mbps"`
	ThroughputMbps       types.Float64 `tfsdk:"throughput_mbps"`
	RTTMs                types.Float64 `tfsdk:"rtt_ms"`
	ConcurrentMigrations types.Float64 `tfsdk:"concurrent_migrations"`
	SwitchOverGoalMs     types.Float64 `tfsdk:"switchover_goal_ms"`
	SetupSeconds         types.Float64 `tfsdk:"setup_seconds"`
	DurationSeconds      types.Float64 `tfsdk:"duration_seconds"`
	DiskCopySeconds      types.Float64 `tfsdk:"disk_copy_seconds"`
	MemoryCopySeconds    types.Float64 `tfsdk:"memory_copy_seconds"`
	SwitchOverSeconds    types.Float64 `tfsdk:"switchover_seconds"`
	PrecopyRounds        types.Int64   `tfsdk:"precopy_rounds"`
	TransferredGiB       types.Float64 `tfsdk:"transferred_gib"`
	SDPSExpected         types.Bool    `tfsdk:"sdps_expected"`
	GuestSpeedPercent    types.Float64 `tfsdk:"guest_speed_percent"`
	MeetsSwitchOverGoal  types.Bool    `tfsdk:"meets_switchover_goal"`
	MinThroughputMbps    types.Float64 `tfsdk:"min_throughput_mbps"`
	Verdict              types.String  `tfsdk:"verdict"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"memory_gib": calc.Required(migration.RangeMemoryGiB, "Memory in use, in GiB (2^30 bytes)."),
		"memory_dirty_mbps": calc.Optional(
			migration.RangeMemoryDirtyMbps,
			"How fast the guest dirties memory, in Mbit/s (10^6 bit/s). Default 0.",
		),
		"working_set_gib": calc.Optional(
			migration.RangeWorkingSetGiB,
			"What can be dirty at a time, in GiB. Default: all of `memory_gib`.",
		),
		"disk_gib": calc.Optional(
			migration.RangeDiskGiB,
			"Disk data to move, in GiB. Default 0, shared storage.",
		),
		"disk_write_mbps": calc.Optional(
			migration.RangeDiskWriteMbps,
			"How fast the guest writes to its disks, in Mbit/s; writes are mirrored over the same link while `disk_gib` moves. Default 0.",
		),
		"throughput_mbps": calc.Required(
			migration.RangeThroughputMbps,
			"What the link carries for all migrations together, in Mbit/s.",
		),
		"rtt_ms": calc.Optional(migration.RangeRTTMs, "Round-trip time, in milliseconds. Default 0."),
		"concurrent_migrations": calc.Optional(
			migration.RangeConcurrentMigrations,
			"Migrations that share the link evenly. Default 1.",
		),
		"switchover_goal_ms": calc.Optional(
			migration.RangeSwitchOverGoalMs,
			"How long the guest may stop for the rest of its memory, in milliseconds. Default 500: half of the second that clients bear.",
		),
		"setup_seconds": calc.Optional(
			migration.RangeSetupSeconds,
			"Fixed cost before data moves, in seconds. Default 0.",
		),
		"duration_seconds": calc.Output(
			"Setup, disks, memory and switch-over, in seconds; null when the copy never ends.",
		),
		"disk_copy_seconds":   calc.Output("Copy of the disks, in seconds; null when it never ends."),
		"memory_copy_seconds": calc.Output("Pre-copy rounds over memory, in seconds; null when the disks never end."),
		"switchover_seconds": calc.Output(
			"How long the guest stops, round trip included, in seconds; null when the copy never ends.",
		),
		"precopy_rounds": schema.Int64Attribute{
			MarkdownDescription: "Passes over memory while the guest runs; null when the copy never ends.",
			Computed:            true,
		},
		"transferred_gib": calc.Output("All that is sent, in GiB; null when the copy never ends."),
		"sdps_expected": schema.BoolAttribute{
			MarkdownDescription: "Whether the guest dirties memory faster than it can be sent, and will be slowed down (stun during page send).",
			Computed:            true,
		},
		"guest_speed_percent": calc.Output(
			"How fast the guest runs meanwhile, in percent; 100 when it is not slowed down. That it is slowed until it dirties 80 % of the rate is an assumption.",
		),
		"meets_switchover_goal": schema.BoolAttribute{
			MarkdownDescription: "Whether the guest stops no longer than `switchover_goal_ms`, round trip included.",
			Computed:            true,
		},
		"min_throughput_mbps": calc.Output(
			"Smallest `throughput_mbps` at which the copy converges without slowing the guest; null if none does.",
		),
		"verdict": schema.StringAttribute{
			MarkdownDescription: "`ok`; `at_risk` with any reason; `unsupported` below 250 Mbit/s for each migration, above a round trip of 150 ms, or when the copy never ends.",
			Computed:            true,
		},
	}, "`sdps_expected`, `below_250_mbps_per_migration`, `rtt_above_150_ms`, `switchover_above_1_second`, `switchover_goal_missed`, `disk_writes_exceed_throughput`")
}

func compute(m *model) error {
	in := migration.VMotionDefaults()
	in.MemoryGiB, in.ThroughputMbps = m.MemoryGiB.ValueFloat64(), m.ThroughputMbps.ValueFloat64()
	in.WorkingSetGiB = m.WorkingSetGiB.ValueFloat64Pointer()
	calc.Set(&in.MemoryDirtyMbps, m.MemoryDirtyMbps)
	calc.Set(&in.DiskGiB, m.DiskGiB)
	calc.Set(&in.DiskWriteMbps, m.DiskWriteMbps)
	calc.Set(&in.RTTMs, m.RTTMs)
	calc.Set(&in.ConcurrentMigrations, m.ConcurrentMigrations)
	calc.Set(&in.SwitchOverGoalMs, m.SwitchOverGoalMs)
	calc.Set(&in.SetupSeconds, m.SetupSeconds)
	r, err := migration.VMotion(in)
	if err != nil {
		return err
	}
	m.DurationSeconds = types.Float64PointerValue(r.DurationSeconds)
	m.DiskCopySeconds = types.Float64PointerValue(r.DiskCopySeconds)
	m.MemoryCopySeconds = types.Float64PointerValue(r.MemoryCopySeconds)
	m.SwitchOverSeconds = types.Float64PointerValue(r.SwitchOverSeconds)
	m.PrecopyRounds = types.Int64PointerValue(r.PrecopyRounds)
	m.TransferredGiB = types.Float64PointerValue(r.TransferredGiB)
	m.SDPSExpected = types.BoolValue(r.SDPSExpected)
	m.GuestSpeedPercent = types.Float64Value(r.GuestSpeedPercent)
	m.MeetsSwitchOverGoal = types.BoolValue(r.MeetsSwitchOverGoal)
	m.MinThroughputMbps = types.Float64PointerValue(r.MinThroughputMbps)
	m.Verdict = types.StringValue(r.Verdict)
	m.Explain(r.Findings, r.Summary)
	return nil
}
