package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/vr"
)

// isCluster reports whether an ID is that of a datastore cluster, whose compliance the gateway does not check.
func isCluster(id string) bool { return strings.HasPrefix(id, "StoragePod:") }

// complies reports whether a datastore complies with the storage policy. The result is cached. A missing privilege
// causes only a warning.
func (ch check) complies(ctx context.Context, target vr.Site, p placement) bool {
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
