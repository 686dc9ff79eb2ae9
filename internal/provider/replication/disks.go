// Disks: the settings that a configuration sends for each, and those that a refresh shows for the disks in the
// configuration.

package replication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

var objectOptions = basetypes.ObjectAsOptions{}

// disks returns the configured disks by key.
func (m model) disks(ctx context.Context, diags *diag.Diagnostics) map[string]disk {
	configured := make(map[string]disk)
	if !m.Disks.IsNull() && !m.Disks.IsUnknown() {
		diags.Append(m.Disks.ElementsAs(ctx, &configured, false)...)
	}
	return configured
}

// share is a disk's share in a replication, as a model has it.
type share struct {
	enabled             bool
	datastoreID, policy string
}

// shareOf returns the share of a disk; one that is not listed has that of the replication.
func (m model) shareOf(own disk, listed bool) share {
	return share{
		enabled:     !listed || own.Enabled.ValueBool(),
		datastoreID: or(own.DatastoreID, m.TargetDatastoreID), policy: or(own.PolicyID, m.TargetStoragePolicyID),
	}
}

// changed returns the share with that of the replica in all that does not differ from before. A disk without a replica
// was added since.
func (p share) changed(before share, replica vr.ReplicatedDisk, exists, automatic bool) share {
	if !exists {
		p.enabled = p.enabled && (automatic || !before.enabled)
		return p
	}
	if p.enabled == before.enabled && !replica.Disk.Home {
		p.enabled = replica.Replicated
	}
	if p.datastoreID == before.datastoreID && replica.DatastoreID != "" {
		p.datastoreID = replica.DatastoreID
	}
	if p.policy == before.policy {
		p.policy = vr.PolicyOf(replica.PolicyID)
	}
	return p
}

// diskSettings returns the settings of all disks. replicas are those that exist, by key; empty for a new replication.
// What before and the model have in common is sent as it was read: another client may have changed it. Without before
// the model decides, but for a policy that it leaves open.
func (m model) diskSettings(
	ctx context.Context,
	before *model,
	disks []vr.Disk,
	replicas map[string]vr.ReplicatedDisk,
	diags *diag.Diagnostics,
) []vr.DiskSettings {
	configured := m.disks(ctx, diags)
	var earlier map[string]disk
	if before != nil {
		earlier = before.disks(ctx, diags)
	}
	all := make([]vr.DiskSettings, 0, len(disks))
	known := make([]string, 0, len(disks))
	for _, d := range disks {
		name := d.Name()
		known = append(known, name)
		own, listed := configured[name]
		replica, exists := replicas[name]
		wanted := m.shareOf(own, listed)
		if before != nil {
			old, was := earlier[name]
			automatic := listed || before.AutoReplicateNewDisks.ValueBool()
			wanted = wanted.changed(before.shareOf(old, was), replica, exists, automatic)
		} else if exists && wanted.policy == "" {
			wanted.policy = vr.PolicyOf(replica.PolicyID)
		}
		s := vr.DiskSettings{
			Disk: d, Replicate: wanted.enabled, DatastoreID: wanted.datastoreID, PolicyID: wanted.policy,
			Format: or(own.Format, m.DiskFormat),
		}
		if !exists || !replica.Replicated {
			s.SeedPath = own.SeedPath.ValueString() // a replicated disk has used its seed
		}
		if s.Replicate && !d.Supported && !exists {
			diags.AddAttributeError(
				path.Root("disks"),
				"Disk Cannot Be Replicated",
				fmt.Sprintf(
					"vSphere Replication does not support disk %q (%s). Leave it out with disks = { %q = { enabled = false } }, "+
						"or move it to another controller.",
					name,
					d.Label,
					name,
				),
			)
		}
		all = append(all, s)
	}
	for key := range configured {
		if !slices.Contains(known, key) {
			slices.Sort(known)
			diags.AddAttributeError(path.Root("disks").AtMapKey(key), "Unknown Disk",
				fmt.Sprintf("The VM has no disk with this key. It has: %s.", strings.Join(known, ", ")))
		}
	}
	return all
}

// or returns the first value that is set.
func or(values ...types.String) string {
	for _, v := range values {
		if v.ValueString() != "" {
			return v.ValueString()
		}
	}
	return ""
}

// withDisks shows where the replicas of configured disks differ from the configuration, and disks that are excluded
// since the last refresh.
func (m model) withDisks(ctx context.Context, replicas []vr.ReplicatedDisk, diags *diag.Diagnostics) model {
	shown, before := m.disks(ctx, diags), m.replicatedNames(ctx, diags)
	for _, replica := range replicas {
		name := replica.Disk.Name()
		own, listed := shown[name]
		switch {
		case listed:
			shown[name] = m.compared(own, replica)
		case slices.Contains(before, name) && !replica.Replicated:
			shown[name] = disk{Enabled: types.BoolValue(false)}
		}
	}
	return m.withShown(ctx, shown, diags).withReplicas(ctx, replicas, diags)
}

// withPlaces shows where the replicas of an import are.
func (m model) withPlaces(ctx context.Context, replicas []vr.ReplicatedDisk, diags *diag.Diagnostics) model {
	place := vr.PlacementOf(replicas)
	m.TargetDatastoreID, m.TargetStoragePolicyID = attribute.OrNull(place.DatastoreID), attribute.OrNull(place.PolicyID)
	shown := make(map[string]disk, len(place.Disks))
	for name, d := range place.Disks {
		shown[name] = disk{
			Enabled:     types.BoolValue(d.Replicated),
			DatastoreID: attribute.OrNull(d.DatastoreID), PolicyID: attribute.OrNull(d.PolicyID),
		}
	}
	return m.withShown(ctx, shown, diags).withReplicas(ctx, replicas, diags)
}

// withShown returns the model with the disks; none leave it as it is.
func (m model) withShown(ctx context.Context, shown map[string]disk, diags *diag.Diagnostics) model {
	if len(shown) == 0 {
		return m
	}
	all, found := types.MapValueFrom(ctx, diskType, shown)
	diags.Append(found...)
	m.Disks = all
	return m
}

// compared returns a configured disk with the values in which its replica differs.
func (m model) compared(own disk, replica vr.ReplicatedDisk) disk {
	if !replica.Disk.Home {
		own.Enabled = types.BoolValue(replica.Replicated)
	}
	if replica.DatastoreID != "" && replica.DatastoreID != or(own.DatastoreID, m.TargetDatastoreID) {
		own.DatastoreID = types.StringValue(replica.DatastoreID)
	}
	wanted, actual := or(own.PolicyID, m.TargetStoragePolicyID), vr.PolicyOf(replica.PolicyID)
	if actual != "" && actual != wanted && wanted != "" { // a policy that is not configured is the datastore's
		own.PolicyID = types.StringValue(actual)
	}
	return own
}
