package replication

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

func (m model) disks(ctx context.Context, diags *diag.Diagnostics) map[string]disk {
	configured := make(map[string]disk)
	if !m.Disks.IsNull() && !m.Disks.IsUnknown() {
		diags.Append(m.Disks.ElementsAs(ctx, &configured, false)...)
	}
	return configured
}

type share struct {
	enabled             bool
	datastoreID, policy string
}

// shareOf returns the settings of a disk. A disk that is not listed has the settings of the replication.
func (m model) shareOf(own disk, listed bool) share {
	return share{
		enabled:     !listed || own.Enabled.ValueBool(),
		datastoreID: or(own.DatastoreID, m.TargetDatastoreID), policy: or(own.PolicyID, m.TargetStoragePolicyID),
	}
}

// changed returns the planned settings of a disk. If the plan does not change a setting, it returns the replica's
// value. exists is false for a disk that was added later.
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
// does not change have the values of the replica, because another client may have changed them. If before is nil, the
// plan overrides the replicas, except for a policy that is not configured.
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
			s.SeedPath = own.SeedPath.ValueString() // replicated disks need no seed
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

func or(values ...types.String) string {
	for _, v := range values {
		if v.ValueString() != "" {
			return v.ValueString()
		}
	}
	return ""
}

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

// withShown sets disks if shown is not empty.
func (m model) withShown(ctx context.Context, shown map[string]disk, diags *diag.Diagnostics) model {
	if len(shown) == 0 {
		return m
	}
	all, found := types.MapValueFrom(ctx, diskType, shown)
	diags.Append(found...)
	m.Disks = all
	return m
}

func (m model) compared(own disk, replica vr.ReplicatedDisk) disk {
	if !replica.Disk.Home {
		own.Enabled = types.BoolValue(replica.Replicated)
	}
	if replica.DatastoreID != "" && replica.DatastoreID != or(own.DatastoreID, m.TargetDatastoreID) {
		own.DatastoreID = types.StringValue(replica.DatastoreID)
	}
	wanted, actual := or(own.PolicyID, m.TargetStoragePolicyID), vr.PolicyOf(replica.PolicyID)
	if actual != "" && actual != wanted && wanted != "" { // an unset policy means the datastore's policy
		own.PolicyID = types.StringValue(actual)
	}
	return own
}

type place struct {
	datastore, policy     string
	atDatastore, atPolicy path.Path
}

func (ch check) planned(ctx context.Context) []place {
	m := ch.plan
	whole := place{
		datastore: m.TargetDatastoreID.ValueString(), policy: m.TargetStoragePolicyID.ValueString(),
		atDatastore: path.Root("target_datastore_id"), atPolicy: path.Root("target_storage_policy_id"),
	}
	all := []place{whole}
	disks := m.disks(ctx, ch.diags)
	for _, key := range slices.Sorted(maps.Keys(disks)) {
		d, at, own := disks[key], path.Root("disks").AtMapKey(key), whole
		if !d.DatastoreID.IsNull() {
			own.datastore, own.atDatastore = d.DatastoreID.ValueString(), at.AtName("target_datastore_id")
		}
		if !d.PolicyID.IsNull() {
			own.policy, own.atPolicy = d.PolicyID.ValueString(), at.AtName("storage_policy_id")
		}
		if own.datastore != whole.datastore || own.policy != whole.policy {
			all = append(all, own)
		}
	}
	return all
}

// places adds an error for each datastore of another site and each datastore that does not comply with its storage
// policy.
func (ch check) places(ctx context.Context, target vr.Site) bool {
	fine := true
	for _, p := range ch.planned(ctx) {
		switch {
		case p.datastore == "": // unknown until apply
		case !strings.EqualFold(vr.VCenterOf(p.datastore), target.VCenterID):
			fine = false
			ch.diags.AddAttributeError(p.atDatastore, "Datastore of Another Site",
				fmt.Sprintf("Replicas of this VM go to vCenter %s (%s), and datastore %s belongs to vCenter %s. "+
					"Use a datastore of the target site: data source vsla_replication_datastores lists them.",
					target.VCenterName, target.VCenterID, p.datastore, vr.VCenterOf(p.datastore)))
		case vr.PolicyOf(p.policy) != "" && !isCluster(p.datastore):
			fine = ch.complies(ctx, target, p) && fine
		}
	}
	return fine
}

// isCluster reports whether the id is a datastore cluster. The gateway checks compliance only for datastores.
func isCluster(id string) bool { return strings.HasPrefix(id, "StoragePod:") }

// complies reports whether the datastore complies with the policy. The result is cached. A missing privilege causes
// only a warning.
func (ch check) complies(ctx context.Context, target vr.Site, p place) bool {
	result, err := ch.client.Complies(ctx, ch.plan.PairingID.ValueString(), target.VCenterID, p.policy, p.datastore)
	if errors.Is(err, vr.ErrPermission) {
		ch.diags.AddAttributeWarning(p.atPolicy, "Storage Policy Not Checked",
			fmt.Sprintf("The user may not check whether datastore %s complies with storage policy %s, which needs the "+
				"privilege StorageProfile.View at the target site. Apply fails if it has to comply and does not.",
				p.datastore, p.policy))
		return true
	}
	if err != nil {
		f := failure("Check Storage Policy of", ch.plan, err)
		if errors.Is(err, vr.ErrNotFound) || errors.Is(err, vr.ErrInvalid) {
			f.Attribute = &p.atPolicy
		}
		f.AddTo(ch.diags)
		return false
	}
	if result.Compliant {
		return true
	}
	reason := result.Message
	if reason == "" {
		reason = "vSphere Replication reports no reason"
	}
	ch.diags.AddAttributeError(p.atPolicy, "Datastore Does Not Comply With Storage Policy",
		fmt.Sprintf("Datastore %s does not comply with storage policy %s: %s. Choose another datastore or policy, or "+
			"skip the check with skip_capability_check = true.", p.datastore, p.policy, strings.TrimRight(reason, ".")))
	return false
}
