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

const plannedVM = "vsla_vm"

func (m model) workKey() string {
	return typeName + " " + m.PairingID.ValueString() + "/" + m.VMID.ValueString()
}

// note records the planned VM in private data, so that a delete can tell whether the next create is for the same VM.
// It records nothing if the VM is unknown.
func (m model) note(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
},
) diag.Diagnostics {
	if m.PairingID.IsUnknown() || m.VMID.IsUnknown() {
		return private.SetKey(ctx, plannedVM, nil)
	}
	text, err := json.Marshal(m.workKey())
	if err != nil {
		text = nil // a string can always be encoded
	}
	return private.SetKey(ctx, plannedVM, text)
}

func (m model) continues(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics,
) bool {
	text, found := private.GetKey(ctx, plannedVM)
	diags.Append(found...)
	var planned string
	return resume.Continues(ctx, private, diags) && json.Unmarshal(text, &planned) == nil && planned == m.workKey()
}

func (n *creation) takeOver(ctx context.Context, work *resume.Work) {
	left := work.TakeOver(n.plan.workKey(), func(string) bool { return true })
	if left == nil {
		return
	}
	n.continued = true
	n.leftID = left[n.plan.VMID.ValueString()]
	kept := n.plan.pending(vr.Site{})
	if n.leftID != "" {
		kept = kept.identified(n.leftID)
	}
	n.save(ctx, kept)
}

// left returns the replication of an unfinished create, or ErrNotFound if it certainly does not exist.
func (n *creation) left(ctx context.Context) (vr.Replication, error) {
	state := n.plan
	state.ReplicationID = attribute.OrNull(n.leftID)
	return locate(ctx, n.client, state)
}

// resume reconfigures the replication of an unfinished create instead of creating it again, which would delete the
// replica and repeat the initial sync (docs/adr/0005-unfinished-creates.md). It reports whether a replication exists
// or an error was added to diags.
func (n *creation) resume(ctx context.Context, server string, diags *diag.Diagnostics) (there bool) {
	current, err := n.left(ctx)
	if errors.Is(err, vr.ErrNotFound) {
		n.forget(ctx)
		return false
	}
	if err == nil {
		n.made = current
		n.plan = n.plan.chosen(current).observed(current, "").pending(n.target)
		n.save(ctx, n.plan)
		err = n.align(ctx, current, server, diags)
	}
	if err != nil {
		failure("Continue to Create", n.plan, err).AddTo(diags)
	}
	return true
}

func (n *creation) align(ctx context.Context, current vr.Replication, server string, diags *diag.Diagnostics) error {
	change := update{client: n.client, plan: n.plan, state: n.plan, server: server}
	settings, replicas, err := change.settings(ctx, nil, diags)
	if err != nil || diags.HasError() {
		return err
	}
	used := serverID(ctx, n.client, n.plan.PairingID.ValueString(), current)
	if current.Satisfies(settings.Options) && placed(replicas, settings) && (server == "" || server == used) &&
		current.ConfigurationState != "ERROR" {
		return nil
	}
	if _, err := n.client.Until(ctx, n.plan.PairingID.ValueString(), current.ID, changeable); err != nil {
		return err
	}
	_, err = change.send(ctx, settings)
	return err
}

// placed reports whether the replicas match the settings, ignoring values that the API does not report.
func placed(replicas map[string]vr.ReplicatedDisk, s vr.Settings) bool {
	for _, want := range s.Disks {
		is, known := replicas[want.Disk.Name()]
		if !known || is.Replicated != want.Replicate || (is.DatastoreID != "" && is.DatastoreID != want.DatastoreID) ||
			(want.PolicyID != "" && vr.PolicyOf(is.PolicyID) != want.PolicyID) {
			return false
		}
	}
	return true
}
