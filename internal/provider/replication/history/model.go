package history

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

// defaultLookbackHours is vCenter's default event retention.
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

func (m *model) fill(vms []subject, r measurement) {
	m.From, m.To = types.StringValue(r.from.Format(time.RFC3339)), types.StringValue(r.to.Format(time.RFC3339))
	m.EventCount = types.Int64Value(r.events)
	total := resultOf(r.Total)
	m.Total = &total
	if m.VMDetails.ValueBool() {
		m.VirtualMachines = make(map[string]vmModel, len(vms))
		for _, s := range vms {
			vm := vmModel{Name: types.StringValue(s.name), resultModel: resultOf(r.VMs[s.id])}
			if s.of.RPOMinutes > 0 {
				vm.RPOMinutes = types.Float64Value(s.of.RPOMinutes)
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

const description = "What vSphere Replication did, measured from vCenter's event log: every sync with its size, and " +
	"every violation of an RPO with its beginning and end. The result is the compliance of the period, and the inputs " +
	"that `vsla_replication_schedule` and `vsla_replication_estimate` take: change, `hourly_weights` and " +
	"`change_curve`.\n\n" +
	"**Missing events are never taken for success.** Time is known from a VM's first event on, as long as its events " +
	"are no further apart than the RPO allows (1.1 times the RPO and a minute more), and during a violation. All " +
	"other time is in `unknown_minutes`: before the first event, gaps in the log, what vCenter does not keep any more " +
	"(30 days unless it is set otherwise), and a violation whose beginning or end is missing. Without known time " +
	"`compliance_percent` is null.\n\n" +
	eventlog.Unverified + "\n\n" +
	"It takes a request for each 1,000 events, and a few more: up to 16 VMs are asked for one by one; for more, the " +
	"events of all VMs are read, because vCenter filters by one object only. 3,200 VMs with an RPO of 15 minutes have " +
	"9 million events in 30 days. How long that takes is estimated from the first page, written to the log, and " +
	"refused above `read_minutes_max`. Memory does not grow with the number of events. The result changes with time: " +
	"each plan reads anew."

func describe() schema.Schema {
	ofVM := map[string]schema.Attribute{
		"name": attribute.Text("Name of the VM."),
		"rpo_minutes": attribute.Output("RPO in minutes, by `hbr_filter.rpo` in the VM's extra configuration, else " +
			"`rpo_minutes` above; null without either. It is today's: a period with another RPO is judged by its violations " +
			"all the same, but gaps are recognized by this one."),
	}
	maps.Copy(ofVM, resultAttributes())
	return schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.OptionalTexts("Managed object ids of the VMs, in any order. An id that vCenter does not have "+
				"is an error. Give this or `tag_id`.", listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				listvalidator.ExactlyOneOf(path.MatchRoot("tag_id"))),
			"tag_id": attribute.OptionalText("Id of a tag whose VMs are measured, for example that of a tier.",
				stringvalidator.LengthAtLeast(1)),
			"lookback_hours": attribute.Either(history.RangeLookbackHours,
				"How far back from vCenter's present, in hours. Default 720, which is 30 days."),
			"rpo_minutes": attribute.Optional(replication.RangeRPOMinutes,
				"RPO in minutes of the VMs that have none in their extra configuration. Without it all their time is unknown."),
			"read_minutes_max": attribute.Either(
				eventlog.RangeReadMinutes,
				fmt.Sprintf("How long reading may take, in minutes, by the estimate from the first page. Default %v.",
					eventlog.DefaultReadMinutes),
			),
			"vm_details": attribute.EitherTruth("Whether `virtual_machines` is filled. Default true. Without it, state stays " +
				"small where there are thousands of VMs."),
			"from":             attribute.Text("Beginning of the period, by vCenter's clock (RFC 3339, UTC)."),
			"to":               attribute.Text("End of the period (RFC 3339, UTC)."),
			"event_count":      attribute.Whole("Number of events that vCenter sent, those of other VMs among them."),
			"total":            attribute.Object("All VMs together. Minutes are added up over the VMs.", resultAttributes()),
			"virtual_machines": attribute.Objects("The VMs, by managed object id; null without `vm_details`.", ofVM),
			"days":             period.DaysAttribute(),
		},
	}
}

const docQuantile = " By nearest rank, within 1 %; null without a measurement."

func resultAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"size_gib": attribute.Output("Storage in use, in GiB (2^30 bytes), as `used_gib` of `vsla_virtual_machines`; 0 " +
			"where it is not known."),
		"delta_syncs":              attribute.Whole("Number of syncs of changes (`hbr.primary.DeltaCompletedEvent`)."),
		"app_quiesced_delta_syncs": attribute.Whole("Number of those with quiesced applications."),
		"fs_quiesced_delta_syncs":  attribute.Whole("Number of those with a quiesced file system."),
		"unquiesced_delta_syncs": attribute.Whole("Number of those that were crash-consistent because quiescing failed or " +
			"the VM was off (`hbr.primary.UnquiescedDeltaCompletedEvent`)."),
		"full_syncs": attribute.Whole("Number of full syncs, initial ones among them."),
		"transferred_gib": attribute.Output("What all syncs transferred, in GiB. Whether vSphere Replication counts it " +
			"before or after compression is not documented."),
		"median_delta_gib":        attribute.Output("Median of the size of a sync of changes, in GiB." + docQuantile),
		"p95_delta_gib":           attribute.Output("95th percentile of it, in GiB." + docQuantile),
		"median_interval_minutes": attribute.Output("Median of the time between the ends of two, in minutes." + docQuantile),
		"p95_interval_minutes":    attribute.Output("95th percentile of it, in minutes." + docQuantile),
		"median_lateness_minutes": attribute.Output("Median of how long a violation lasted that has ended, which is how " +
			"late its sync came, in minutes." + docQuantile),
		"p95_lateness_minutes": attribute.Output("95th percentile of it, in minutes." + docQuantile),
		"violations": attribute.Whole("Number of violations that began in the period, or ended without a known beginning. " +
			"Events that repeat while a violation lasts count once."),
		"interruptions": attribute.Whole("Number of events that explain missing syncs: a delta was aborted, a sync could " +
			"not start, the system paused the replication, or its configuration was changed. They make no time known."),
		"violation_minutes":  attribute.Output("How long the RPO was not kept, in minutes."),
		"known_minutes":      attribute.Output("Time of which it is known whether the RPO was kept, in minutes."),
		"unknown_minutes":    attribute.Output("Time of which it is not known, in minutes."),
		"compliance_percent": attribute.Output(period.DocCompliance),
		"daily_change_gib": attribute.Output("What syncs of changes transferred, over the time between them, in GiB a day; " +
			"null without two of them in a row. It is the change at the measured intervals: a block that is written again " +
			"between two syncs counts once."),
		"daily_change_percent": attribute.Output("`daily_change_gib` in percent of `size_gib`; null where that is 0."),
		"hourly_weights": schema.ListAttribute{
			MarkdownDescription: "How the day's change is spread over 24 hours from midnight UTC, with a mean of 1, for " +
				"`hourly_weights` of `vsla_replication_schedule`; null where an hour was not measured.",
			ElementType: types.Float64Type,
			Computed:    true,
		},
		"change_curve": schema.MapAttribute{
			MarkdownDescription: "How many GiB of one VM change in a number of minutes, for `change_curve` of " +
				"`vsla_replication_schedule` and `vsla_replication_estimate`: a point for each length of interval that at least " +
				"3 syncs had. Where all syncs are about as far apart it is one point, which is a straight proportion. Null " +
				"without a point.",
			ElementType: types.Float64Type,
			Computed:    true,
		},
	}
}
