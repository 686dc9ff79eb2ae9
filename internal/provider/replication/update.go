package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// maxOutcomeReads is the number of reads, 5 seconds apart, after which a change whose task was lost counts as failed.
const maxOutcomeReads = 4

// setPaused pauses or resumes a replication, and waits until it has that state if the outcome is unclear. If there is
// nothing to change, it sends no request, because the effect of a repeated request is undocumented.
func setPaused(ctx context.Context, c *vr.Client, m model, current vr.Replication, pause bool) error {
	if current.Status.Is(statusPaused) == pause {
		return nil
	}
	act := c.Resume
	if pause {
		act = c.Pause
	}
	err := c.Change(ctx, logProgress(ctx, m), func(ctx context.Context) (vr.Task, error) {
		return act(ctx, m.PairingID.ValueString(), current.ID)
	})
	isUnclear := errors.Is(err, vr.ErrUncertain) || errors.Is(err, vr.ErrTaskLost)
	if err == nil || !isUnclear {
		return err
	}
	reads := 0
	after, readErr := c.PollUntil(ctx, m.PairingID.ValueString(), current.ID, func(r vr.Replication) (bool, error) {
		reads++
		return r.Status.Is(statusPaused) == pause || reads == maxOutcomeReads, nil
	})
	if readErr == nil && after.Status.Is(statusPaused) == pause {
		return nil
	}
	return errors.Join(err, readErr)
}

// driftError reports that another client has changed the replication since the refresh.
type driftError struct{ settings []string }

// Error returns a message that lists the changed settings.
func (e *driftError) Error() string {
	return "another client has changed " + strings.Join(e.settings, ", ") + " of the replication since the refresh"
}

// Advice returns a hint for the user.
func (*driftError) Advice() string {
	return "Nothing was sent, because the update would have overwritten the change of the other client. Plan again " +
		"to see both changes."
}

// checkDrift returns an error if another client has changed a setting that a reconfiguration would overwrite. A setting
// counts as changed if it matches neither state nor plan. Disks are compared only if they are listed in state.
func (u update) checkDrift(
	ctx context.Context, now vr.Replication, replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics,
) error {
	var drifted []string
	seen := u.state.withOptions(now.Options)
	for _, field := range []struct {
		name               string
		now, before, after attr.Value
	}{
		{"rpo_minutes", seen.RPOMinutes, u.state.RPOMinutes, u.plan.RPOMinutes},
		{"network_compression", seen.NetworkCompression, u.state.NetworkCompression, u.plan.NetworkCompression},
		{"quiesce_guest", seen.QuiesceGuest, u.state.QuiesceGuest, u.plan.QuiesceGuest},
		{"network_encryption", seen.NetworkEncryption, u.state.NetworkEncryption, u.plan.NetworkEncryption},
		{"enhanced_replication", seen.EnhancedReplication, u.state.EnhancedReplication, u.plan.EnhancedReplication},
		{
			"auto_replicate_new_disks",
			seen.AutoReplicateNewDisks,
			u.state.AutoReplicateNewDisks,
			u.plan.AutoReplicateNewDisks,
		},
		{"replicate_vm_data_sets", seen.ReplicateVMDataSets, u.state.ReplicateVMDataSets, u.plan.ReplicateVMDataSets},
		{"point_in_time", seen.PointInTime, u.state.PointInTime, u.plan.PointInTime},
	} {
		open := (field.name == "enhanced_replication" || field.name == "network_encryption") && field.before.IsNull()
		if !open && !field.now.Equal(field.before) && !field.now.Equal(field.after) {
			drifted = append(drifted, field.name)
		}
	}
	wanted := u.plan.disks(ctx, diags)
	for name, own := range u.state.disks(ctx, diags) {
		replica, exists := replicas[name]
		planned, listed := wanted[name]
		before := u.state.effectiveDisk(own, true)
		after := u.plan.effectiveDisk(planned, listed)
		if exists && before.hasDrifted(after, replica) {
			drifted = append(drifted, fmt.Sprintf("disks[%q]", name))
		}
	}
	if len(drifted) == 0 {
		return nil
	}
	return &driftError{drifted}
}

// hasDrifted reports whether a replica matches neither the former nor the planned settings of its disk.
func (d effectiveDisk) hasDrifted(after effectiveDisk, replica vr.ReplicatedDisk) bool {
	policy := vr.NormalizePolicyID(replica.PolicyID)
	isReported := !replica.Disk.Home && !replica.Unreported
	exclusion := isReported && replica.Replicated != d.enabled && replica.Replicated != after.enabled
	datastore := replica.DatastoreID != "" &&
		replica.DatastoreID != d.datastoreID && replica.DatastoreID != after.datastoreID
	storagePolicy := policy != "" && d.policyID != "" && policy != d.policyID && policy != after.policyID
	format := formatDiffers(d.format, replica) && formatDiffers(after.format, replica)
	return exclusion || datastore || storagePolicy || format
}

func (u update) warnMovedReplica(replicas map[string]vr.ReplicatedDisk, diags *diag.Diagnostics) {
	home, ok := replicas[vr.HomeDisk]
	planned := u.plan.TargetDatastoreID.ValueString()
	if !ok || !u.plan.Disks.IsNull() || home.DatastoreID == "" || home.DatastoreID == planned ||
		!u.plan.TargetDatastoreID.Equal(u.state.TargetDatastoreID) {
		return
	}
	diags.AddAttributeWarning(path.Root("target_datastore_id"), "Replica Is on Another Datastore",
		fmt.Sprintf("The replica of %q is on %s (%s), not on %s, because another client moved it. It is not moved "+
			"back, because the plan did not show a move. Set target_datastore_id to its current datastore, or list "+
			"the disks in disks, which each refresh compares with the replicas.",
			u.state.Name.ValueString(), home.DatastoreID, home.DatastoreName, planned))
}
