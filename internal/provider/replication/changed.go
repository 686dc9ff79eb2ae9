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

// changedError reports that another client changed the replication after the refresh.
type changedError struct{ what []string }

// Error names the changed settings.
func (e *changedError) Error() string {
	return "another client has changed " + strings.Join(e.what, ", ") + " of the replication since the refresh"
}

// Advice returns the remedy.
func (*changedError) Advice() string {
	return "Nothing was sent: the change would have replaced the other client's. Plan again, and decide with both in view."
}

// unchanged returns an error for settings that match neither state nor plan, because a reconfiguration would overwrite
// them. It compares disks if state lists them.
func (u update) unchanged(
	ctx context.Context, now vr.Replication, replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics,
) error {
	var foreign []string
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
			"auto_replicate_new_disks", seen.AutoReplicateNewDisks,
			u.state.AutoReplicateNewDisks, u.plan.AutoReplicateNewDisks,
		},
		{"replicate_vm_data_sets", seen.ReplicateVMDataSets, u.state.ReplicateVMDataSets, u.plan.ReplicateVMDataSets},
		{"point_in_time", seen.PointInTime, u.state.PointInTime, u.plan.PointInTime},
	} {
		open := field.name == "enhanced_replication" && (field.now.IsNull() || field.before.IsNull())
		if !open && !field.now.Equal(field.before) && !field.now.Equal(field.after) {
			foreign = append(foreign, field.name)
		}
	}
	wanted := u.plan.disks(ctx, diags)
	for name, own := range u.state.disks(ctx, diags) {
		replica, exists := replicas[name]
		planned, listed := wanted[name]
		before, after := u.state.shareOf(own, true), u.plan.shareOf(planned, listed)
		if exists && before.foreign(after, replica) {
			foreign = append(foreign, fmt.Sprintf("disks[%q]", name))
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	return &changedError{foreign}
}

// foreign reports whether a replica matches neither the disk before nor the disk after the change.
func (p share) foreign(after share, replica vr.ReplicatedDisk) bool {
	policy := vr.PolicyOf(replica.PolicyID)
	return (!replica.Disk.Home && replica.Replicated != p.enabled && replica.Replicated != after.enabled) ||
		(replica.DatastoreID != "" && replica.DatastoreID != p.datastoreID && replica.DatastoreID != after.datastoreID) ||
		(policy != "" && p.policy != "" && policy != p.policy && policy != after.policy)
}

// warnElsewhere warns about replicas that remain outside the configured datastore.
func (u update) warnElsewhere(replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics) {
	home, ok := replicas[vr.HomeDisk]
	wanted := u.plan.TargetDatastoreID.ValueString()
	if !ok || !u.plan.Disks.IsNull() || home.DatastoreID == "" || home.DatastoreID == wanted ||
		!u.plan.TargetDatastoreID.Equal(u.state.TargetDatastoreID) {
		return
	}
	diags.AddAttributeWarning(path.Root("target_datastore_id"), "Replica Is at Another Datastore",
		fmt.Sprintf("The replica of %q is at %s (%s), not at %s. Another client has moved it. It stays there, because the "+
			"plan did not show a move. Set target_datastore_id to where it is, or list the disks in disks, which a refresh "+
			"compares with the replicas.",
			u.state.Name.ValueString(), home.DatastoreID, home.DatastoreName, wanted))
}
