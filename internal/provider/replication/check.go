package replication

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vr"
)

// Limits that depend on the release, so exceeding them is only a warning. The gateway's capability report takes
// precedence.
const (
	mostInstances    = 24
	leastQuiescedRPO = 15

	alreadyConfigured = "ALREADY_CONFIGURED"
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
	checkHome(config.disks(ctx, &resp.Diagnostics), &resp.Diagnostics)
	if config.Paused.ValueBool() && config.WaitForInitialSync.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("wait_for_initial_sync"), "Nothing to Wait For",
			"A paused replication does no initial sync. Remove wait_for_initial_sync or paused.")
	}
	if config.QuiesceGuest.ValueBool() && known(config.RPOMinutes) && config.RPOMinutes.ValueInt64() < leastQuiescedRPO {
		resp.Diagnostics.AddAttributeWarning(path.Root("quiesce_guest"), "Quiescing Below an RPO of 15 Minutes",
			"Many releases do not quiesce a guest more often than every 15 minutes, and refuse this.")
	}
	if config.PointInTime.IsNull() || config.PointInTime.IsUnknown() {
		return
	}
	var kept pointInTime
	resp.Diagnostics.Append(config.PointInTime.As(ctx, &kept, objectOptions)...)
	instances := kept.InstancesPerDay.ValueInt64() * max(1, kept.Days.ValueInt64())
	if known(kept.InstancesPerDay) && known(kept.Days) && instances > mostInstances {
		resp.Diagnostics.AddAttributeWarning(path.Root("point_in_time"), "More Than 24 Instances",
			fmt.Sprintf("These are %d instances; most releases keep at most %d and refuse more.", instances, mostInstances))
	}
}

// checkHome reports arguments that do not apply to the home folder.
func checkHome(disks map[string]disk, diags *diag.Diagnostics) {
	home, ok := disks[vr.HomeDisk]
	if !ok {
		return
	}
	at := path.Root("disks").AtMapKey(vr.HomeDisk)
	if !home.Enabled.IsNull() && !home.Enabled.IsUnknown() && !home.Enabled.ValueBool() {
		diags.AddAttributeError(at.AtName("enabled"), "Home Folder Is Always Replicated",
			"The home folder of a VM cannot be left out of its replication. Remove this argument.")
	}
	if !home.SeedPath.IsNull() {
		diags.AddAttributeError(at.AtName("seed_path"), "Home Folder Has No Seed",
			"Seeds are for disks only. Remove this argument.")
	}
}

func known(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// ModifyPlan completes the plan and checks the VM's replication capability, unless nothing changes.
func (r *replicationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	var plan, state model
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
		return
	}
	if req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	creates := req.State.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.remember(state)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.note(ctx, resp.Private)...)
	replaces := !creates && (!plan.PairingID.Equal(state.PairingID) || !plan.VMID.Equal(state.VMID))
	if !creates && plan.placesDiffer(state) {
		resp.Diagnostics.Append(
			resp.Plan.SetAttribute(ctx, path.Root("replicated_disks"), types.ListUnknown(replicatedDiskType))...)
		if reseeded(ctx, plan, state, &resp.Diagnostics) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("disks"))
			r.warnDestroyed(ctx, state, &resp.Diagnostics)
		}
	}
	if replaces {
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
	}
	if !r.checks(plan) {
		return
	}
	r.ask(ctx, req, resp, plan, state, creates || replaces)
}

// ask checks the plan against the VM and its sites.
func (r *replicationResource) ask(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state model, fresh bool,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil && !resp.Diagnostics.HasError() {
		number := 0
		if fresh || plan.differs(state) {
			number = connection.State[load](r.Clients).report(ctx, c, plan, &resp.Diagnostics)
		}
		ch := check{
			number: number,
			load:   connection.State[load](r.Clients),
			client: c,
			plan:   plan,
			state:  state,
			config: config,
			fresh:  fresh,
			own:    r.remembers(plan),
			diags:  &resp.Diagnostics,
		}
		ch.run(ctx)
	}
}

// checks reports whether the VM can be checked during plan. Unknown values are checked during apply.
func (r *replicationResource) checks(plan model) bool {
	skip := plan.SkipCapabilityCheck.ValueBool() || plan.SkipCapabilityCheck.IsUnknown()
	return r.Clients != nil && !skip && !plan.PairingID.IsUnknown() && !plan.VMID.IsUnknown() &&
		!r.Clients.ReplicationNotKnownYet()
}

// reseeded reports whether the seed of a replicated disk changes.
func reseeded(ctx context.Context, plan, state model, diags *diag.Diagnostics) bool {
	var replicas []replicatedDisk
	if !state.ReplicatedDisks.IsNull() {
		diags.Append(state.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	wanted, before := plan.disks(ctx, diags), state.disks(ctx, diags)
	for _, replica := range replicas {
		key := replica.Key.ValueString()
		if seed := wanted[key].SeedPath; replica.Replicated.ValueBool() && seed.ValueString() != "" &&
			!seed.Equal(before[key].SeedPath) {
			return true
		}
	}
	return false
}
