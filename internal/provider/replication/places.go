package replication

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/vr"
)

// place is a datastore with its storage policy and the paths of both arguments.
type place struct {
	datastore, policy     string
	atDatastore, atPolicy path.Path
}

// planned returns the known places of the replication and its disks.
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

// places reports datastores of another site and storage policies that their datastore does not comply with.
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

// isCluster reports whether the id is that of a datastore cluster. The gateway checks compliance only for datastores.
func isCluster(id string) bool { return strings.HasPrefix(id, "StoragePod:") }

// complies reports whether the datastore complies with the policy. The result is cached. A missing privilege results
// in a warning, because the check is optional.
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
