package replication

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/vr"
)

// driftError reports that another client has changed the replication since the refresh.
type driftError struct{ settings []string }

// Error returns a message that lists the changed settings.
func (e *driftError) Error() string {
	return "another client has changed " + strings.Join(e.settings, ", ") + " of the replication since the refresh"
}

// Advice returns a hint for the user.
func (*driftError) Advice() string {
	return "Nothing was sent, because the update would have overwritten the change of the other client. Plan again " +
		"to see both changes."
}

// checkDrift returns an error if another client has changed a setting that a reconfiguration would overwrite. A setting
// counts as changed if it matches neither state nor plan. Disks are compared only if they are listed in state.
func (u update) checkDrift(
	ctx context.Context, now vr.Replication, replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics,
) error {
	var drifted []string
	seen := u.state.withOptions(now.Options)
	for _, field := range []struct {
		name               string
		now, before, after attr.Value
	}{
		{"rpo_minutes", seen.RPOMinutes, u.state.RPOMinutes, u.plan.RPOMinutes},
		{"network_compression", seen.NetworkCompression, u.state.NetworkCompression, u.plan.NetworkCompression},
		{"quiesce_guest", seen.QuiesceGuest, u.state.QuiesceGuest, u.plan.QuiesceGuest},
		{"network_encryption", seen.NetworkEncryption, u.state.NetworkEncryption, u.plan.NetworkEncryption},
		{"enhanced_replication", seen.EnhancedReplication, u.state.EnhancedReplication, u.plan.EnhancedReplication},
		{
			"auto_replicate_new_disks",
			seen.AutoReplicateNewDisks,
			u.state.AutoReplicateNewDisks,
			u.plan.AutoReplicateNewDisks,
		},
		{"replicate_vm_data_sets", seen.ReplicateVMDataSets, u.state.ReplicateVMDataSets, u.plan.ReplicateVMDataSets},
		{"point_in_time", seen.PointInTime, u.state.PointInTime, u.plan.PointInTime},
	} {
		open := (field.name == "enhanced_replication" || field.name == "network_encryption") && field.before.IsNull()
		if !open && !field.now.Equal(field.before) && !field.now.Equal(field.after) {
			drifted = append(drifted, field.name)
		}
	}
	wanted := u.plan.disks(ctx, diags)
	for name, own := range u.state.disks(ctx, diags) {
		replica, exists := replicas[name]
		planned, listed := wanted[name]
		before := u.state.effectiveDisk(own, true)
		after := u.plan.effectiveDisk(planned, listed)
		if exists && before.hasDrifted(after, replica) {
			drifted = append(drifted, fmt.Sprintf("disks[%q]", name))
		}
	}
	if len(drifted) == 0 {
		return nil
	}
	return &driftError{drifted}
}

// hasDrifted reports whether a replica matches neither the former nor the planned settings of its disk.
func (d effectiveDisk) hasDrifted(after effectiveDisk, replica vr.ReplicatedDisk) bool {
	policy := vr.NormalizePolicyID(replica.PolicyID)
	isReported := !replica.Disk.Home && !replica.Unreported
	exclusion := isReported && replica.Replicated != d.enabled && replica.Replicated != after.enabled
	datastore := replica.DatastoreID != "" &&
		replica.DatastoreID != d.datastoreID && replica.DatastoreID != after.datastoreID
	storagePolicy := policy != "" && d.policyID != "" && policy != d.policyID && policy != after.policyID
	format := formatDiffers(d.format, replica) && formatDiffers(after.format, replica)
	return exclusion || datastore || storagePolicy || format
}

// warnMovedReplica warns if another client has moved the replica, and the plan does not move it.
func (u update) warnMovedReplica(replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics) {
	home, ok := replicas[vr.HomeDisk]
	planned := u.plan.TargetDatastoreID.ValueString()
	if !ok || !u.plan.Disks.IsNull() || home.DatastoreID == "" || home.DatastoreID == planned ||
		!u.plan.TargetDatastoreID.Equal(u.state.TargetDatastoreID) {
		return
	}
	diags.AddAttributeWarning(path.Root("target_datastore_id"), "Replica Is on Another Datastore",
		fmt.Sprintf("The replica of %q is on %s (%s), not on %s, because another client moved it. It is not moved "+
			"back, because the plan did not show a move. Set target_datastore_id to its current datastore, or list "+
			"the disks in disks, which each refresh compares with the replicas.",
			u.state.Name.ValueString(), home.DatastoreID, home.DatastoreName, planned))
}
