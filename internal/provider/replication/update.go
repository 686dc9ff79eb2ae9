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

// Update reconfigures the replication if its settings differ, and pauses or resumes it.
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
	ctx, cancel := context.WithTimeout(transport.Patient(ctx), limit)
	defer cancel()
	change := update{client: c, plan: plan, state: state, server: config.TargetReplicationServerID.ValueString()}
	current, ok := change.reconfigure(ctx, &resp.Diagnostics)
	if !ok {
		return
	}
	// Save the reconfiguration, because the pause may fail.
	done := plan.observed(current, change.server)
	if plan.TargetReplicationServerID.ValueString() != "" {
		done.TargetReplicationServerID = plan.TargetReplicationServerID
	}
	if !plan.Name.IsUnknown() {
		done.Name = plan.Name // the next refresh detects a renamed VM
	}
	done.Paused = state.Paused
	if done.ReplicatedDisks.IsUnknown() {
		replicas, err := c.ReplicatedDisks(ctx, state.PairingID.ValueString(), current.ID)
		if err != nil {
			failure("Read", state, err).AddTo(&resp.Diagnostics)
			return
		}
		done = done.withReplicas(ctx, replicas, &resp.Diagnostics)
	}
	if !plan.Paused.IsNull() && current.Status.Is(statusPaused) != plan.Paused.ValueBool() {
		if err := setPaused(ctx, c, plan, current, plan.Paused.ValueBool()); err != nil {
			resp.Diagnostics.Append(resp.State.Set(ctx, done)...)
			failure("Pause or Resume", plan, err).AddTo(&resp.Diagnostics)
			return
		}
	}
	done.Paused = plan.Paused
	resp.Diagnostics.Append(resp.State.Set(ctx, done)...)
}

// update is an update in progress.
type update struct {
	client      *vr.Client
	plan, state model
	server      string // the configured server
}

// reconfigure applies the planned settings and returns the replication afterwards.
func (u update) reconfigure(ctx context.Context, diags *diag.Diagnostics) (vr.Replication, bool) {
	pairing, id := u.state.PairingID.ValueString(), u.state.ReplicationID.ValueString()
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
	before, err := u.client.Until(ctx, pairing, id, changeable)
	if err != nil {
		return fail(err)
	}
	settings, replicas, err := u.settings(ctx, &u.state, diags)
	if errors.Is(err, vr.ErrNotFound) {
		vmGone(u.state, err, diags) // the replication itself existed a moment ago
		return vr.Replication{}, false
	}
	if err != nil {
		return fail(err)
	}
	if err := u.unchanged(ctx, before, replicas, diags); err != nil {
		return fail(err)
	}
	u.warnElsewhere(replicas, diags)
	if diags.HasError() {
		return vr.Replication{}, false
	}
	if settings.ServerID == "" {
		// Without a server the appliance may choose another one.
		settings.ServerID = serverID(ctx, u.client, pairing, before)
	}
	if settings.ServerID == "" {
		settings.ServerID = u.state.TargetReplicationServerID.ValueString() // as of the last refresh
	}
	settings.Options = u.plan.chosen(before).options() // keep settings that are neither planned nor in state
	current, err := u.send(ctx, settings)
	if err != nil {
		return fail(err)
	}
	return current, true
}

// vmGone reports that a replication cannot be changed because its VM no longer exists.
func vmGone(m model, err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(
		path.Root("vm_id"),
		"VM of the Replication Is Gone",
		fmt.Sprintf(
			"The replication of %q exists, but vCenter no longer has its VM %s, or does not show it to the user, and "+
				"without it the replication cannot be changed. The replica is unchanged. If the VM was deleted for good, "+
				"recover it from the replica or remove this resource, which ends the replication; "+
				"retain_replica_disks_on_destroy keeps the disks of the replica.\n\n%s",
			m.Name.ValueString(),
			m.VMID.ValueString(),
			explain.Detail(err),
		),
	)
}

// send reconfigures the replication and returns it afterwards. If the outcome is unknown, send reads the replication.
func (u update) send(ctx context.Context, settings vr.Settings) (vr.Replication, error) {
	pairing, id := u.state.PairingID.ValueString(), u.state.ReplicationID.ValueString()
	err := u.client.Change(ctx, progress(ctx, u.state), func(ctx context.Context) (vr.Task, error) {
		return u.client.Reconfigure(ctx, pairing, id, settings)
	})
	if err != nil && !errors.Is(err, vr.ErrUncertain) && !errors.Is(err, vr.ErrTaskLost) {
		return vr.Replication{}, err
	}
	current, readErr := u.client.Until(ctx, pairing, id, configured)
	if readErr != nil {
		return current, errors.Join(err, readErr)
	}
	if err != nil && (!current.Satisfies(settings.Options) || u.plan.placesDiffer(u.state)) {
		return current, err // settings that the API does not report may not have been applied
	}
	return current, nil
}

// settings returns the settings of all disks, including disks that are not configured yet, and the existing replicas
// by key.
func (u update) settings(
	ctx context.Context, before *model, diags *diag.Diagnostics,
) (vr.Settings, map[string]vr.ReplicatedDisk, error) {
	pairing, id := u.state.PairingID.ValueString(), u.state.ReplicationID.ValueString()
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

// changeable reports whether a replication can be changed now. An error means that it cannot be changed at all.
func changeable(r vr.Replication) (bool, error) {
	switch {
	case r.Recovering(), r.Status.Is("RECOVERING", "RECOVERED"):
		return false, fmt.Errorf("%w: replication %s is being recovered, or was (%s, recovery %s)", errBusy, r.ID,
			r.Status.Word, r.RecoveryState)
	case r.Status.Is("CONFIGURING", "RECONFIGURING", "MOVING", "DISK_RESIZING", "UNKNOWN"):
		return false, nil
	}
	return true, nil
}

var errBusy = fmt.Errorf("%w: a recovery must end first", vr.ErrInvalid)

// setPaused pauses or resumes the replication unless it already is, because the effect of a repeated request is not
// documented.
func setPaused(ctx context.Context, c *vr.Client, m model, current vr.Replication, pause bool) error {
	if current.Status.Is(statusPaused) == pause {
		return nil
	}
	act := c.Resume
	if pause {
		act = c.Pause
	}
	err := c.Change(ctx, progress(ctx, m), func(ctx context.Context) (vr.Task, error) {
		return act(ctx, m.PairingID.ValueString(), current.ID)
	})
	if err == nil || (!errors.Is(err, vr.ErrUncertain) && !errors.Is(err, vr.ErrTaskLost)) {
		return err
	}
	after, readErr := c.Replication(ctx, m.PairingID.ValueString(), current.ID, vr.Direct)
	if readErr == nil && after.Status.Is(statusPaused) == pause {
		return nil
	}
	return errors.Join(err, readErr)
}
