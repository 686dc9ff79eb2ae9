package replication

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

// placement is a datastore with the storage policy that is used on it, and the arguments that set them.
type placement struct {
	datastoreID   string
	policyID      string
	datastorePath path.Path
	policyPath    path.Path
}

// plannedPlacements returns the placement of most disks, and those of disks that override it.
func (ch check) plannedPlacements(ctx context.Context) []placement {
	m := ch.plan
	defaults := placement{
		datastoreID:   m.TargetDatastoreID.ValueString(),
		policyID:      m.TargetStoragePolicyID.ValueString(),
		datastorePath: path.Root("target_datastore_id"),
		policyPath:    path.Root("target_storage_policy_id"),
	}
	all := []placement{defaults}
	disks := m.disks(ctx, ch.diags)
	for _, key := range slices.Sorted(maps.Keys(disks)) {
		d := disks[key]
		at := path.Root("disks").AtMapKey(key)
		override := defaults
		if !d.DatastoreID.IsNull() {
			override.datastoreID = d.DatastoreID.ValueString()
			override.datastorePath = at.AtName("target_datastore_id")
		}
		if !d.PolicyID.IsNull() {
			override.policyID = d.PolicyID.ValueString()
			override.policyPath = at.AtName("storage_policy_id")
		}
		if override.datastoreID != defaults.datastoreID || override.policyID != defaults.policyID {
			all = append(all, override)
		}
	}
	return all
}

// checkPlacements reports whether all planned datastores belong to the target site, exist and comply with their storage
// policies. It adds an error for each one that does not.
func (ch check) checkPlacements(ctx context.Context, target vr.Site) bool {
	valid := true
	known := make(map[string]bool)
	before := ch
	before.plan = ch.state
	for _, p := range before.plannedPlacements(ctx) {
		known[p.datastoreID] = true
	}
	for _, p := range ch.plannedPlacements(ctx) {
		if p.datastoreID != "" { // known before apply
			valid = ch.checkPlacement(ctx, target, p, !known[p.datastoreID]) && valid
		}
	}
	return valid
}

func (ch check) checkPlacement(ctx context.Context, target vr.Site, p placement, isNew bool) bool {
	if !strings.EqualFold(vr.VCenterOf(p.datastoreID), target.VCenterID) {
		ch.diags.AddAttributeError(p.datastorePath, "Datastore of Another Site",
			fmt.Sprintf("The target of this replication is vCenter %s (%s), but datastore %s belongs to vCenter "+
				"%s. Use a datastore of the target site. The data source vsla_replication_site lists them.",
				target.VCenterName, target.VCenterID, p.datastoreID, vr.VCenterOf(p.datastoreID)))
		return false
	}
	if isNew && !ch.checkDatastore(ctx, target, p) {
		return false
	}
	if vr.NormalizePolicyID(p.policyID) == "" || isCluster(p.datastoreID) {
		return true
	}
	return ch.checkCompliance(ctx, target, p)
}

// checkDatastore reports whether the target site lists the datastore, and adds an error if it does not. If the
// datastores cannot be listed, the apply reports it.
func (ch check) checkDatastore(ctx context.Context, target vr.Site, p placement) bool {
	if isCluster(p.datastoreID) {
		return true
	}
	_, err := ch.client.FindDatastore(ctx, ch.plan.PairingID.ValueString(), target.VCenterID, p.datastoreID)
	if !errors.Is(err, vr.ErrNotFound) || quantity.Existing(err) == "" {
		return true
	}
	ch.diags.AddAttributeError(p.datastorePath, "Unknown Datastore", fmt.Sprintf(
		"The datastore does not exist at the target site %s or is not visible to this account. The data source "+
			"vsla_replication_site lists the datastores of a site.\n\n%s", target.VCenterName, explain.Detail(err)))
	return false
}

// isCluster reports whether an ID is that of a datastore cluster, whose compliance the gateway does not check.
func isCluster(id string) bool { return strings.HasPrefix(id, "StoragePod:") }

// checkCompliance reports whether a datastore complies with the storage policy, and adds an error if it does not. The
// client caches the result. A missing privilege causes only a warning.
func (ch check) checkCompliance(ctx context.Context, target vr.Site, p placement) bool {
	pairing := ch.plan.PairingID.ValueString()
	result, err := ch.client.CheckCompliance(ctx, pairing, target.VCenterID, p.policyID, p.datastoreID)
	if errors.Is(err, vr.ErrPermission) {
		ch.diags.AddAttributeWarning(p.policyPath, "Storage Policy Not Checked",
			fmt.Sprintf("The user cannot check whether datastore %s complies with storage policy %s, which requires "+
				"the privilege StorageProfile.View at the target site. If the datastore does not comply, the apply "+
				"may fail.",
				p.datastoreID, p.policyID))
		return true
	}
	if err != nil {
		f := failure("Check Storage Policy of", ch.plan, err)
		if errors.Is(err, vr.ErrNotFound) || errors.Is(err, vr.ErrInvalid) {
			f.Attribute = &p.policyPath
		}
		f.AddTo(ch.diags)
		return false
	}
	if result.Compliant {
		return true
	}
	reason := result.Message
	if reason == "" {
		reason = "vSphere Replication did not report a reason"
	}
	ch.diags.AddAttributeError(p.policyPath, "Datastore Does Not Comply With Storage Policy",
		fmt.Sprintf("Datastore %s does not comply with storage policy %s: %s. Choose another datastore or policy, or "+
			"set skip_capability_check = true to skip the check.",
			p.datastoreID, p.policyID, strings.TrimRight(reason, ".")))
	return false
}
