package replication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

func (m model) disks(ctx context.Context, diags *diag.Diagnostics) map[string]disk {
	configured := make(map[string]disk)
	if !m.Disks.IsNull() && !m.Disks.IsUnknown() {
		diags.Append(m.Disks.ElementsAs(ctx, &configured, false)...)
	}
	return configured
}

type effectiveDisk struct {
	enabled                       bool
	datastoreID, policyID, format string
}

// formatDiffers reports whether a replica has another disk format than the given one. Formats that refer to the source
// or to a policy match any format. A replica whose format is not reported and the home folder match as well.
func formatDiffers(format string, replica vr.ReplicatedDisk) bool {
	relative := []string{"SAME_AS_SOURCE", "SAME_AS_PRIMARY", "AS_DEFINED_IN_PROFILE"}
	return replica.Format != "" && !replica.Disk.Home && replica.Format != format && !slices.Contains(relative, format)
}

// effectiveDisk returns the settings of a disk. A disk that is not listed has the settings of the replication.
func (m model) effectiveDisk(own disk, listed bool) effectiveDisk {
	return effectiveDisk{
		enabled:     !listed || own.Enabled.ValueBool(),
		datastoreID: firstNonEmpty(own.DatastoreID, m.TargetDatastoreID),
		policyID:    firstNonEmpty(own.PolicyID, m.TargetStoragePolicyID),
		format:      firstNonEmpty(own.Format, m.DiskFormat),
	}
}

// mergeReplica returns the planned settings of a disk. Settings that the plan does not change are taken from the
// replica. exists is false for a disk without a replica.
func (d effectiveDisk) mergeReplica(
	before effectiveDisk, replica vr.ReplicatedDisk, exists, automatic bool,
) effectiveDisk {
	if !exists {
		d.enabled = d.enabled && (automatic || !before.enabled)
		return d
	}
	if d.enabled == before.enabled && !replica.Disk.Home && !replica.Unreported {
		d.enabled = replica.Replicated
	}
	if d.datastoreID == before.datastoreID && replica.DatastoreID != "" {
		d.datastoreID = replica.DatastoreID
	}
	if d.policyID == before.policyID {
		d.policyID = vr.NormalizePolicyID(replica.PolicyID)
	}
	if d.format == before.format && replica.Format != "" {
		d.format = replica.Format
	}
	return d
}

// diskSettings returns the settings of all disks. replicas maps disk keys to existing replicas. Settings that the plan
// does not change are taken from the replica, because another client may have changed them. If before is nil, the plan
// takes precedence over the replicas, and only a policy that is not configured is taken from the replica.
func (m model) diskSettings(
	ctx context.Context, before *model, disks []vr.Disk, replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics,
) []vr.DiskSettings {
	configured := m.disks(ctx, diags)
	var disksBefore map[string]disk
	if before != nil {
		disksBefore = before.disks(ctx, diags)
	}
	all := make([]vr.DiskSettings, 0, len(disks))
	keys := make([]string, 0, len(disks))
	for _, d := range disks {
		name := d.Name()
		keys = append(keys, name)
		own, listed := configured[name]
		replica, exists := replicas[name]
		wanted := m.effectiveDisk(own, listed)
		if before != nil {
			old, was := disksBefore[name]
			automatic := listed || before.AutoReplicateNewDisks.ValueBool()
			wanted = wanted.mergeReplica(before.effectiveDisk(old, was), replica, exists, automatic)
		} else if exists && wanted.policyID == "" {
			wanted.policyID = vr.NormalizePolicyID(replica.PolicyID)
		}
		s := vr.DiskSettings{
			Disk:        d,
			Replicate:   wanted.enabled,
			DatastoreID: wanted.datastoreID,
			PolicyID:    wanted.policyID,
			Format:      wanted.format,
		}
		if !exists || !replica.Replicated {
			s.SeedPath = own.SeedPath.ValueString() // disks that are already replicated need no seed
		}
		if s.Replicate && !d.Supported && !exists {
			diags.AddAttributeError(path.Root("disks"), "Disk Cannot Be Replicated", fmt.Sprintf(
				"vSphere Replication does not support disk %q (%s). Exclude it with disks = { %q = { enabled = false "+
					"} }, or move it to another controller.",
				name,
				d.Label,
				name,
			))
		}
		all = append(all, s)
	}
	for key := range configured {
		if !slices.Contains(keys, key) {
			slices.Sort(keys)
			diags.AddAttributeError(path.Root("disks").AtMapKey(key), "Unknown Disk",
				fmt.Sprintf("The VM has no disk with this key. Existing keys: %s.", strings.Join(keys, ", ")))
		}
	}
	return all
}

func firstNonEmpty(values ...types.String) string {
	for _, v := range values {
		if v.ValueString() != "" {
			return v.ValueString()
		}
	}
	return ""
}

func (m model) withRefreshedDisks(ctx context.Context, replicas []vr.ReplicatedDisk, diags *diag.Diagnostics) model {
	configured := m.disks(ctx, diags)
	replicatedBefore := m.replicatedNames(ctx, diags)
	for _, replica := range replicas {
		name := replica.Disk.Name()
		own, listed := configured[name]
		switch {
		case listed:
			configured[name] = m.refreshedDisk(own, replica)
		case slices.Contains(replicatedBefore, name) && !replica.Replicated:
			configured[name] = disk{Enabled: types.BoolValue(false)}
		}
	}
	return m.withDisks(ctx, configured, diags).withReplicas(ctx, replicas, diags)
}

func (m model) withImportedDisks(ctx context.Context, replicas []vr.ReplicatedDisk, diags *diag.Diagnostics) model {
	placement := vr.PlacementOf(replicas)
	m.TargetDatastoreID = attribute.OrNull(placement.DatastoreID)
	m.TargetStoragePolicyID = attribute.OrNull(placement.PolicyID)
	if placement.Format != "" {
		m.DiskFormat = types.StringValue(placement.Format)
	}
	disks := make(map[string]disk, len(placement.Disks))
	for name, d := range placement.Disks {
		disks[name] = disk{
			Enabled:     types.BoolValue(d.Replicated),
			DatastoreID: attribute.OrNull(d.DatastoreID),
			PolicyID:    attribute.OrNull(d.PolicyID),
			Format:      attribute.OrNull(d.Format),
		}
	}
	return m.withDisks(ctx, disks, diags).withReplicas(ctx, replicas, diags)
}

func (m model) withDisks(ctx context.Context, disks map[string]disk, diags *diag.Diagnostics) model {
	if len(disks) == 0 {
		return m
	}
	all, found := types.MapValueFrom(ctx, diskType, disks)
	diags.Append(found...)
	m.Disks = all
	return m
}

func (m model) refreshedDisk(own disk, replica vr.ReplicatedDisk) disk {
	if !replica.Disk.Home && !replica.Unreported {
		own.Enabled = types.BoolValue(replica.Replicated)
	}
	if replica.DatastoreID != "" && replica.DatastoreID != firstNonEmpty(own.DatastoreID, m.TargetDatastoreID) {
		own.DatastoreID = types.StringValue(replica.DatastoreID)
	}
	wanted := firstNonEmpty(own.PolicyID, m.TargetStoragePolicyID)
	actual := vr.NormalizePolicyID(replica.PolicyID)
	if actual != "" && actual != wanted && wanted != "" { // an unset policy means the datastore's default policy
		own.PolicyID = types.StringValue(actual)
	}
	if formatDiffers(firstNonEmpty(own.Format, m.DiskFormat), replica) {
		own.Format = types.StringValue(replica.Format)
	}
	return own
}
