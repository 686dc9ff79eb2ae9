package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// Update reconfigures the replication if its settings have changed, and pauses or resumes it.
func (r *replicationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	limit, found := plan.Timeouts.Update(ctx, changeTimeout)
	resp.Diagnostics.Append(found...)
	c := r.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(transport.WithStartupWait(ctx), limit)
	defer cancel()
	change := update{client: c, plan: plan, state: state, server: config.TargetReplicationServerID.ValueString()}
	current, ok := change.reconfigure(ctx, &resp.Diagnostics)
	if !ok {
		return
	}
	// Save the reconfiguration before the pause, which may fail.
	updated := plan.withComputed(current, change.server)
	if plan.TargetReplicationServerID.ValueString() != "" {
		updated.TargetReplicationServerID = plan.TargetReplicationServerID
	}
	if !plan.Name.IsUnknown() {
		updated.Name = plan.Name // the next refresh detects a renamed VM
	}
	updated.Paused = state.Paused
	if updated.ReplicatedDisks.IsUnknown() {
		replicas, err := c.ReplicatedDisks(ctx, state.PairingID.ValueString(), current.ID)
		if err != nil {
			failure("Read", state, err).AddTo(&resp.Diagnostics)
			return
		}
		updated = updated.withReplicas(ctx, replicas, &resp.Diagnostics)
	}
	if !plan.Paused.IsNull() && current.Status.Is(statusPaused) != plan.Paused.ValueBool() {
		if err := setPaused(ctx, c, plan, current, plan.Paused.ValueBool()); err != nil {
			resp.Diagnostics.Append(resp.State.Set(ctx, updated)...)
			failure("Pause or Resume", plan, err).AddTo(&resp.Diagnostics)
			return
		}
	}
	updated.Paused = plan.Paused
	resp.Diagnostics.Append(resp.State.Set(ctx, updated)...)
}

type update struct {
	client      *vr.Client
	plan, state model
	server      string // ID of the configured server
}

func (u update) reconfigure(ctx context.Context, diags *diag.Diagnostics) (vr.Replication, bool) {
	pairing := u.state.PairingID.ValueString()
	id := u.state.ReplicationID.ValueString()
	fail := func(err error) (vr.Replication, bool) {
		failure("Update", u.state, err).AddTo(diags)
		return vr.Replication{}, false
	}
	if !u.plan.differs(u.state) {
		current, err := u.client.Replication(ctx, pairing, id, vr.Recent)
		if err != nil {
			return fail(err)
		}
		return current, true
	}
	before, err := u.client.PollUntil(ctx, pairing, id, isChangeable)
	if err != nil {
		if errors.Is(err, errBusy) && hasTestRecovery(ctx, u.client, pairing, before) {
			err = testRecoveryError(before)
		}
		return fail(err)
	}
	settings, replicas, err := u.settings(ctx, &u.state, diags)
	if errors.Is(err, vr.ErrNotFound) {
		addMissingVM(u.state, err, diags) // the replication exists, so its VM must be missing
		return vr.Replication{}, false
	}
	if err != nil {
		return fail(err)
	}
	if err := u.checkDrift(ctx, before, replicas, diags); err != nil {
		return fail(err)
	}
	u.warnMovedReplica(replicas, diags)
	if diags.HasError() {
		return vr.Replication{}, false
	}
	if settings.ServerID == "" {
		// Send the current server, because the appliance might choose another one if the request contains none.
		settings.ServerID = serverID(ctx, u.client, pairing, before)
	}
	if settings.ServerID == "" {
		settings.ServerID = u.state.TargetReplicationServerID.ValueString() // fall back to the server in state
	}
	settings.Options = u.plan.withGatewayDefaults(
		before,
	).options() // keep settings that are neither planned nor in state
	current, err := u.send(ctx, settings)
	if err != nil {
		return fail(err)
	}
	return current, true
}

func addMissingVM(m model, err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("vm_id"), "Replicated VM Not Found", fmt.Sprintf(
		"The replication of %q cannot be changed, because its VM %s no longer exists in vCenter or the user cannot "+
			"read it. The replica is unchanged. If the VM was deleted permanently, recover it from the replica, or "+
			"remove this resource to end the replication. retain_replica_disks_on_destroy keeps the replica "+
			"disks.\n\n%s",
		m.Name.ValueString(),
		m.VMID.ValueString(),
		explain.Detail(err),
	))
}

// send reconfigures the replication and waits until it is configured. If the outcome of the request is unknown, it
// checks the resulting settings to determine whether the request succeeded.
func (u update) send(ctx context.Context, settings vr.Settings) (vr.Replication, error) {
	pairing := u.state.PairingID.ValueString()
	id := u.state.ReplicationID.ValueString()
	err := u.client.Change(ctx, logProgress(ctx, u.state), func(ctx context.Context) (vr.Task, error) {
		return u.client.Reconfigure(ctx, pairing, id, settings)
	})
	if err != nil && !errors.Is(err, vr.ErrUncertain) && !errors.Is(err, vr.ErrTaskLost) {
		return vr.Replication{}, err
	}
	current, readErr := u.client.PollUntil(ctx, pairing, id, isConfigured)
	if readErr != nil {
		return current, errors.Join(err, readErr)
	}
	mayLackSettings := !current.Matches(settings.Options) || u.plan.placementDiffers(u.state)
	if err != nil && mayLackSettings {
		return current, err // settings that the API does not report might not have been applied
	}
	return current, nil
}

// settings returns the settings of all disks, including disks that are not configured yet, and the existing replicas by
// disk key.
func (u update) settings(
	ctx context.Context, before *model, diags *diag.Diagnostics,
) (vr.Settings, map[string]vr.ReplicatedDisk, error) {
	pairing := u.state.PairingID.ValueString()
	id := u.state.ReplicationID.ValueString()
	replicas, err := u.client.ReplicatedDisks(ctx, pairing, id)
	if err != nil {
		return vr.Settings{}, nil, err
	}
	disks, err := u.client.Disks(ctx, pairing, u.state.SourceVCenterID.ValueString(), u.state.VMID.ValueString())
	if err != nil {
		return vr.Settings{}, nil, err
	}
	byKey := make(map[string]vr.ReplicatedDisk, len(replicas))
	for _, r := range replicas {
		byKey[r.Disk.Name()] = r
	}
	settings := vr.Settings{Options: u.plan.options(), ServerID: u.server}
	settings.Disks = u.plan.diskSettings(ctx, before, disks, byKey, diags)
	return settings, byKey, nil
}

// isChangeable reports whether a replication can be changed now. It returns an error if the replication is being
// recovered or has been recovered.
func isChangeable(r vr.Replication) (bool, error) {
	switch {
	case r.Recovering(), r.Status.Is("RECOVERING", "RECOVERED"):
		return false, fmt.Errorf("%w: replication %s has status %s and recovery state %s", errBusy, r.ID,
			r.Status.Code, r.RecoveryState)
	case r.Status.Is("CONFIGURING", "RECONFIGURING", "MOVING", "DISK_RESIZING", "UNKNOWN"):
		return false, nil
	}
	return true, nil
}

// hasTestRecovery reports whether a replication cannot be changed because of a test recovery, which is not a recovery.
func hasTestRecovery(ctx context.Context, c *vr.Client, pairing string, r vr.Replication) bool {
	active, err := c.HasTestImage(ctx, pairing, r.ID)
	return err == nil && active
}

func testRecoveryError(r vr.Replication) error {
	return fmt.Errorf("a test recovery of replication %s is active; run its cleanup at the recovery site first", r.ID)
}

var errBusy = errors.New("a recovery is in progress or complete")
