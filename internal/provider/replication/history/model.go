package history

import (
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/provider/kit/period"
)

// defaultLookbackHours is vCenter's default event retention, 30 days.
const defaultLookbackHours = 720

type model struct {
	VMIDs          types.List    `tfsdk:"vm_ids"`
	TagID          types.String  `tfsdk:"tag_id"`
	LookbackHours  types.Float64 `tfsdk:"lookback_hours"`
	RPOMinutes     types.Float64 `tfsdk:"rpo_minutes"`
	ReadMinutesMax types.Float64 `tfsdk:"read_minutes_max"`
	VMDetails      types.Bool    `tfsdk:"vm_details"`

	From            types.String       `tfsdk:"from"`
	To              types.String       `tfsdk:"to"`
	EventCount      types.Int64        `tfsdk:"event_count"`
	Total           *resultModel       `tfsdk:"total"`
	VirtualMachines map[string]vmModel `tfsdk:"virtual_machines"`
	Days            []period.Day       `tfsdk:"days"`
}

type resultModel struct {
	SizeGiB               types.Float64      `tfsdk:"size_gib"`
	DeltaSyncs            types.Int64        `tfsdk:"delta_syncs"`
	AppQuiescedSyncs      types.Int64        `tfsdk:"app_quiesced_delta_syncs"`
	FSQuiescedSyncs       types.Int64        `tfsdk:"fs_quiesced_delta_syncs"`
	UnquiescedSyncs       types.Int64        `tfsdk:"unquiesced_delta_syncs"`
	FullSyncs             types.Int64        `tfsdk:"full_syncs"`
	TransferredGiB        types.Float64      `tfsdk:"transferred_gib"`
	MedianDeltaGiB        types.Float64      `tfsdk:"median_delta_gib"`
	P95DeltaGiB           types.Float64      `tfsdk:"p95_delta_gib"`
	MedianIntervalMinutes types.Float64      `tfsdk:"median_interval_minutes"`
	P95IntervalMinutes    types.Float64      `tfsdk:"p95_interval_minutes"`
	MedianLatenessMinutes types.Float64      `tfsdk:"median_lateness_minutes"`
	P95LatenessMinutes    types.Float64      `tfsdk:"p95_lateness_minutes"`
	Violations            types.Int64        `tfsdk:"violations"`
	Interruptions         types.Int64        `tfsdk:"interruptions"`
	ViolationMinutes      types.Float64      `tfsdk:"violation_minutes"`
	KnownMinutes          types.Float64      `tfsdk:"known_minutes"`
	UnknownMinutes        types.Float64      `tfsdk:"unknown_minutes"`
	CompliancePercent     types.Float64      `tfsdk:"compliance_percent"`
	DailyChangeGiB        types.Float64      `tfsdk:"daily_change_gib"`
	DailyChangePercent    types.Float64      `tfsdk:"daily_change_percent"`
	HourlyWeights         []float64          `tfsdk:"hourly_weights"`
	ChangeCurve           map[string]float64 `tfsdk:"change_curve"`
}

type vmModel struct {
	Name       types.String  `tfsdk:"name"`
	RPOMinutes types.Float64 `tfsdk:"rpo_minutes"`
	resultModel
}

func (m *model) setDefaults() {
	if m.LookbackHours.IsNull() {
		m.LookbackHours = types.Float64Value(defaultLookbackHours)
	}
	if m.ReadMinutesMax.IsNull() {
		m.ReadMinutesMax = types.Float64Value(eventlog.DefaultReadMinutes)
	}
	if m.VMDetails.IsNull() {
		m.VMDetails = types.BoolValue(true)
	}
}

func (m *model) fill(vms []measuredVM, r measurement) {
	m.From = types.StringValue(r.from.Format(time.RFC3339))
	m.To = types.StringValue(r.to.Format(time.RFC3339))
	m.EventCount = types.Int64Value(r.events)
	total := resultOf(r.Total)
	m.Total = &total
	if m.VMDetails.ValueBool() {
		m.VirtualMachines = make(map[string]vmModel, len(vms))
		for _, s := range vms {
			vm := vmModel{Name: types.StringValue(s.name), resultModel: resultOf(r.VMs[s.id])}
			if s.history.RPOMinutes > 0 {
				vm.RPOMinutes = types.Float64Value(s.history.RPOMinutes)
			}
			m.VirtualMachines[s.id] = vm
		}
	}
	m.Days = period.Days(r.Days)
}

func resultOf(r history.Result) resultModel {
	m := resultModel{
		SizeGiB:               types.Float64Value(r.Size.GiB()),
		DeltaSyncs:            types.Int64Value(r.Syncs.Delta),
		AppQuiescedSyncs:      types.Int64Value(r.Syncs.AppQuiescedDelta),
		FSQuiescedSyncs:       types.Int64Value(r.Syncs.FSQuiescedDelta),
		UnquiescedSyncs:       types.Int64Value(r.Syncs.UnquiescedDelta),
		FullSyncs:             types.Int64Value(r.Syncs.Full),
		TransferredGiB:        types.Float64Value(r.Transferred.GiB()),
		MedianDeltaGiB:        types.Float64PointerValue(r.Delta.Median),
		P95DeltaGiB:           types.Float64PointerValue(r.Delta.P95),
		MedianIntervalMinutes: types.Float64PointerValue(r.Interval.Median),
		P95IntervalMinutes:    types.Float64PointerValue(r.Interval.P95),
		MedianLatenessMinutes: types.Float64PointerValue(r.Lateness.Median),
		P95LatenessMinutes:    types.Float64PointerValue(r.Lateness.P95),
		Violations:            types.Int64Value(r.Violations),
		Interruptions:         types.Int64Value(r.Interruptions),
		ViolationMinutes:      types.Float64Value(r.ViolationMinutes),
		KnownMinutes:          types.Float64Value(r.KnownMinutes),
		UnknownMinutes:        types.Float64Value(r.UnknownMinutes),
		CompliancePercent:     types.Float64PointerValue(r.CompliancePercent),
		DailyChangeGiB:        types.Float64PointerValue(r.DailyChangeGiB),
		DailyChangePercent:    types.Float64PointerValue(r.DailyChangePercent),
		HourlyWeights:         r.HourlyWeights,
	}
	if r.ChangeCurve != nil {
		m.ChangeCurve = make(map[string]float64, len(r.ChangeCurve))
		for minutes, gib := range r.ChangeCurve {
			m.ChangeCurve[strconv.FormatFloat(minutes, 'f', -1, 64)] = gib
		}
	}
	return m
}
