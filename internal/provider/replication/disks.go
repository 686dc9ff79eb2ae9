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

// share contains the replication settings of a disk.
type share struct {
	enabled             bool
	datastoreID, policy string
}

// shareOf returns the settings of a disk. An unlisted disk has the settings of the replication.
func (m model) shareOf(own disk, listed bool) share {
	return share{
		enabled:     !listed || own.Enabled.ValueBool(),
		datastoreID: or(own.DatastoreID, m.TargetDatastoreID), policy: or(own.PolicyID, m.TargetStoragePolicyID),
	}
}

// changed returns the planned settings, with the replica's values for settings that the plan does not change. A disk
// without a replica was added later.
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

// diskSettings returns the settings of all disks. replicas are the existing replicas by key. Settings that the plan
// does not change are sent as read, because another client may have changed them. If before is nil, the model
// overrides the replicas, except for a policy that is not configured.
func (m model) diskSettings(
	ctx context.Context, before *model, disks []vr.Disk, replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics,
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
			s.SeedPath = own.SeedPath.ValueString() // a replicated disk no longer needs a seed
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

// or returns the first non-empty value.
func or(values ...types.String) string {
	for _, v := range values {
		if v.ValueString() != "" {
			return v.ValueString()
		}
	}
	return ""
}

// withDisks sets the values of configured disks whose replicas differ, and adds disks excluded since the last refresh.
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

// withPlaces sets datastores and policies of an import.
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

// withShown sets the disks unless there are none.
func (m model) withShown(ctx context.Context, shown map[string]disk, diags *diag.Diagnostics) model {
	if len(shown) == 0 {
		return m
	}
	all, found := types.MapValueFrom(ctx, diskType, shown)
	diags.Append(found...)
	m.Disks = all
	return m
}

// compared returns a configured disk with the differing values of its replica.
func (m model) compared(own disk, replica vr.ReplicatedDisk) disk {
	if !replica.Disk.Home {
		own.Enabled = types.BoolValue(replica.Replicated)
	}
	if replica.DatastoreID != "" && replica.DatastoreID != or(own.DatastoreID, m.TargetDatastoreID) {
		own.DatastoreID = types.StringValue(replica.DatastoreID)
	}
	wanted, actual := or(own.PolicyID, m.TargetStoragePolicyID), vr.PolicyOf(replica.PolicyID)
	if actual != "" && actual != wanted && wanted != "" { // an unconfigured policy defaults to the datastore's policy
		own.PolicyID = types.StringValue(actual)
	}
	return own
}
