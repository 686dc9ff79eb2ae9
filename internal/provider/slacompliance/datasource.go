// Package slacompliance is the data source vsla_sla_compliance: the SLAs that the tiers of an estate promise by their
// tags, compared with the replications. It is read in internal/estate/audit and judged in internal/plan/compliance.
package slacompliance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

var _ datasource.DataSourceWithValidateConfig = (*complianceDataSource)(nil)

const privilegeRead = "Read-only on the root object, for tags and for VMs; System.View and System.Read on the " +
	"VMs; the privilege to see replications at both sites"

type complianceDataSource struct{ base.DataSource }

// NewDataSource returns the data source vsla_sla_compliance.
func NewDataSource() datasource.DataSource {
	return &complianceDataSource{base.DataSource{TypeName: "vsla_sla_compliance"}}
}

// ValidateConfig refuses known arguments that contradict each other.
func (d *complianceDataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	var tiers types.Map
	var lookback types.Float64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("tiers"), &tiers)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("lookback_hours"), &lookback)...)
	var objects map[string]types.Object
	if !tiers.IsUnknown() {
		resp.Diagnostics.Append(tiers.ElementsAs(ctx, &objects, false)...)
	}
	owners := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		var tier tierModel
		if objects[name].IsUnknown() || objects[name].IsNull() {
			continue
		}
		resp.Diagnostics.Append(objects[name].As(ctx, &tier, basetypes.ObjectAsOptions{})...)
		at := path.Root("tiers").AtMapKey(name)
		checkTag(tier.TagID, name, owners, at, &resp.Diagnostics)
		if !tier.CompliancePercent.IsNull() && lookback.IsNull() {
			resp.Diagnostics.AddAttributeError(
				at.AtName("compliance_percent"),
				"Missing Lookback",
				fmt.Sprintf("Tier %q promises a compliance over a period, and no period is set. Set lookback_hours, for "+
					"example 720 for 30 days.", name),
			)
		}
	}
}

// checkTag finds tiers that share a tag.
func checkTag(id types.String, name string, owners map[string]string, at path.Path, diags *diag.Diagnostics) {
	if id.IsNull() || id.IsUnknown() {
		return
	}
	if other, taken := owners[id.ValueString()]; taken {
		diags.AddAttributeError(
			at.AtName("tag_id"),
			"Two Tiers With One Tag",
			fmt.Sprintf(
				"Tiers %q and %q have the same tag, so every VM that carries it would be in both. Give each tier its own tag.",
				other,
				name,
			),
		)
		return
	}
	owners[id.ValueString()] = name
}

// Read compares the estate with its tiers. An incomplete reading is an error, never compliance.
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
	read, err := reader.Read(ctx, config.scope())
	if err != nil {
		report(err, &resp.Diagnostics)
		return
	}
	result := read.Judge()
	if !config.LookbackHours.IsNull() {
		measured, err := measureTiers(ctx, vsphere, config, result)
		if err != nil {
			report(err, &resp.Diagnostics)
			return
		}
		result.JudgePeriods(config.promises(), measured)
		warnPeriods(ctx, vsphere, config.LookbackHours.ValueFloat64(), result, &resp.Diagnostics)
	}
	config.fill(result)
	config.fillUncovered(read.Uncovered, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// report words a failure.
func report(err error, diags *diag.Diagnostics) {
	failure := explain.Failure{Summary: "Unable to Compare Tiers With Replications", Privilege: privilegeRead, Err: err}
	if long, ok := errors.AsType[*eventlog.TooLongError](err); ok {
		period.TooLong(long, path.Root("lookback_hours"), diags)
		return
	}
	if blamed, ok := errors.AsType[*audit.ArgumentError](err); ok {
		at := attribute.Anchor(attribute.Path(blamed.At))
		if blamed.Advice != "" {
			diags.AddAttributeError(at, failure.Summary, blamed.Advice+"\n\n"+explain.Detail(err))
			return
		}
		failure.Attribute = &at
	}
	failure.AddTo(diags)
}
