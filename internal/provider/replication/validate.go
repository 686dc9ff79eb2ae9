package replication

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/vr"
)

// These limits depend on the release, so the provider only warns if they are exceeded. Capabilities reported by the
// gateway take precedence.
const (
	maxInstances   = 24
	minQuiescedRPO = 15
)

// ValidateConfig validates the configuration without a connection.
func (r *replicationResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	checkHomeDisk(config.disks(ctx, &resp.Diagnostics), &resp.Diagnostics)
	if config.Paused.ValueBool() && config.WaitForInitialSync.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("wait_for_initial_sync"), "No Initial Sync While Paused",
			"A paused replication does not start an initial sync. Remove wait_for_initial_sync or paused.")
	}
	if config.QuiesceGuest.ValueBool() && isKnown(config.RPOMinutes) &&
		config.RPOMinutes.ValueInt64() < minQuiescedRPO {
		resp.Diagnostics.AddAttributeWarning(path.Root("quiesce_guest"), "Quiescing Below an RPO of 15 Minutes",
			"Many releases do not support quiescing with an RPO below 15 minutes and reject this setting.")
	}
	if config.PointInTime.IsNull() || config.PointInTime.IsUnknown() {
		return
	}
	var retention pointInTime
	resp.Diagnostics.Append(config.PointInTime.As(ctx, &retention, basetypes.ObjectAsOptions{})...)
	instances := retention.InstancesPerDay.ValueInt64() * max(1, retention.Days.ValueInt64())
	if isKnown(retention.InstancesPerDay) && isKnown(retention.Days) && instances > maxInstances {
		resp.Diagnostics.AddAttributeWarning(path.Root("point_in_time"), "More Than 24 Instances",
			fmt.Sprintf("point_in_time keeps %d instances. Most releases support at most %d and reject more.",
				instances, maxInstances))
	}
}

// checkHomeDisk rejects settings that the home folder of a VM does not have.
func checkHomeDisk(disks map[string]disk, diags *diag.Diagnostics) {
	home, ok := disks[vr.HomeDisk]
	if !ok {
		return
	}
	at := path.Root("disks").AtMapKey(vr.HomeDisk)
	if !home.Enabled.IsNull() && !home.Enabled.IsUnknown() && !home.Enabled.ValueBool() {
		diags.AddAttributeError(at.AtName("enabled"), "Home Folder Is Always Replicated",
			"The home folder of a VM cannot be excluded from its replication. Remove this argument.")
	}
	if !home.SeedPath.IsNull() {
		diags.AddAttributeError(at.AtName("seed_path"), "Seed Not Supported for Home Folder",
			"Seeds are supported for disks only. Remove this argument.")
	}
}
