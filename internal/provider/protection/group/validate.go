package group

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ValidateConfig rejects empty rules, and periods that do not have exactly one unit.
func (r *groupResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.CheckEmpty(&resp.Diagnostics)
	snapshots := config.snapshots(ctx)
	for _, name := range slices.Sorted(maps.Keys(snapshots)) {
		at := path.Root("snapshot_policies").AtMapKey(name)
		policy := snapshots[name]
		checkPeriod(policy.intervalModel.units(), at, &resp.Diagnostics)
		checkPeriod(policy.retentionModel.units(), at, &resp.Diagnostics)
	}
	config.checkLongTerm(ctx, path.Root("replication").AtName("long_term"), &resp.Diagnostics)
	if config.Replication.IsNull() && config.Snapshots.IsNull() {
		resp.Diagnostics.AddWarning("Protection Group Without Protection",
			"Neither replication nor snapshot_policies is set, so the group does not protect its members.")
	}
}

func (m model) checkLongTerm(ctx context.Context, at path.Path, diags *diag.Diagnostics) {
	r := m.replication(ctx)
	if r == nil || r.LongTerm == nil {
		return
	}
	known, _ := m.Replication.Attributes()["long_term"].(types.Object)
	hasPolicy := false
	for _, v := range known.Attributes() {
		hasPolicy = hasPolicy || !v.IsNull()
	}
	if !hasPolicy {
		diags.AddAttributeError(at, "Empty Retention", "At least one of hourly, daily, weekly and monthly is required.")
	}
	if l := r.LongTerm; l.Daily != nil {
		checkPeriod(l.Daily.units(), at.AtName("daily"), diags)
	}
	if l := r.LongTerm; l.Hourly != nil {
		checkPeriod(l.Hourly.units(), at.AtName("hourly"), diags)
	}
	if l := r.LongTerm; l.Monthly != nil {
		checkPeriod(l.Monthly.units(), at.AtName("monthly"), diags)
	}
	if l := r.LongTerm; l.Weekly != nil {
		checkPeriod(l.Weekly.units(), at.AtName("weekly"), diags)
	}
}

func checkPeriod(units []periodAttribute, at path.Path, diags *diag.Diagnostics) {
	set := 0
	for _, u := range units {
		if !u.value.IsNull() {
			set++
		}
	}
	if set != 1 {
		diags.AddAttributeError(at, "Invalid Period",
			fmt.Sprintf("Exactly one of %s is required, got %d.", attributeNames(units), set))
	}
}
