// Package slacompliance implements the data source vsla_sla_compliance, which compares the replications of an estate
// with the SLAs that its tags promise. internal/estate/audit reads the estate, and internal/plan/compliance evaluates
// it.
package slacompliance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vsphere"
)

var _ datasource.DataSourceWithValidateConfig = (*complianceDataSource)(nil)

const privilegeRead = "Read-only on the root object, for tags and for VMs; System.View and System.Read on the VMs; " +
	"the privilege to view replications at both sites"

type complianceDataSource struct{ base.DataSource }

// NewDataSource returns the data source vsla_sla_compliance.
func NewDataSource() datasource.DataSource {
	return &complianceDataSource{base.DataSource{TypeName: "vsla_sla_compliance"}}
}

// ValidateConfig rejects two tiers with the same tag, and compliance_percent without lookback_hours. It ignores unknown
// values.
func (d *complianceDataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	var tiers types.Map
	var lookback types.Float64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("tiers"), &tiers)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("lookback_hours"), &lookback)...)
	var tierObjects map[string]types.Object
	if !tiers.IsUnknown() {
		resp.Diagnostics.Append(tiers.ElementsAs(ctx, &tierObjects, false)...)
	}
	if resp.Diagnostics.HasError() { // a fraction is reported with its attribute, and has no Go value
		return
	}
	tierByTag := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(tierObjects)) {
		var tier tierModel
		if tierObjects[name].IsUnknown() || tierObjects[name].IsNull() {
			continue
		}
		resp.Diagnostics.Append(tierObjects[name].As(ctx, &tier, basetypes.ObjectAsOptions{})...)
		at := path.Root("tiers").AtMapKey(name)
		checkTag(tier.TagID, name, tierByTag, at, &resp.Diagnostics)
		if !tier.CompliancePercent.IsNull() && lookback.IsNull() {
			resp.Diagnostics.AddAttributeError(
				at.AtName("compliance_percent"),
				"Missing Lookback",
				fmt.Sprintf("compliance_percent of tier %q requires a period, but lookback_hours is not set. Set it, "+
					"for example to 720 for 30 days.", name),
			)
		}
	}
}

func checkTag(id types.String, name string, tierByTag map[string]string, at path.Path, diags *diag.Diagnostics) {
	if id.IsNull() || id.IsUnknown() {
		return
	}
	if other, taken := tierByTag[id.ValueString()]; taken {
		diags.AddAttributeError(at.AtName("tag_id"), "Duplicate Tier Tag", fmt.Sprintf(
			"Tiers %q and %q have the same tag, so each VM with the tag would be in both tiers. Use a different tag "+
				"for each tier.",
			other,
			name,
		))
		return
	}
	tierByTag[id.ValueString()] = name
}

// Read compares the estate with its tiers. It adds an error if it cannot read the estate completely.
func (d *complianceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	vsphere := d.Clients.VSphere(&resp.Diagnostics)
	reader := audit.Reader{VSphere: vsphere}
	if !config.PairingID.IsNull() {
		reader.Replication = d.Clients.Replication(&resp.Diagnostics)
	}
	if !config.Clusters.IsNull() {
		reader.Protection = d.Clients.Protection(&resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	reading, err := reader.Read(ctx, config.scope())
	if err != nil {
		addReadError(err, &resp.Diagnostics)
		return
	}
	result := reading.Judge()
	if !config.LookbackHours.IsNull() {
		measured, err := measureTiers(ctx, vsphere, config, result)
		if err != nil {
			addReadError(err, &resp.Diagnostics)
			return
		}
		result.JudgePeriods(config.promises(), measured)
		warnPeriods(ctx, vsphere, config.LookbackHours.ValueFloat64(), result, &resp.Diagnostics)
	}
	config.fill(result)
	config.fillUncovered(reading.Uncovered, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

func addReadError(err error, diags *diag.Diagnostics) {
	failure := explain.Failure{Summary: "Unable to Compare Tiers With Replications", Privilege: privilegeRead, Err: err}
	if long, ok := errors.AsType[*eventlog.TooLongError](err); ok {
		period.AddTooLong(long, path.Root("lookback_hours"), diags)
		return
	}
	if argument, ok := errors.AsType[*audit.ArgumentError](err); ok {
		at := attribute.Path(argument.Path)
		if argument.Advice != "" {
			diags.AddAttributeError(at, failure.Summary, argument.Advice+"\n\n"+explain.Detail(err))
			return
		}
		failure.Attribute = &at
	}
	failure.AddTo(diags)
}

// warnPeriods adds a warning if vCenter's events do not cover the lookback period, and another one that lists the tiers
// whose verdict is unknown.
func warnPeriods(ctx context.Context, c *vsphere.Client, hours float64, r compliance.Result, diags *diag.Diagnostics) {
	retention := eventlog.ReadRetention(ctx, c)
	period.WarnRetention(retention, hours, path.Root("lookback_hours"), diags)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		if p := r.Periods[name]; p.Verdict == compliance.PeriodUnknown {
			unknown = append(unknown, fmt.Sprintf("%s (%d of %d VMs)", name, p.UnknownVMs, len(p.Each)))
		}
	}
	if len(unknown) > 0 {
		diags.AddWarning("Period Compliance Unknown",
			fmt.Sprintf("It is unknown whether these tiers kept their promises: %s. A VM "+
				"was not replicated for the whole period, its RPO is longer than the promised RPO, or vCenter did "+
				"not keep its events (%s). A verdict requires that the promise is kept regardless of the unknown "+
				"time, or that at most %v%% of the time of each VM is unknown.",
				strings.Join(unknown, ", "), retention, compliance.MaxUnknownPercent))
	}
}
