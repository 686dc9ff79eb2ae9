// Package calcschedule is the calculator vsla_replication_schedule, a data source. The simulation is in
// internal/plan/replication.
package calcschedule

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has one door, the data source: its result belongs beside others in the plan, where a policy looks for it.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_replication_schedule",
	Description: "Simulates the replication of many groups of VMs with different RPOs on one link: a sync sends what has changed since the previous one started, " +
		"starts as late as its RPO allows by its predicted duration, and shares the link with all others that run. It needs no connection and no credentials. " +
		"4,000 replications with an RPO of 5 minutes take some seconds for a day.\n\n" +
		"By hand: one VM whose changes would fill half the link (c = 0.5), RPO 15 minutes: syncs settle at 15 / (1 + 1.2 * 0.5) = 9.375 minutes apart, take half of that, 4.6875 minutes, and a recovery point gets 14.0625 minutes old at most.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	Groups               types.Map     `tfsdk:"groups"`
	Days                 types.Float64 `tfsdk:"days"`
	ThroughputMbps       types.Float64 `tfsdk:"throughput_mbps"`
	HourlyThroughputMbps types.List    `tfsdk:"hourly_throughput_mbps"`
	MaxConcurrentSyncs   types.Float64 `tfsdk:"max_concurrent_syncs"`
	StartInSync          types.Bool    `tfsdk:"start_in_sync"`

	CompliancePercent         types.Float64 `tfsdk:"compliance_percent"`
	Violations                types.Int64   `tfsdk:"violations"`
	ViolationMinutes          types.Float64 `tfsdk:"violation_minutes"`
	WorstRecoveryPointMinutes types.Float64 `tfsdk:"worst_recovery_point_minutes"`
	P95SyncSeconds            types.Float64 `tfsdk:"p95_sync_seconds"`
	TransferredGiB            types.Float64 `tfsdk:"transferred_gib"`

	LinkUsePercent         types.Float64 `tfsdk:"link_use_percent"`
	PeakHourLinkUsePercent types.Float64 `tfsdk:"peak_hour_link_use_percent"`
	Verdict                types.String  `tfsdk:"verdict"`
	ThroughputFull         types.Float64 `tfsdk:"throughput_full_compliance_mbps"`
	Throughput90           types.Float64 `tfsdk:"throughput_90_percent_compliance_mbps"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	hours := func(doc string) schema.ListAttribute {
		return schema.ListAttribute{
			MarkdownDescription: doc + " 24 numbers, one for each hour from midnight.",
			ElementType:         types.Float64Type,
			Optional:            true,
		}
	}
	return withTotals(calc.Explained(map[string]schema.Attribute{
		"groups": schema.MapNestedAttribute{
			MarkdownDescription: "The groups, by name, with what the simulation finds of each.", Required: true,
			NestedObject: schema.NestedAttributeObject{Attributes: withTotals(map[string]schema.Attribute{
				"vm_count": calc.Required(
					replication.RangeScheduleVMCount,
					"Number of VMs; each is a replication of its own.",
				),
				"vm_size_gib": calc.Required(replication.RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes)."),
				"daily_change_percent": calc.Required(
					replication.RangeDailyChangePercent,
					"How much of it changes in a day, in percent.",
				),
				"rpo_minutes":       calc.Required(replication.RangeRPOMinutes, "Recovery point objective, in minutes."),
				"hourly_weights":    hours("How the day's change is spread; only their proportion counts. Default: evenly."),
				"compression_ratio": calc.Optional(replication.RangeCompressionRatio, "Data over wire data. Default 1."),
			})},
		},
		"days": calc.Optional(replication.RangeDays, "Days to simulate. Default 1."),
		"throughput_mbps": calc.Optional(
			replication.RangeThroughputMbps,
			"What the link carries, in Mbit/s (10^6 bit/s). Give this or `hourly_throughput_mbps`.",
		),
		"hourly_throughput_mbps": hours("What the link carries, in Mbit/s, in place of `throughput_mbps`."),
		"max_concurrent_syncs": calc.Optional(
			replication.RangeMaxConcurrentSyncs,
			"Syncs that run at a time; the others wait, the nearest deadline first. Default: no limit.",
		),
		"start_in_sync": schema.BoolAttribute{
			MarkdownDescription: "Whether every VM has a recovery point at the start. Default true. When false, its initial sync comes first, and it is in violation until that has arrived.",
			Optional:            true,
		},
		"link_use_percent":           calc.Output("What was sent against what the link could carry, in percent."),
		"peak_hour_link_use_percent": calc.Output("The same in the busiest hour."),
		"verdict": schema.StringAttribute{
			MarkdownDescription: "`meets` without any violation, `at_risk` from 90 % compliance up, else `misses`.",
			Computed:            true,
		},
		"throughput_full_compliance_mbps": calc.Output(
			"Smallest throughput without any violation, to 1 %; with hourly figures their mean, the profile kept. Null if none is enough.",
		),
		"throughput_90_percent_compliance_mbps": calc.Output("Smallest throughput with 90 % compliance, likewise."),
	}, "`rpo_violations`, `link_saturated`"))
}

// withTotals adds the figures that a group and the whole have alike.
func withTotals(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"compliance_percent": calc.Output(
			"Share of machine-time during which the newest recovery point was within the RPO, in percent. Lateness of less than a second does not count.",
		),
		"violations": schema.Int64Attribute{
			MarkdownDescription: "How often a VM fell out of its RPO.",
			Computed:            true,
		},
		"violation_minutes":            calc.Output("How long, added up over the VMs, in minutes."),
		"worst_recovery_point_minutes": calc.Output("Greatest age that a newest recovery point reached, in minutes."),
		"p95_sync_seconds":             calc.Output("Duration that 95 % of the syncs stay within, in seconds."),
		"transferred_gib":              calc.Output("What was sent, in GiB on the wire."),
	})
	return attributes
}

func compute(m *model) error {
	r, err := replication.Schedule(m.input())
	if err != nil {
		return err
	}
	if err := m.fillGroups(r.Groups); err != nil {
		return err
	}
	m.CompliancePercent = types.Float64Value(r.CompliancePercent)
	m.Violations = types.Int64Value(r.Violations)
	m.ViolationMinutes = types.Float64Value(r.ViolationMinutes)
	m.WorstRecoveryPointMinutes = types.Float64Value(r.WorstRecoveryPointMinutes)
	m.P95SyncSeconds = types.Float64Value(r.P95SyncSeconds)
	m.TransferredGiB = types.Float64Value(r.TransferredGiB)
	m.LinkUsePercent = types.Float64Value(r.LinkUsePercent)
	m.PeakHourLinkUsePercent = types.Float64Value(r.PeakHourLinkUsePercent)
	m.Verdict = types.StringValue(r.Verdict)
	m.ThroughputFull = types.Float64PointerValue(r.ThroughputFullComplianceMbps)
	m.Throughput90 = types.Float64PointerValue(r.Throughput90PercentMbps)
	m.Explain(r.Findings, r.Summary)
	return nil
}

// fillGroups puts the figures of each group beside its input.
func (m *model) fillGroups(results map[string]replication.Totals) error {
	groups := make(map[string]attr.Value, len(results))
	for name, e := range m.Groups.Elements() {
		object, ok := e.(basetypes.ObjectValue)
		if !ok {
			return fmt.Errorf("group %q is %T", name, e)
		}
		t, values := results[name], object.Attributes()
		maps.Copy(values, map[string]attr.Value{
			"compliance_percent": types.Float64Value(t.CompliancePercent),
			"violations":         types.Int64Value(t.Violations),
			"violation_minutes": types.Float64Value(
				t.ViolationMinutes,
			),
			"worst_recovery_point_minutes": types.Float64Value(t.WorstRecoveryPointMinutes),
			"p95_sync_seconds":             types.Float64Value(t.P95SyncSeconds),
			"transferred_gib":              types.Float64Value(t.TransferredGiB),
		})
		filled, diags := types.ObjectValue(object.AttributeTypes(context.Background()), values)
		if diags.HasError() {
			return fmt.Errorf("group %q: %v", name, diags)
		}
		groups[name] = filled
	}
	filled, diags := types.MapValue(m.Groups.ElementType(context.Background()), groups)
	if diags.HasError() {
		return fmt.Errorf("groups: %v", diags)
	}
	m.Groups = filled
	return nil
}

func (m *model) input() replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	calc.Set(&in.Days, m.Days)
	in.ThroughputMbps = m.ThroughputMbps.ValueFloat64Pointer()
	in.HourlyThroughputMbps = calc.FloatList(m.HourlyThroughputMbps)
	in.MaxConcurrentSyncs = m.MaxConcurrentSyncs.ValueFloat64Pointer()
	in.StartInSync = m.StartInSync.IsNull() || m.StartInSync.ValueBool()
	in.Groups = make(map[string]replication.Group, len(m.Groups.Elements()))
	for name, e := range m.Groups.Elements() {
		object, ok := e.(basetypes.ObjectValue)
		if !ok {
			continue
		}
		number := func(attribute string) types.Float64 {
			n, _ := object.Attributes()[attribute].(types.Float64)
			return n
		}
		weights, _ := object.Attributes()["hourly_weights"].(types.List)
		g := replication.Group{
			VMCount: number("vm_count").ValueFloat64(), VMSizeGiB: number("vm_size_gib").ValueFloat64(),
			DailyChangePercent: number("daily_change_percent").ValueFloat64(), RPOMinutes: number("rpo_minutes").ValueFloat64(),
			HourlyWeights: calc.FloatList(weights), CompressionRatio: 1,
		}
		calc.Set(&g.CompressionRatio, number("compression_ratio"))
		in.Groups[name] = g
	}
	return in
}
