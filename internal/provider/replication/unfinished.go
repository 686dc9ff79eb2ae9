package replication

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

// plannedVM is the key of the planned VM in private data.
const plannedVM = "vsla_vm"

// workKey identifies the VM in a pairing among the unfinished creates.
func (m model) workKey() string {
	return typeName + " " + m.PairingID.ValueString() + "/" + m.VMID.ValueString()
}

// recordPlannedVM records the planned VM, if known, in private data. Delete uses it to detect that a create for the
// same VM follows.
func (m model) recordPlannedVM(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
},
) diag.Diagnostics {
	if m.PairingID.IsUnknown() || m.VMID.IsUnknown() {
		return private.SetKey(ctx, plannedVM, nil)
	}
	text, err := json.Marshal(m.workKey())
	if err != nil {
		text = nil // unreachable, because a string can always be encoded
	}
	return private.SetKey(ctx, plannedVM, text)
}

// willResume reports whether a create for the same VM follows the destroy.
func (m model) willResume(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics,
) bool {
	text, found := private.GetKey(ctx, plannedVM)
	diags.Append(found...)
	var planned string
	return resume.WillResume(ctx, private, diags) && json.Unmarshal(text, &planned) == nil && planned == m.workKey()
}

// takeUnfinished looks for an unfinished create of the VM. It saves the replication, so that no failure loses it.
func (n *creation) takeUnfinished(ctx context.Context, store *resume.Store) {
	unfinished := store.Take(n.plan.workKey(), func(string) bool { return true })
	if unfinished == nil {
		return
	}
	n.resuming = true
	n.unfinishedID = unfinished[n.plan.VMID.ValueString()]
	state := n.plan.withoutUnknowns(vr.Site{})
	if n.unfinishedID != "" {
		state = state.withID(n.unfinishedID)
	}
	n.save(ctx, state)
}

// findUnfinished returns the replication of an unfinished create, or ErrNotFound if it is known not to exist.
func (n *creation) findUnfinished(ctx context.Context) (vr.Replication, error) {
	state := n.plan
	state.ReplicationID = attribute.OrNull(n.unfinishedID)
	return locate(ctx, n.client, state)
}

// resume reconfigures the replication that an unfinished create left behind, because a new one would repeat the initial
// sync (docs/adr/0005-unfinished-creates.md). existing is false if the replication no longer exists.
func (n *creation) resume(ctx context.Context, server string, diags *diag.Diagnostics) (existing bool) {
	current, err := n.findUnfinished(ctx)
	if errors.Is(err, vr.ErrNotFound) {
		n.forget(ctx)
		return false
	}
	if err == nil {
		n.replication = current
		n.plan = n.plan.withGatewayDefaults(current).withComputed(current, "").withoutUnknowns(n.target)
		n.save(ctx, n.plan)
		err = n.reconcile(ctx, current, server, diags)
	}
	if err != nil {
		failure("Resume Creation of", n.plan, err).AddTo(diags)
	}
	return true
}

// reconcile changes a replication that an unfinished create has left behind, if it does not match the plan.
func (n *creation) reconcile(
	ctx context.Context, current vr.Replication, server string, diags *diag.Diagnostics,
) error {
	change := update{client: n.client, plan: n.plan, state: n.plan, server: server}
	settings, replicas, err := change.settings(ctx, nil, diags)
	if err != nil || diags.HasError() {
		return err
	}
	used := serverID(ctx, n.client, n.plan.PairingID.ValueString(), current)
	serverMatches := server == "" || server == used
	isValid := current.ConfigurationState != "ERROR"
	if isValid && serverMatches && current.Matches(settings.Options) && placementMatches(replicas, settings) {
		return nil
	}
	if _, err := n.client.PollUntil(ctx, n.plan.PairingID.ValueString(), current.ID, isChangeable); err != nil {
		return err
	}
	if settings.ServerID == "" {
		settings.ServerID = used
	}
	_, err = change.send(ctx, settings)
	return err
}

// placementMatches reports whether the replicas match the settings. Settings that the API does not report are ignored.
func placementMatches(replicas map[string]vr.ReplicatedDisk, s vr.Settings) bool {
	for _, want := range s.Disks {
		is, known := replicas[want.Disk.Name()]
		sameExclusion := is.Replicated == want.Replicate || is.Unreported
		sameDatastore := is.DatastoreID == "" || is.DatastoreID == want.DatastoreID
		samePolicy := want.PolicyID == "" || vr.NormalizePolicyID(is.PolicyID) == want.PolicyID
		if !known || !sameExclusion || !sameDatastore || !samePolicy || formatDiffers(want.Format, is) {
			return false
		}
	}
	return true
}
