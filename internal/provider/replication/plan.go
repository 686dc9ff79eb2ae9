package replication

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/destroying"
	"terraform-provider-vsla/internal/provider/kit/resume"
)

// ModifyPlan sets the computed values of the plan and checks whether the VM can be replicated. If nothing changes, it
// does nothing.
func (r *replicationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	var plan, state model
	creating := req.State.Raw.IsNull()
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.markInState(state)
	}
	if req.Plan.Raw.IsNull() {
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
		r.warnMoved(state, false, &resp.Diagnostics)
		return
	}
	keepComputed(req, resp)
	if resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.recordPlannedVM(ctx, resp.Private)...)
	replacing := !creating && r.planReplacement(ctx, resp, plan, state)
	if creating {
		r.warnMoved(plan, true, &resp.Diagnostics)
		creating = !r.planAdoption(ctx, req, resp, &plan, &state)
	} else {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), state.Adopts)...)
	}
	if resp.Diagnostics.HasError() || !r.canCheck(plan) {
		return
	}
	r.checkOnGateway(ctx, req, resp, plan, state, creating || replacing)
}

// keepComputed restores the computed values of a plan that changes no argument, but writes the ID of the VM in another
// case.
func keepComputed(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || !req.Config.Raw.IsFullyKnown() {
		return
	}
	kept, err := tftypes.Transform(
		req.Plan.Raw,
		func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if before, _, err := tftypes.WalkAttributePath(req.State.Raw, at); err == nil && !v.IsKnown() {
				v, _ = before.(tftypes.Value) // has the same type
			}
			return v, nil
		},
	)
	if err == nil && kept.Equal(req.State.Raw) {
		resp.Plan.Raw = kept
	}
}

// planReplacement reports whether the plan moves the replication to another pairing or VM, and warns about what a
// replacement deletes.
func (r *replicationResource) planReplacement(
	ctx context.Context, resp *resource.ModifyPlanResponse, plan, state model,
) bool {
	if plan.placementDiffers(state) {
		resp.Diagnostics.Append(
			resp.Plan.SetAttribute(ctx, path.Root("replicated_disks"), types.ListUnknown(replicatedDiskType))...)
		if seedChanged(ctx, plan, state, &resp.Diagnostics) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("disks"))
			r.warnDestroyed(ctx, state, &resp.Diagnostics)
		}
	}
	if plan.PairingID.Equal(state.PairingID) && plan.VMID.Equal(state.VMID) {
		return false
	}
	r.warnDestroyed(ctx, state, &resp.Diagnostics)
	r.checkPairing(ctx, plan, state, &resp.Diagnostics)
	return true
}

// seedChanged reports whether the plan sets another seed for a disk that is replicated.
func seedChanged(ctx context.Context, plan, state model, diags *diag.Diagnostics) bool {
	var replicas []replicatedDisk
	if !state.ReplicatedDisks.IsNull() {
		diags.Append(state.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	after := plan.disks(ctx, diags)
	before := state.disks(ctx, diags)
	for _, replica := range replicas {
		key := replica.Key.ValueString()
		if seed := after[key].SeedPath; replica.Replicated.ValueBool() && seed.ValueString() != "" &&
			!seed.Equal(before[key].SeedPath) {
			return true
		}
	}
	return false
}

// planAdoption sets adopts for a create. If the create adopts a replication, it sets state and returns true. An unset
// disk format is the one that exists.
func (r *replicationResource) planAdoption(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state *model,
) bool {
	if !r.canRead(*plan) {
		return false // adopts stays unknown
	}
	var existing *model
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil {
		existing = r.planExisting(ctx, c, *plan, &resp.Diagnostics)
	}
	plan.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	var format types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("disk_format"), &format)...)
	switch {
	case existing != nil:
		*state = *existing
		plan.Adopts = adoptedOf(ctx, *existing, &resp.Diagnostics)
		if format.IsNull() {
			plan.DiskFormat = existing.DiskFormat
		}
	case plan.AdoptExisting.ValueBool() && r.isInState(*plan): // unknown whether the apply removes it first
		plan.Adopts = types.ObjectUnknown(adoptedType.AttrTypes)
		if format.IsNull() {
			plan.DiskFormat = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), plan.Adopts)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("disk_format"), plan.DiskFormat)...)
	return existing != nil
}

// checkOnGateway counts the change and checks the plan with the gateway.
func (r *replicationResource) checkOnGateway(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state model,
	creating bool,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil && !resp.Diagnostics.HasError() {
		plannedCount := 0
		if creating || plan.differs(state) {
			plannedCount = connection.State[changeCounter](r.Clients).countAndWarn(ctx, c, plan, &resp.Diagnostics)
		}
		ch := check{
			plannedCount: plannedCount,
			counter:      connection.State[changeCounter](r.Clients),
			client:       c,
			plan:         plan,
			state:        state,
			config:       config,
			creating:     creating,
			inState:      r.isInState(plan) || r.willResume(plan),
			diags:        &resp.Diagnostics,
		}
		ch.run(ctx)
	}
}

// checkPairing adds an error if the planned pairing cannot be read. Otherwise, a replacement would delete the replica
// and then fail.
func (r *replicationResource) checkPairing(ctx context.Context, plan, state model, diags *diag.Diagnostics) {
	if r.Clients == nil || plan.PairingID.IsUnknown() || plan.PairingID.Equal(state.PairingID) ||
		r.Clients.ReplicationUnknown() {
		return
	}
	c := r.Clients.Replication(diags)
	if c == nil {
		return
	}
	if _, err := c.Pairing(ctx, plan.PairingID.ValueString()); err != nil {
		f := failure("Replace", state, err)
		at := path.Root("pairing_id")
		f.Attribute = &at
		f.AddTo(diags)
	}
}

// canCheck reports whether the plan checks the VM. If a required value is unknown, the VM is checked during apply
// instead. A destroy, whose plan Terraform discards, checks nothing.
func (r *replicationResource) canCheck(plan model) bool {
	skip := plan.SkipCapabilityCheck
	return !destroying.Now() && r.canRead(plan) && !skip.ValueBool() && !skip.IsUnknown()
}

// canRead reports whether the connection and the values that a read needs are known.
func (r *replicationResource) canRead(plan model) bool {
	return r.Clients != nil && !plan.PairingID.IsUnknown() && !plan.VMID.IsUnknown() && !r.Clients.ReplicationUnknown()
}
