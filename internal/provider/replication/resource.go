// Package replication implements vsla_replication as a resource and a list resource. It manages the replication of a
// single VM (/pairings/{pairing_id}/replications).
//
// The create request returns no ID, so the provider looks up the replication by VM. An update sends all settings,
// including disks. A replication is removed from state only if both sites confirm that it does not exist.
package replication

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vr"
)

var (
	_ resource.ResourceWithIdentity       = (*replicationResource)(nil)
	_ resource.ResourceWithImportState    = (*replicationResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*replicationResource)(nil)
	_ resource.ResourceWithValidateConfig = (*replicationResource)(nil)
)

const (
	typeName     = "vsla_replication"
	statusPaused = "PAUSED"

	readTimeout   = 5 * time.Minute
	changeTimeout = 30 * time.Minute
)

type replicationResource struct{ base.Resource }

// NewResource returns the resource vsla_replication.
func NewResource() resource.Resource { return &replicationResource{base.Resource{TypeName: typeName}} }

// Metadata sets the type name. The identity is mutable, because a pairing gets a new ID when its sites are paired
// again.
func (r *replicationResource) Metadata(
	ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	r.Resource.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = true
}

// Read refreshes the replication from the shared list of all replications. It removes the replication from state only
// if the replication is known not to exist.
func (r *replicationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(
		resp.Identity.Set(ctx, state.identity())...) // required even if the replication does not exist
	r.markInState(state)
	c := r.Clients.Replication(&resp.Diagnostics)
	limit, found := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(found...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	current, err := locate(ctx, c, state)
	if errors.Is(err, vr.ErrPairing) {
		if moved, existing, ok := findInOtherPairing(ctx, c, state, &resp.Diagnostics); ok {
			state = moved
			current = existing
			err = nil
			r.markInState(state)
		}
	}
	if errors.Is(err, vr.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		r.addReadFailure(state, err, &resp.Diagnostics)
		return
	}
	if isReversed(state, current) {
		resp.Diagnostics.AddAttributeError(path.Root("vm_id"), "Replication Runs in the Other Direction", fmt.Sprintf(
			"The source of replication %q is now vCenter %s, not the vCenter in vm_id. It was probably reprotected "+
				"after a recovery. Remove it from state (terraform state rm) and import it with the VM that it "+
				"protects now.",
			current.Name,
			current.SourceVCenterID,
		))
		return
	}
	disksDiffer := r.disksDiffer(ctx, c, state, &resp.Diagnostics)
	got, err := refresh(ctx, c, state, current, disksDiffer, &resp.Diagnostics)
	if err != nil {
		r.addReadFailure(state, err, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, got.identity())...)
}

type readFailures struct{ sync.Map }

// operationID matches the operation IDs in gateway messages, which are unique per request.
var operationID = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// addReadFailure adds an error for a failed read. For further failures with the same cause, it adds only warnings: one
// error is enough to fail the run, and Terraform groups warnings that have the same summary. State is not changed.
func (r *replicationResource) addReadFailure(state model, err error, diags *diag.Diagnostics) {
	failed := failure("Read", state, err)
	cause := operationID.ReplaceAllString(err.Error(), "")
	first, again := connection.State[readFailures](r.Clients).LoadOrStore(cause, state.Name.ValueString())
	if !again {
		failed.AddTo(diags)
		return
	}
	diags.AddWarning("More Replications Cannot Be Read",
		fmt.Sprintf("%q cannot be read for the same reason as %q. See the error.", state.Name.ValueString(), first))
}

// vmsInState contains the replications in state, by pairing and VM. Terraform plans a replacement without the prior
// state, and the provider must not mistake the existing replication for one created by another client.
type vmsInState struct{ sync.Map }

func (r *replicationResource) markInState(state model) {
	if r.Clients != nil {
		connection.State[vmsInState](r.Clients).Store(state.PairingID.ValueString()+"/"+state.VMID.ValueString(), true)
	}
}

func (r *replicationResource) isInState(plan model) bool {
	_, ok := connection.State[vmsInState](r.Clients).Load(plan.PairingID.ValueString() + "/" + plan.VMID.ValueString())
	return ok
}

// willResume reports whether a delete of this run has kept the replication for the planned create.
func (r *replicationResource) willResume(plan model) bool {
	return connection.State[resume.Store](r.Clients).Has(plan.workKey())
}

func locate(ctx context.Context, c *vr.Client, state model) (vr.Replication, error) {
	pairing := state.PairingID.ValueString()
	if id := state.ReplicationID.ValueString(); id != "" {
		return c.Replication(ctx, pairing, id, vr.Shared)
	}
	found, err := c.Replications(ctx, pairing, state.VMID.ValueString(), vr.Shared)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("find the replication of %s: %w", state.VMID.ValueString(), vr.ErrNotFound)
	}
	if err != nil {
		return vr.Replication{}, err
	}
	return found[0], nil
}

// findInOtherPairing searches the other pairings for the replication if the pairing in state was deleted. It returns
// the updated state and the replication.
func findInOtherPairing(
	ctx context.Context, c *vr.Client, state model, diags *diag.Diagnostics,
) (model, vr.Replication, bool) {
	before := state.PairingID.ValueString()
	target := state.TargetVCenterID.ValueString()
	if state.imported() || target == "" {
		return state, vr.Replication{}, false
	}
	pairing, existing, err := c.FindMoved(ctx, before, state.VMID.ValueString(), target)
	if err != nil {
		tflog.Warn(ctx, "The replication was not found in another pairing", map[string]any{"error": err.Error()})
		return state, vr.Replication{}, false
	}
	diags.AddAttributeWarning(path.Root("pairing_id"), "Pairing ID Has Changed",
		fmt.Sprintf("Pairing %s no longer exists, and the replication of %q to the same vCenter is now in pairing "+
			"%s. The state now contains the new pairing. Set pairing_id to %s. With the old ID, the plan fails.",
			before, state.Name.ValueString(), pairing, pairing))
	state.PairingID = types.StringValue(pairing)
	return state.withID(existing.ID), existing, true
}

func isReversed(state model, current vr.Replication) bool {
	source := vr.VCenterOf(state.VMID.ValueString())
	return source != "" && current.SourceVCenterID != "" && !strings.EqualFold(source, current.SourceVCenterID)
}

// refresh returns the refreshed state. It reads the disks only after an import, if the disks argument is set, if state
// contains no disks, or if disksDiffer is true.
func refresh(
	ctx context.Context,
	c *vr.Client,
	state model,
	current vr.Replication,
	disksDiffer bool,
	diags *diag.Diagnostics,
) (model, error) {
	imported := state.imported()
	server := ""
	if !imported { // generated configuration must not pin the server
		server = serverID(ctx, c, state.PairingID.ValueString(), current)
	}
	got := state.refreshed(current, server)
	if !imported && !disksDiffer && state.Disks.IsNull() && !state.ReplicatedDisks.IsNull() {
		return got, nil
	}
	replicas, err := c.ReplicatedDisks(ctx, state.PairingID.ValueString(), current.ID)
	if err != nil {
		return got, err
	}
	if imported {
		return got.withImportedDisks(ctx, replicas, diags), nil
	}
	return got.withRefreshedDisks(ctx, replicas, diags), nil
}

// serverID returns the ID of the replication server whose UUID is stored in the replication, or "" if it cannot be
// found.
func serverID(ctx context.Context, c *vr.Client, pairing string, current vr.Replication) string {
	p, err := c.Pairing(ctx, pairing)
	if err != nil {
		return ""
	}
	vrms := p.Remote.VRMSID
	if strings.EqualFold(current.TargetVCenterID, p.Local.VCenterID) {
		vrms = p.Local.VRMSID
	}
	id, err := c.ServerByUUID(ctx, pairing, vrms, current.ServerUUID)
	if err != nil {
		// Log a warning instead of adding an error, because the ID is only informational.
		tflog.Warn(ctx, "The replication servers cannot be listed", map[string]any{"error": err.Error()})
		return ""
	}
	return id
}

func failure(verb string, m model, err error) explain.Failure {
	name := m.Name.ValueString()
	if name == "" {
		name = m.VMID.ValueString()
	}
	if name == "" {
		name = m.ReplicationID.ValueString()
	}
	return explain.Failure{Summary: fmt.Sprintf("Unable to %s Replication %q", verb, name), Err: err}
}

// exists returns the failure of a create, because the VM has a replication, and the ID to import the replication.
func exists(m model, existing vr.Replication) (f explain.Failure, importID string) {
	return failure("Create", m, fmt.Errorf("VM %s already has replication %s with status %s",
		m.VMID.ValueString(), existing.ID, existing.Status.Code)), m.PairingID.ValueString() + "/" + existing.ID
}

func logProgress(ctx context.Context, m model) func(vr.Task) {
	return func(t vr.Task) {
		tflog.Info(
			ctx,
			"Replication task",
			map[string]any{
				"vm_id":   m.VMID.ValueString(),
				"task":    t.Description,
				"status":  t.Status,
				"percent": t.Percent,
			},
		)
	}
}
