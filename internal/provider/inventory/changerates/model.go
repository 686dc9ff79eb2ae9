package changerates

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
)

type model struct {
	VMIDs            types.List    `tfsdk:"vm_ids"`
	IntervalSeconds  types.Int64   `tfsdk:"interval_seconds"`
	LookbackHours    types.Float64 `tfsdk:"lookback_hours"`
	CoalescingFactor types.Float64 `tfsdk:"coalescing_factor"`
	SizeBasis        types.String  `tfsdk:"size_basis"`
	VMHourlyWeights  types.Bool    `tfsdk:"vm_hourly_weights"`

	Counter           types.String `tfsdk:"counter"`
	VirtualMachines   types.Map    `tfsdk:"virtual_machines"`
	WithoutStatistics types.List   `tfsdk:"without_statistics"`

	TotalMeanWriteMbps      types.Float64 `tfsdk:"total_mean_write_mbps"`
	TotalP95WriteMbps       types.Float64 `tfsdk:"total_p95_write_mbps"`
	TotalPeakWriteMbps      types.Float64 `tfsdk:"total_peak_write_mbps"`
	TotalDailyWriteGiB      types.Float64 `tfsdk:"total_daily_write_gib"`
	TotalDailyChangeGiB     types.Float64 `tfsdk:"total_daily_change_gib"`
	TotalDailyChangePercent types.Float64 `tfsdk:"total_daily_change_percent"`
	TotalSizeGiB            types.Float64 `tfsdk:"total_size_gib"`
	TotalSamples            types.Int64   `tfsdk:"total_samples"`

	TotalHourlyWeights        types.List   `tfsdk:"total_hourly_weights"`
	TotalHourlyWeightsReason  types.String `tfsdk:"total_hourly_weights_reason"`
	TotalHourlyWeightsVMCount types.Int64  `tfsdk:"total_hourly_weights_vm_count"`
}

var rateTypes = map[string]attr.Type{
	"mean_write_mbps":       types.Float64Type,
	"p95_write_mbps":        types.Float64Type,
	"peak_write_mbps":       types.Float64Type,
	"daily_write_gib":       types.Float64Type,
	"daily_change_gib":      types.Float64Type,
	"daily_change_percent":  types.Float64Type,
	"size_gib":              types.Float64Type,
	"samples":               types.Int64Type,
	"hourly_weights":        types.ListType{ElemType: types.Float64Type},
	"hourly_weights_reason": types.StringType,
}

const defaultInterval = 300

// setDefaults sets the interval and the lookback, which defaults to vCenter's default retention for the interval.
func (m *model) setDefaults() {
	if m.IntervalSeconds.IsNull() {
		m.IntervalSeconds = types.Int64Value(defaultInterval)
	}
	if m.LookbackHours.IsNull() {
		m.LookbackHours = types.Float64Value(changerate.KeptHours(m.IntervalSeconds.ValueInt64()))
	}
	if m.CoalescingFactor.IsNull() {
		m.CoalescingFactor = types.Float64Value(1)
	}
	if m.SizeBasis.IsNull() {
		m.SizeBasis = types.StringValue(basisUsed)
	}
}

type request struct {
	vmIDs                     []string // sorted
	intervalSeconds           int64
	lookbackHours, coalescing float64
	// byDiskCapacity sizes VMs by disk capacity instead of used space.
	byDiskCapacity bool
}

func (m *model) request() request {
	ids := stringset.Strings(m.VMIDs)
	slices.Sort(ids)
	return request{
		vmIDs:           ids,
		intervalSeconds: m.IntervalSeconds.ValueInt64(),
		lookbackHours:   m.LookbackHours.ValueFloat64(),
		coalescing:      m.CoalescingFactor.ValueFloat64(),
		byDiskCapacity:  m.SizeBasis.ValueString() == basisDisk,
	}
}

func (m *model) checkLookback(diags *diag.Diagnostics) {
	if changerate.KeptHours(m.IntervalSeconds.ValueInt64()) == 0 {
		return // the validator of interval_seconds reports the error
	}
	if err := changerate.CheckLookback(m.IntervalSeconds.ValueInt64(), m.LookbackHours.ValueFloat64()); err != nil {
		diags.AddAttributeError(path.Root("lookback_hours"), "Invalid Lookback", "lookback_hours "+err.Error()+".")
	}
}

func (m *model) fill(
	vms []requestedVM, rates map[string]changerate.Rates, total changerate.Rates, counter string,
) diag.Diagnostics {
	var diags diag.Diagnostics
	values := make(map[string]attr.Value, len(vms))
	without := make([]string, 0)
	for _, s := range vms {
		r, measured := rates[s.id]
		if !measured {
			r.Hours = changerate.Unmeasured()
		}
		if !m.VMHourlyWeights.IsNull() && !m.VMHourlyWeights.ValueBool() {
			r.Hours = changerate.Hours{Reason: "vm_hourly_weights is false."}
		}
		if r.Samples == 0 {
			without = append(without, s.id)
			r.SizeGiB = s.size.GiB()
		}
		value, d := types.ObjectValue(rateTypes, rateValue(r))
		diags.Append(d...)
		values[s.id] = value
	}
	all, d := types.MapValue(types.ObjectType{AttrTypes: rateTypes}, values)
	diags.Append(d...)
	m.VirtualMachines = all
	m.WithoutStatistics = stringset.ListValue(without)
	m.Counter = types.StringNull()
	if counter != "" {
		m.Counter = types.StringValue(counter)
	}
	m.TotalMeanWriteMbps = types.Float64Value(total.MeanWriteMbps)
	m.TotalP95WriteMbps = types.Float64Value(total.P95WriteMbps)
	m.TotalPeakWriteMbps = types.Float64Value(total.PeakWriteMbps)
	m.TotalDailyWriteGiB = types.Float64Value(total.DailyWriteGiB)
	m.TotalDailyChangeGiB = types.Float64Value(total.DailyChangeGiB)
	m.TotalDailyChangePercent = types.Float64PointerValue(total.DailyChangePercent)
	m.TotalSizeGiB = types.Float64Value(total.SizeGiB)
	m.TotalSamples = types.Int64Value(int64(total.Samples))
	m.TotalHourlyWeights, m.TotalHourlyWeightsReason = hourlyWeightsValue(total.Hours)
	m.TotalHourlyWeightsVMCount = types.Int64Value(int64(total.Hours.VMs))
	return diags
}

// rateValue converts rates to attribute values. Rates that could not be measured are null.
func rateValue(r changerate.Rates) map[string]attr.Value {
	measured := func(v float64) types.Float64 {
		if r.Samples == 0 {
			return types.Float64Null()
		}
		return types.Float64Value(v)
	}
	weights, reason := hourlyWeightsValue(r.Hours)
	return map[string]attr.Value{
		"mean_write_mbps":      measured(r.MeanWriteMbps),
		"p95_write_mbps":       measured(r.P95WriteMbps),
		"peak_write_mbps":      measured(r.PeakWriteMbps),
		"daily_write_gib":      measured(r.DailyWriteGiB),
		"daily_change_gib":     measured(r.DailyChangeGiB),
		"daily_change_percent": types.Float64PointerValue(r.DailyChangePercent),
		"size_gib":             types.Float64Value(r.SizeGiB),
		"samples":              types.Int64Value(int64(r.Samples)),

		"hourly_weights":        weights,
		"hourly_weights_reason": reason,
	}
}

func hourlyWeightsValue(h changerate.Hours) (types.List, types.String) {
	if h.Weights == nil {
		return types.ListNull(types.Float64Type), types.StringValue(h.Reason)
	}
	return attribute.Float64ListValue(h.Weights[:]), types.StringNull()
}
