package replication

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/wholenumber"
	"terraform-provider-vsla/internal/vr"
)

// adopted contains the settings of an existing replication that a create takes over, before the create changes them.
type adopted struct {
	ReplicationID         types.String      `tfsdk:"replication_id"`
	TargetDatastoreID     types.String      `tfsdk:"target_datastore_id"`
	TargetStoragePolicyID types.String      `tfsdk:"target_storage_policy_id"`
	DiskFormat            types.String      `tfsdk:"disk_format"`
	RPOMinutes            wholenumber.Value `tfsdk:"rpo_minutes"`
	NetworkCompression    types.Bool        `tfsdk:"network_compression"`
	QuiesceGuest          types.Bool        `tfsdk:"quiesce_guest"`
	NetworkEncryption     types.Bool        `tfsdk:"network_encryption"`
	EnhancedReplication   types.Bool        `tfsdk:"enhanced_replication"`
	AutoReplicateNewDisks types.Bool        `tfsdk:"auto_replicate_new_disks"`
	ReplicateVMDataSets   types.Bool        `tfsdk:"replicate_vm_data_sets"`
	PointInTime           types.Object      `tfsdk:"point_in_time"`
	Disks                 types.Map         `tfsdk:"disks"`
}

var adoptedType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"replication_id":           types.StringType,
	"target_datastore_id":      types.StringType,
	"target_storage_policy_id": types.StringType,
	"disk_format":              types.StringType,
	"rpo_minutes":              wholenumber.Type{},
	"network_compression":      types.BoolType,
	"quiesce_guest":            types.BoolType,
	"network_encryption":       types.BoolType,
	"enhanced_replication":     types.BoolType,
	"auto_replicate_new_disks": types.BoolType,
	"replicate_vm_data_sets":   types.BoolType,
	"point_in_time":            pointInTimeType,
	"disks":                    types.MapType{ElemType: diskType},
}}

// adoptedOf returns the settings of an imported replication.
func adoptedOf(ctx context.Context, m model, diags *diag.Diagnostics) types.Object {
	object, found := types.ObjectValueFrom(ctx, adoptedType.AttrTypes, adopted{
		ReplicationID:         m.ReplicationID,
		TargetDatastoreID:     m.TargetDatastoreID,
		TargetStoragePolicyID: m.TargetStoragePolicyID,
		DiskFormat:            m.DiskFormat,
		RPOMinutes:            m.RPOMinutes,
		NetworkCompression:    m.NetworkCompression,
		QuiesceGuest:          m.QuiesceGuest,
		NetworkEncryption:     m.NetworkEncryption,
		EnhancedReplication:   m.EnhancedReplication,
		AutoReplicateNewDisks: m.AutoReplicateNewDisks,
		ReplicateVMDataSets:   m.ReplicateVMDataSets,
		PointInTime:           m.PointInTime,
		Disks:                 m.Disks,
	})
	diags.Append(found...)
	return object
}

func adoptAttributes() map[string]schema.Attribute {
	number := func(doc string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: doc, CustomType: wholenumber.Type{}, Computed: true}
	}
	yes := func(doc string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: doc, Computed: true}
	}
	return map[string]schema.Attribute{
		"adopt_existing": managed.DefaultFalse("Whether to adopt an existing replication of the VM to the same site " +
			"instead of returning an error. The plan shows its settings in `adopts`, and the apply changes those " +
			"that differ from the configuration. Also use this after an apply that was killed before it saved the " +
			"state. The replication must not be managed by another configuration, because destroying this resource " +
			"deletes it."),
		"adopts": schema.SingleNestedAttribute{
			MarkdownDescription: "Existing replication that the planned create adopts, with its settings before the " +
				"create. Null if there is none, and after a refresh. If another client changes them after the plan, " +
				"Terraform or the provider stops the apply.",
			Computed: true,
			Attributes: map[string]schema.Attribute{
				"replication_id":           managed.String("ID of the replication in vSphere Replication."),
				"target_datastore_id":      managed.String("Datastore of the replica."),
				"target_storage_policy_id": managed.String("Storage policy of the replica."),
				"disk_format":              managed.String("Format of the replica disks."),
				"rpo_minutes":              number("Recovery point objective, in minutes."),
				"network_compression":      yes("Whether replication traffic is compressed."),
				"quiesce_guest":            yes("Whether the guest is quiesced."),
				"network_encryption":       yes("Whether replication traffic is encrypted."),
				"enhanced_replication":     yes("Whether it is an enhanced replication."),
				"auto_replicate_new_disks": yes("Whether new disks are replicated."),
				"replicate_vm_data_sets":   yes("Whether data sets are replicated."),
				"point_in_time": schema.SingleNestedAttribute{
					MarkdownDescription: "Point-in-time instances.",
					Computed:            true,
					Attributes: map[string]schema.Attribute{
						"instances_per_day": number("Instances per day."),
						"days":              number("Days."),
					},
				},
				"disks": schema.MapNestedAttribute{
					MarkdownDescription: "Disks with other settings, by device key.",
					Computed:            true,
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"enabled":             yes("Whether the disk is replicated."),
						"target_datastore_id": managed.String("Datastore."),
						"storage_policy_id":   managed.String("Storage policy."),
						"disk_format":         managed.String("Format."),
						"seed_path":           managed.String("Null."),
					}},
				},
			},
		},
	}
}

// readImported returns the state that an import of the replication would create.
func readImported(
	ctx context.Context, c *vr.Client, pairing string, existing vr.Replication, diags *diag.Diagnostics,
) (model, error) {
	return refresh(ctx, c, newImported(pairing, existing.ID), existing, false, diags)
}

// planExisting looks for a replication of the VM that this configuration does not manage. If it is to be adopted, it
// returns the state that an import would create. Otherwise, it adds a warning.
func (r *replicationResource) planExisting(
	ctx context.Context, c *vr.Client, plan model, diags *diag.Diagnostics,
) (existing *model) {
	pairing := plan.PairingID.ValueString()
	vm := plan.VMID.ValueString()
	all, err := c.Replications(ctx, pairing, vm, vr.Unverified) // the apply checks again
	if err != nil || len(all) == 0 || r.isInState(plan) {
		if err != nil {
			failure("Read", plan, err).AddTo(diags)
		}
		return nil
	}
	found := all[0]
	imported, err := readImported(ctx, c, pairing, found, diags)
	if err != nil {
		failure("Read", plan, err).AddTo(diags)
		return nil
	}
	outgoing := len(all) == 1 && strings.EqualFold(found.SourceVCenterID, vr.VCenterOf(vm))
	switch {
	case !plan.AdoptExisting.ValueBool() && r.willResume(plan):
		return nil
	case !plan.AdoptExisting.ValueBool():
		f, id := exists(plan, found)
		f.Alternative = explain.AdoptAdvice("replication", plan.equals(imported))
		f.WarnTaken(diags, path.Root("vm_id"), typeName, id)
		return nil
	case !outgoing:
		failure("Adopt", plan, fmt.Errorf("replication %s of VM %s is not the only one, or has another source than "+
			"the VM",
			found.ID, vm)).AddTo(diags)
		return nil
	case found.Recovering():
		failure("Adopt", plan, fmt.Errorf("%w: replication %s has recovery state %s", errBusy, found.ID,
			found.RecoveryState)).AddTo(diags)
		return nil
	}
	return &imported
}

// equals reports whether an existing replication has the planned settings. Settings that are not planned are ignored.
func (m model) equals(existing model) bool {
	if m.NetworkEncryption.IsUnknown() {
		m.NetworkEncryption = existing.NetworkEncryption
	}
	return existing.options().Matches(m.options()) && m.TargetDatastoreID.Equal(existing.TargetDatastoreID)
}

var errChangedSince = &driftError{[]string{"the settings"}}

// adopt takes over the replication that the plan shows, and changes what differs. It saves no state before that,
// because a failed create would own the replication.
func (n *creation) adopt(ctx context.Context, store *resume.Store, server string, diags *diag.Diagnostics) bool {
	id, _ := n.plan.Adopts.Attributes()["replication_id"].(types.String)
	pairing := n.plan.PairingID.ValueString()
	current, err := n.client.Replication(ctx, pairing, id.ValueString(), vr.Recent)
	var existing model
	if err == nil {
		existing, err = readImported(ctx, n.client, pairing, current, diags)
	}
	if err == nil && !adoptedOf(ctx, existing, diags).Equal(n.plan.Adopts) {
		err = errChangedSince
	}
	if err == nil && !store.Claim(current.ID, true) {
		err = resume.ErrRemoved
	}
	if err == nil {
		n.replication = current
		n.plan = n.plan.withGatewayDefaults(current).withComputed(current, "").withoutUnknowns(n.target)
		err = n.reconcile(ctx, current, server, diags)
	}
	if err != nil {
		failure("Adopt", n.plan, err).AddTo(diags)
	}
	return !diags.HasError()
}

// claimDeleted reports whether a delete may remove the replication. If a create of the same run has adopted it, it adds
// a warning and returns false.
func (r *replicationResource) claimDeleted(state model, id string, diags *diag.Diagnostics) bool {
	if connection.State[resume.Store](r.Clients).Claim(id, false) {
		return true
	}
	diags.AddAttributeWarning(path.Root("replication_id"), "Replication Not Deleted", fmt.Sprintf(
		"A create of this apply has adopted the replication of %q (adopt_existing = true), so it is kept.",
		state.Name.ValueString()))
	return false
}
