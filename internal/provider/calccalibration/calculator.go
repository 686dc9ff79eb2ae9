// Package calccalibration is the calculator vsla_replication_calibration, as data source and as function
// replication_calibration. The arithmetic is in internal/plan/calibration.
package calccalibration

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_replication_calibration",
	Function:   "replication_calibration",
	Summary:    "What a replication's last sync says about the plan",
	Description: "Compares what a plan assumes of one replication with its last sync, as `vsla_replication_status` and `vsla_replications` report it: how fast the sync was, how much of the VM's data " +
		"changes in a day at that pace, how long a sync takes by the plan, and whether the plan was optimistic. It needs no connection and no credentials.\n\n" +
		"By hand: RPO 15 minutes, a sync of 2 GiB (17,179,869,184 bit) in 300 s ran at 57.27 Mbit/s. The longest distance of two starts that keeps the RPO is 900 - 300 = 600 s, so a day brings " +
		"2 * 86,400 / 600 = 288 GiB, 28.8 % of a VM with 1,000 GiB.\n\n" +
		"One sync is one sample, of the share of the link that it got while others ran. Whether vSphere Replication reports sizes before or after network compression is not documented. " +
		"The API does not tell the initial sync from changes either: a sync of at least half the VM's data is taken for a full copy.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	SizeBytes          types.Float64 `tfsdk:"last_sync_size_bytes"`
	Seconds            types.Float64 `tfsdk:"last_sync_duration_seconds"`
	RPOMinutes         types.Float64 `tfsdk:"rpo_minutes"`
	IntervalSeconds    types.Float64 `tfsdk:"interval_seconds"`
	VMSizeGiB          types.Float64 `tfsdk:"vm_size_gib"`
	ThroughputMbps     types.Float64 `tfsdk:"throughput_mbps"`
	DailyChangePercent types.Float64 `tfsdk:"daily_change_percent"`
	PeakFactor         types.Float64 `tfsdk:"peak_factor"`
	TolerancePercent   types.Float64 `tfsdk:"tolerance_percent"`

	EffectiveThroughputMbps     types.Float64 `tfsdk:"effective_throughput_mbps"`
	EffectiveDailyChangeGiB     types.Float64 `tfsdk:"effective_daily_change_gib"`
	EffectiveDailyChangePercent types.Float64 `tfsdk:"effective_daily_change_percent"`
	EstimatedSyncSeconds        types.Float64 `tfsdk:"estimated_sync_seconds"`
	Optimistic                  types.Bool    `tfsdk:"optimistic"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"last_sync_size_bytes": calc.Optional(
			calibration.RangeSyncSizeBytes,
			"Size of the last sync, in bytes; null before the first.",
		),
		"last_sync_duration_seconds": calc.Optional(
			calibration.RangeSyncSeconds,
			"Duration of the last sync, in seconds; null before the first.",
		),
		"rpo_minutes": calc.Required(
			replication.RangeRPOMinutes,
			"Configured recovery point objective, in minutes.",
		),
		"interval_seconds": calc.Either(
			calibration.RangeIntervalSeconds,
			"Time between the start of the last sync and the start of the one before, where it is known, in seconds. "+
				"Otherwise the longest that the RPO allows: the RPO less the duration, but no less than the duration. Real ones are shorter, and the change is higher then. Null before the first sync.",
		),
		"vm_size_gib": calc.Optional(
			replication.RangeVMSizeGiB,
			"Data of the VM, in GiB (2^30 bytes): what `daily_change_percent` is a share of.",
		),
		"throughput_mbps": calc.Optional(
			replication.RangeThroughputMbps,
			"What the plan gives to a sync of this replication, in Mbit/s (10^6 bit/s): its share, where several run at a time.",
		),
		"daily_change_percent": calc.Optional(
			replication.RangeDailyChangePercent,
			"What the plan assumes to change in a day, in percent.",
		),
		"peak_factor": calc.Optional(replication.RangePeakFactor, "The plan's; see `vsla_replication_estimate`."),
		"tolerance_percent": calc.Optional(
			calibration.RangeTolerancePercent,
			"How far a measurement may be from an assumption before that counts as optimistic, in percent. Default 10, an assumption.",
		),

		"effective_throughput_mbps": calc.Output(
			"How fast the last sync was, in Mbit/s; null before the first, for an empty one, and below one second.",
		),
		"effective_daily_change_gib": calc.Output(
			"How much changes in a day at the pace of the last sync, in GiB; null before the first and after a full copy.",
		),
		"effective_daily_change_percent": calc.Output("The same of `vm_size_gib`, in percent."),
		"estimated_sync_seconds": calc.Output(
			"How long the busiest sync takes by the plan, in seconds: `vsla_replication_estimate` of this VM alone. Null without `vm_size_gib`, `throughput_mbps` and `daily_change_percent`.",
		),
		"optimistic": schema.BoolAttribute{
			MarkdownDescription: "Whether one of the plan's assumptions is better than what was measured; null when none could be compared.",
			Computed:            true,
		},
	}, "`throughput_below_assumed`, `daily_change_above_assumed` and `sync_longer_than_estimated` make the plan optimistic; `no_sync_yet`, `sync_too_short_to_measure` (below 10 seconds) and "+
		"`sync_was_full_copy` are why something was not compared")
}

func compute(m *model) error {
	in := calibration.Defaults()
	in.SizeBytes, in.Seconds = m.SizeBytes.ValueFloat64Pointer(), m.Seconds.ValueFloat64Pointer()
	in.RPOMinutes, in.IntervalSeconds = m.RPOMinutes.ValueFloat64(), m.IntervalSeconds.ValueFloat64Pointer()
	in.VMSizeGiB, in.ThroughputMbps = m.VMSizeGiB.ValueFloat64Pointer(), m.ThroughputMbps.ValueFloat64Pointer()
	in.DailyChangePercent, in.PeakFactor = m.DailyChangePercent.ValueFloat64Pointer(), m.PeakFactor.ValueFloat64Pointer()
	calc.Set(&in.TolerancePercent, m.TolerancePercent)
	r, err := calibration.Calibrate(in)
	if err != nil {
		return err
	}
	m.EffectiveThroughputMbps = types.Float64PointerValue(r.EffectiveThroughputMbps)
	if m.IntervalSeconds.IsNull() {
		m.IntervalSeconds = types.Float64PointerValue(r.IntervalSeconds)
	}
	m.EffectiveDailyChangeGiB = types.Float64PointerValue(r.EffectiveDailyChangeGiB)
	m.EffectiveDailyChangePercent = types.Float64PointerValue(r.EffectiveDailyChangePercent)
	m.EstimatedSyncSeconds = types.Float64PointerValue(r.EstimatedSyncSeconds)
	m.Optimistic = types.BoolPointerValue(r.Optimistic)
	m.Explain(r.Findings, r.Summary)
	return nil
}
