// Checks before any change: rules of the configuration, and what replication can do with the VM.

package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vr"
)

// Product rules of several releases, so warnings only: what the gateway reports for a VM takes precedence.
const (
	mostInstances    = 24
	leastQuiescedRPO = 15

	alreadyConfigured = "ALREADY_CONFIGURED"
)

// ValidateConfig checks what needs no connection.
func (r *replicationResource) ValidateConfig(
	ctx context.Context,
	req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse,
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
	if known(kept.InstancesPerDay) && known(kept.Days) &&
		kept.InstancesPerDay.ValueInt64()*kept.Days.ValueInt64() > mostInstances {
		resp.Diagnostics.AddAttributeWarning(path.Root("point_in_time"), "More Than 24 Instances",
			fmt.Sprintf(
				"%d instances a day for %d days are %d; most releases keep at most %d and refuse more.",
				kept.InstancesPerDay.ValueInt64(),
				kept.Days.ValueInt64(),
				kept.InstancesPerDay.ValueInt64()*kept.Days.ValueInt64(),
				mostInstances,
			))
	}
}

// checkHome reports arguments that the home folder does not have.
func checkHome(disks map[string]disk, diags *diag.Diagnostics) {
	home, ok := disks[vr.HomeDisk]
	if !ok {
		return
	}
	at := path.Root("disks").AtMapKey(vr.HomeDisk)
	if !home.Enabled.IsNull() && !home.Enabled.IsUnknown() && !home.Enabled.ValueBool() {
		diags.AddAttributeError(
			at.AtName("enabled"),
			"Home Folder Is Always Replicated",
			"The home folder of a VM cannot be left out of its replication. Remove this argument.",
		)
	}
	if !home.SeedPath.IsNull() {
		diags.AddAttributeError(
			at.AtName("seed_path"),
			"Home Folder Has No Seed",
			"Seeds are for disks only. Remove this argument.",
		)
	}
}

func known(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// ModifyPlan completes the plan and asks what replication can do with the VM. A plan without changes asks nothing.
func (r *replicationResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	var plan, state model
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
	if !creates && plan.placesDiffer(state) {
		resp.Diagnostics.Append(
			resp.Plan.SetAttribute(ctx, path.Root("replicated_disks"), types.ListUnknown(replicatedDiskType))...)
		if reseeded(ctx, plan, state, &resp.Diagnostics) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("disks"))
		}
	}
	replaces := !creates && (!plan.PairingID.Equal(state.PairingID) || !plan.VMID.Equal(state.VMID))
	if !r.checks(plan) {
		return
	}
	if c := r.clients.Replication(&resp.Diagnostics); c != nil {
		examine(ctx, c, plan, state, creates || replaces, r.remembers(plan), &resp.Diagnostics)
	}
}

// checks reports whether to check the VM now. What is unknown is checked during apply.
func (r *replicationResource) checks(plan model) bool {
	skip := plan.SkipCapabilityCheck.ValueBool() || plan.SkipCapabilityCheck.IsUnknown()
	return r.clients != nil && !skip && !plan.PairingID.IsUnknown() && !plan.VMID.IsUnknown() &&
		!r.clients.ReplicationNotKnownYet()
}

// reseeded reports whether a disk that is replicated would need another seed.
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

// examine compares what is wanted with what replication can do with the VM. own says that the VM's replication is
// in state.
func examine(ctx context.Context, c *vr.Client, plan, state model, fresh, own bool, diags *diag.Diagnostics) {
	wishes := wishes(plan, state, fresh)
	if len(wishes) == 0 && !fresh {
		return
	}
	source, _, ok := sides(ctx, c, plan, diags)
	if !ok {
		return
	}
	can, err := c.Capability(ctx, plan.PairingID.ValueString(), source.VCenterID, plan.VMID.ValueString())
	if errors.Is(err, vr.ErrNotFound) && !fresh {
		vmGone(plan, err, diags)
		return
	}
	if err != nil {
		f := failure("Check", plan, fmt.Errorf("%w; skip_capability_check = true skips the check", err))
		if errors.Is(err, vr.ErrNotFound) {
			at := path.Root("vm_id")
			f.Attribute = &at
		}
		f.AddTo(diags)
		return
	}
	if own && can.Status == alreadyConfigured {
		can.Status = "OK" // by the replication in state, which is replaced or continued
	}
	if fresh && !replicable(ctx, c, plan, can, diags) {
		return
	}
	for _, w := range wishes {
		if refusal := w.refusal(can); refusal != "" {
			diags.AddAttributeError(
				path.Root(w.attribute),
				"Not Possible With This VM",
				fmt.Sprintf(
					"vSphere Replication reports for %s: %s. Change the argument, or skip the check with "+
						"skip_capability_check = true.",
					plan.VMID.ValueString(),
					refusal,
				),
			)
		}
	}
}

// replicable reports whether the VM can be replicated at all.
func replicable(ctx context.Context, c *vr.Client, plan model, can vr.Capability, diags *diag.Diagnostics) bool {
	switch can.Status {
	case "OK", "":
		return true
	case alreadyConfigured:
		there, err := c.Replications(ctx, plan.PairingID.ValueString(), plan.VMID.ValueString(), vr.Shared)
		if err == nil && len(there) > 0 {
			alreadyReplicated(plan, there[0], diags)
			return false
		}
	}
	text := ""
	if len(can.Reasons) > 0 {
		text = " (" + strings.Join(can.Reasons, "; ") + ")"
	}
	diags.AddAttributeError(
		path.Root("vm_id"),
		"VM Cannot Be Replicated",
		fmt.Sprintf(
			"vSphere Replication reports %[2]s for %[1]s%[3]s. Remove the cause, or skip the check with "+
				"skip_capability_check = true.",
			plan.VMID.ValueString(),
			can.Status,
			text,
		),
	)
	return false
}

// wish is an argument that not every VM allows.
type wish struct {
	attribute string
	refusal   func(vr.Capability) string
}

// wishes returns what has to be asked for: all of a new replication, and what changes of one that exists.
func wishes(plan, state model, fresh bool) []wish {
	var all []wish
	add := func(attribute string, wanted, changed bool, refusal func(vr.Capability) string) {
		if wanted && (fresh || changed) {
			all = append(all, wish{attribute: attribute, refusal: refusal})
		}
	}
	unless := func(what string, allowed func(vr.Capability) bool) func(vr.Capability) string {
		return func(can vr.Capability) string {
			if allowed(can) {
				return ""
			}
			return what + " is not supported"
		}
	}
	add("rpo_minutes", known(plan.RPOMinutes), !plan.RPOMinutes.Equal(state.RPOMinutes), func(can vr.Capability) string {
		if plan.RPOMinutes.ValueInt64() >= can.MinRPOMinutes {
			return ""
		}
		return fmt.Sprintf(
			"rpo_minutes must be at least %d, got %d",
			can.MinRPOMinutes,
			plan.RPOMinutes.ValueInt64(),
		)
	})
	add(
		"quiesce_guest",
		plan.QuiesceGuest.ValueBool(),
		!plan.QuiesceGuest.Equal(state.QuiesceGuest),
		unless("quiescing", func(can vr.Capability) bool { return can.Quiescing }),
	)
	add(
		"network_compression",
		plan.NetworkCompression.ValueBool(),
		!plan.NetworkCompression.Equal(state.NetworkCompression),
		unless("compression of traffic", func(can vr.Capability) bool { return can.Compression }),
	)
	add("network_encryption", plan.NetworkEncryption.ValueBool(), !plan.NetworkEncryption.Equal(state.NetworkEncryption),
		unless("encryption of traffic", func(can vr.Capability) bool { return can.Encryption }))
	add(
		"auto_replicate_new_disks",
		plan.AutoReplicateNewDisks.ValueBool(),
		!plan.AutoReplicateNewDisks.Equal(state.AutoReplicateNewDisks),
		unless("to replicate new disks by themselves", func(can vr.Capability) bool { return can.AutoReplicate }),
	)
	add("point_in_time", !plan.PointInTime.IsNull(), !plan.PointInTime.Equal(state.PointInTime),
		unless("to keep instances", func(can vr.Capability) bool { return can.PointInTime }))
	add(
		"target_datastore_id",
		strings.HasPrefix(plan.TargetDatastoreID.ValueString(), "StoragePod:"),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		unless("a datastore cluster as the target", func(can vr.Capability) bool { return can.DatastoreCluster }),
	)
	add(
		"target_datastore_id",
		!fresh && !plan.TargetDatastoreID.IsUnknown(),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		unless("to move replicas", func(can vr.Capability) bool { return can.ReconfigureDisks }),
	)
	return all
}
