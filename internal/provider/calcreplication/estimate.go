// The parts of an estimate that other results contain as well: what is assumed beside VMs, link and promise, and what
// comes out.

package calcreplication

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calc"
)

// Assumptions are the inputs that may be left out; embed it in a model whose schema has AssumptionAttributes.
type Assumptions struct {
	PeakFactor        types.Float64 `tfsdk:"peak_factor"`
	EfficiencyPercent types.Float64 `tfsdk:"efficiency_percent"`
	CompressionRatio  types.Float64 `tfsdk:"compression_ratio"`
	SeededPercent     types.Float64 `tfsdk:"seeded_percent"`
	OverheadSeconds   types.Float64 `tfsdk:"overhead_seconds"`
}

// AssumptionAttributes describe them.
func AssumptionAttributes() map[string]schema.Float64Attribute {
	return map[string]schema.Float64Attribute{
		"peak_factor": calc.Optional(
			replication.RangePeakFactor,
			"How unevenly the change is spread: the busiest cycle sees this many times the daily mean; 1 is evenly spread. "+
				"Absent: the whole day's change falls into one cycle, the worst case and the published method.",
		),
		"efficiency_percent": calc.Optional(
			replication.RangeEfficiencyPercent,
			"Usable part of `throughput_mbps`, in percent. Default 100, right for a measured throughput; "+
				"70 is a common planning value for the nominal rate of a link.",
		),
		"compression_ratio": calc.Optional(
			replication.RangeCompressionRatio,
			"Data over wire data. Default 1, no compression.",
		),
		"seeded_percent": calc.Optional(
			replication.RangeSeededPercent,
			"Part of the initial sync that is at the target already, in percent. Default 0.",
		),
		"overhead_seconds": calc.Optional(
			replication.RangeOverheadSeconds,
			"Fixed cost of each sync, in seconds. Default 0.",
		),
	}
}

// Apply overwrites the defaults of an input with what is given.
func (a Assumptions) Apply(in *replication.Input) {
	in.PeakFactor = a.PeakFactor.ValueFloat64Pointer()
	calc.Set(&in.EfficiencyPercent, a.EfficiencyPercent)
	calc.Set(&in.CompressionRatio, a.CompressionRatio)
	calc.Set(&in.SeededPercent, a.SeededPercent)
	calc.Set(&in.OverheadSeconds, a.OverheadSeconds)
}

// Outcome is the result; embed it in a model whose schema has OutcomeAttributes.
type Outcome struct {
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

// OutcomeAttributes describe it.
func OutcomeAttributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"total_gib":             calc.Output("Data of all VMs, in GiB: `vm_count * vm_size_gib`."),
		"initial_sync_seconds":  calc.Output("Time of the initial sync of all VMs, in seconds."),
		"changed_gib_per_cycle": calc.Output("Changes that the busiest cycle has to send, in GiB before compression."),
		"ongoing_sync_seconds":  calc.Output("Time to send them, overhead included, in seconds."),
		"rpo_used_percent":      calc.Output("`ongoing_sync_seconds` as a share of the RPO, in percent."),
		"meets_rpo": schema.BoolAttribute{
			MarkdownDescription: "The published SLA test: `ongoing_sync_seconds` is at most the RPO.",
			Computed:            true,
		},
		"violation_free": schema.BoolAttribute{
			MarkdownDescription: "vSphere Replication's scheduling rule: `ongoing_sync_seconds` is at most half the RPO.",
			Computed:            true,
		},
		"verdict": schema.StringAttribute{
			MarkdownDescription: "`meets` when violation free, `at_risk` when only `meets_rpo` holds, else `misses`.",
			Computed:            true,
		},
		"min_rpo_minutes": schema.Int64Attribute{
			MarkdownDescription: "Smallest whole-minute RPO that is violation free with these inputs; null if none is up to 1,440.",
			Computed:            true,
		},
		"throughput_for_rpo_mbps": calc.Output(
			"Smallest `throughput_mbps`, before efficiency, that meets the RPO; null if none does.",
		),
		"throughput_violation_free_mbps": calc.Output(
			"Smallest `throughput_mbps`, before efficiency, that is violation free; null if none is.",
		),
		"max_vm_count": schema.Int64Attribute{
			MarkdownDescription: "Largest number of VMs that stays violation free, the rest as given; 0 if not even one does, null if any number does.",
			Computed:            true,
		},
		"max_daily_change_percent": calc.Output(
			"Largest daily change up to 1,000 percent that stays violation free, the rest as given; null if not even 0 does.",
		),
		"daily_link_use_percent": calc.Output(
			"A day's changes on the wire against what the link carries in a day, in percent.",
		),
	}, "`cycle_exceeds_rpo`, `cycle_exceeds_half_rpo`, `daily_change_exceeds_link`, `overhead_exceeds_half_rpo`")
}

// Fill writes a result.
func (o *Outcome) Fill(r replication.Result) {
	o.TotalGiB = types.Float64Value(r.TotalGiB)
	o.InitialSyncSeconds = types.Float64Value(r.InitialSyncSeconds)
	o.ChangedGiBPerCycle = types.Float64Value(r.ChangedGiBPerCycle)
	o.OngoingSyncSeconds = types.Float64Value(r.OngoingSyncSeconds)
	o.RPOUsedPercent = types.Float64Value(r.RPOUsedPercent)
	o.MeetsRPO = types.BoolValue(r.MeetsRPO)
	o.ViolationFree = types.BoolValue(r.ViolationFree)
	o.Verdict = types.StringValue(r.Verdict)
	o.MinRPOMinutes = types.Int64PointerValue(r.MinRPOMinutes)
	o.ThroughputForRPOMbps = types.Float64PointerValue(r.ThroughputForRPOMbps)
	o.ThroughputViolationFreeMbps = types.Float64PointerValue(r.ThroughputViolationFreeMbps)
	o.MaxVMCount = types.Int64PointerValue(r.MaxVMCount)
	o.MaxDailyChangePercent = types.Float64PointerValue(r.MaxDailyChangePercent)
	o.DailyLinkUsePercent = types.Float64Value(r.DailyLinkUsePercent)
	o.Explain(r.Findings, r.Summary)
}
