// Package calcreplication is the calculator vsla_replication_estimate, as data source and as function
// replication_estimate. The arithmetic is in internal/plan/replication; here is its schema and the mapping.
package calcreplication

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_replication_estimate",
	Function:   "replication_estimate",
	Summary:    "How long replication takes, and whether an RPO holds",
	Description: "How long the first copy of a group of virtual machines takes, how long one cycle's changes take, and whether a recovery point objective (RPO) holds, " +
		"by the published test (a cycle fits into the RPO) and by vSphere Replication's own scheduling rule (a cycle fits into half of it). " +
		"It needs no connection and no credentials, and is known at plan time whenever its inputs are.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	VMCount            types.Float64 `tfsdk:"vm_count"`
	VMSizeGiB          types.Float64 `tfsdk:"vm_size_gib"`
	DailyChangePercent types.Float64 `tfsdk:"daily_change_percent"`
	ThroughputMbps     types.Float64 `tfsdk:"throughput_mbps"`
	RPOMinutes         types.Float64 `tfsdk:"rpo_minutes"`
	PeakFactor         types.Float64 `tfsdk:"peak_factor"`
	EfficiencyPercent  types.Float64 `tfsdk:"efficiency_percent"`
	CompressionRatio   types.Float64 `tfsdk:"compression_ratio"`
	SeededPercent      types.Float64 `tfsdk:"seeded_percent"`
	OverheadSeconds    types.Float64 `tfsdk:"overhead_seconds"`

	TotalGiB                    types.Float64 `tfsdk:"total_gib"`
	InitialSyncSeconds          types.Float64 `tfsdk:"initial_sync_seconds"`
	ChangedGiBPerCycle          types.Float64 `tfsdk:"changed_gib_per_cycle"`
	OngoingSyncSeconds          types.Float64 `tfsdk:"ongoing_sync_seconds"`
	RPOUsedPercent              types.Float64 `tfsdk:"rpo_used_percent"`
	MeetsRPO                    types.Bool    `tfsdk:"meets_rpo"`
	ViolationFree               types.Bool    `tfsdk:"violation_free"`
	Verdict                     types.String  `tfsdk:"verdict"`
	MinRPOMinutes               types.Int64   `tfsdk:"min_rpo_minutes"`
	ThroughputForRPOMbps        types.Float64 `tfsdk:"throughput_for_rpo_mbps"`
	ThroughputViolationFreeMbps types.Float64 `tfsdk:"throughput_violation_free_mbps"`
	MaxVMCount                  types.Int64   `tfsdk:"max_vm_count"`
	MaxDailyChangePercent       types.Float64 `tfsdk:"max_daily_change_percent"`
	DailyLinkUsePercent         types.Float64 `tfsdk:"daily_link_use_percent"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"vm_count":             calc.Required(replication.RangeVMCount, "Number of virtual machines."),
		"vm_size_gib":          calc.Required(replication.RangeVMSizeGiB, "Data to replicate of each machine, in GiB (2^30 bytes)."),
		"daily_change_percent": calc.Required(replication.RangeDailyChangePercent, "How much of that data changes in a day, in percent."),
		"throughput_mbps":      calc.Required(replication.RangeThroughputMbps, "Sustained replication throughput, in Mbit/s (10^6 bit/s)."),
		"rpo_minutes":          calc.Required(replication.RangeRPOMinutes, "Recovery point objective, in minutes."),
		"peak_factor": calc.Optional(replication.RangePeakFactor, "How unevenly the change is spread: the busiest cycle sees this many times the daily mean; 1 is evenly spread. "+
			"Absent: the whole day's change falls into one cycle, the worst case and the published method."),
		"efficiency_percent": calc.Optional(replication.RangeEfficiencyPercent, "Usable part of `throughput_mbps`, in percent. Default 100, right for a measured throughput; "+
			"70 is a common planning value for the nominal rate of a link."),
		"compression_ratio": calc.Optional(replication.RangeCompressionRatio, "Data over wire data. Default 1, no compression."),
		"seeded_percent":    calc.Optional(replication.RangeSeededPercent, "Part of the first copy that is at the target already, in percent. Default 0."),
		"overhead_seconds":  calc.Optional(replication.RangeOverheadSeconds, "Fixed cost of each sync, in seconds. Default 0."),

		"total_gib":             calc.Output("Data of all machines, in GiB: `vm_count * vm_size_gib`."),
		"initial_sync_seconds":  calc.Output("Time of the first copy of all machines, in seconds."),
		"changed_gib_per_cycle": calc.Output("Changes that the busiest cycle has to send, in GiB before compression."),
		"ongoing_sync_seconds":  calc.Output("Time to send them, overhead included, in seconds."),
		"rpo_used_percent":      calc.Output("`ongoing_sync_seconds` as a share of the RPO, in percent."),
		"meets_rpo":             schema.BoolAttribute{MarkdownDescription: "The published SLA test: `ongoing_sync_seconds` is at most the RPO.", Computed: true},
		"violation_free": schema.BoolAttribute{
			MarkdownDescription: "vSphere Replication's scheduling rule: `ongoing_sync_seconds` is at most half the RPO.", Computed: true,
		},
		"verdict": schema.StringAttribute{
			MarkdownDescription: "`meets` when violation free, `at_risk` when only `meets_rpo` holds, else `misses`.", Computed: true,
		},
		"min_rpo_minutes": schema.Int64Attribute{
			MarkdownDescription: "Smallest whole-minute RPO that is violation free with these inputs; null if none is up to 1,440.", Computed: true,
		},
		"throughput_for_rpo_mbps":        calc.Output("Smallest `throughput_mbps`, before efficiency, that meets the RPO; null if none does."),
		"throughput_violation_free_mbps": calc.Output("Smallest `throughput_mbps`, before efficiency, that is violation free; null if none is."),
		"max_vm_count": schema.Int64Attribute{
			MarkdownDescription: "Largest number of machines that stays violation free, the rest as given; 0 if not even one does, null if any number does.", Computed: true,
		},
		"max_daily_change_percent": calc.Output("Largest daily change up to 1,000 percent that stays violation free, the rest as given; null if not even 0 does."),
		"daily_link_use_percent":   calc.Output("A day's changes on the wire against what the link carries in a day, in percent."),
	}, "`cycle_exceeds_rpo`, `cycle_exceeds_half_rpo`, `daily_change_exceeds_link`, `overhead_exceeds_half_rpo`")
}

func compute(m *model) error {
	r, err := replication.Estimate(m.input())
	if err != nil {
		return err
	}
	m.TotalGiB = types.Float64Value(r.TotalGiB)
	m.InitialSyncSeconds = types.Float64Value(r.InitialSyncSeconds)
	m.ChangedGiBPerCycle = types.Float64Value(r.ChangedGiBPerCycle)
	m.OngoingSyncSeconds = types.Float64Value(r.OngoingSyncSeconds)
	m.RPOUsedPercent = types.Float64Value(r.RPOUsedPercent)
	m.MeetsRPO = types.BoolValue(r.MeetsRPO)
	m.ViolationFree = types.BoolValue(r.ViolationFree)
	m.Verdict = types.StringValue(r.Verdict)
	m.MinRPOMinutes = types.Int64PointerValue(r.MinRPOMinutes)
	m.ThroughputForRPOMbps = types.Float64PointerValue(r.ThroughputForRPOMbps)
	m.ThroughputViolationFreeMbps = types.Float64PointerValue(r.ThroughputViolationFreeMbps)
	m.MaxVMCount = types.Int64PointerValue(r.MaxVMCount)
	m.MaxDailyChangePercent = types.Float64PointerValue(r.MaxDailyChangePercent)
	m.DailyLinkUsePercent = types.Float64Value(r.DailyLinkUsePercent)
	m.Explain(r.Findings, r.Summary)
	return nil
}

func (m *model) input() replication.Input {
	in := replication.Defaults()
	in.VMCount = m.VMCount.ValueFloat64()
	in.VMSizeGiB = m.VMSizeGiB.ValueFloat64()
	in.DailyChangePercent = m.DailyChangePercent.ValueFloat64()
	in.ThroughputMbps = m.ThroughputMbps.ValueFloat64()
	in.RPOMinutes = m.RPOMinutes.ValueFloat64()
	in.PeakFactor = m.PeakFactor.ValueFloat64Pointer()
	calc.Set(&in.EfficiencyPercent, m.EfficiencyPercent)
	calc.Set(&in.CompressionRatio, m.CompressionRatio)
	calc.Set(&in.SeededPercent, m.SeededPercent)
	calc.Set(&in.OverheadSeconds, m.OverheadSeconds)
	return in
}
