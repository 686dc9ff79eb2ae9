// Package period contains code shared by the data sources that evaluate vCenter events over a period.
package period

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

// DocCompliance describes the attribute compliance_percent of a period or a day.
const DocCompliance = "Share of `known_minutes` in which the RPO was met, in percent. Null if no time is known."

// Day is the Terraform model of a day.
type Day struct {
	Date              types.String  `tfsdk:"date"`
	ViolationMinutes  types.Float64 `tfsdk:"violation_minutes"`
	KnownMinutes      types.Float64 `tfsdk:"known_minutes"`
	UnknownMinutes    types.Float64 `tfsdk:"unknown_minutes"`
	CompliancePercent types.Float64 `tfsdk:"compliance_percent"`
}

// Days converts days to Terraform models.
func Days(list []history.Day) []Day {
	days := make([]Day, 0, len(list))
	for _, d := range list {
		days = append(days, Day{
			Date:              types.StringValue(d.Start.Format(time.DateOnly)),
			ViolationMinutes:  types.Float64Value(d.ViolationMinutes),
			KnownMinutes:      types.Float64Value(d.KnownMinutes),
			UnknownMinutes:    types.Float64Value(d.UnknownMinutes),
			CompliancePercent: types.Float64PointerValue(d.CompliancePercent),
		})
	}
	return days
}

// DaysAttribute returns the schema of the days attribute.
func DaysAttribute() schema.ListNestedAttribute {
	return attribute.ObjectList("Results for each day, from midnight UTC. The first and last day may be partial. "+
		"Minutes are summed over the VMs.", map[string]schema.Attribute{
		"date":               attribute.String("Date, such as `2026-03-01`."),
		"violation_minutes":  attribute.Float64("Time in violation of the RPO, in minutes."),
		"known_minutes":      attribute.Float64("Time for which it is known whether the RPO was met, in minutes."),
		"unknown_minutes":    attribute.Float64("Time for which it is unknown whether the RPO was met, in minutes."),
		"compliance_percent": attribute.Float64(DocCompliance),
	})
}

// AddTooLong adds a diagnostic for the lookback argument if reading the events would take too long.
func AddTooLong(err *eventlog.TooLongError, lookback path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(lookback, "Reading Events Takes Too Long", "vCenter's event log is too large: "+err.Error()+
		". Reduce lookback_hours or the number of VMs, or increase read_minutes_max.")
}

// WarnRetention adds a warning if the lookback exceeds vCenter's event retention.
func WarnRetention(retention eventlog.Retention, hours float64, lookback path.Path, diags *diag.Diagnostics) {
	if retention.Covers(hours) {
		return
	}
	diags.AddAttributeWarning(lookback, "Period Exceeds Event Retention", fmt.Sprintf(
		"The period of %s hours is longer than the event retention of vCenter (%s). Earlier time counts as unknown, "+
			"not as kept. Reduce lookback_hours, or increase event.maxAge in the vCenter settings.",
		plan.Number(hours), retention))
}
