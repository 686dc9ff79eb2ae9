package replication

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// Delete unconfigures the replication. A missing replication is ignored, and a replication that the next create resumes
// is kept.
func (r *replicationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	willResume := state.willResume(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if willResume {
		connection.State[resume.Store](r.Clients).Put(state.workKey(),
			map[string]string{state.VMID.ValueString(): state.ReplicationID.ValueString()})
		return
	}
	limit, found := state.Timeouts.Delete(ctx, changeTimeout)
	resp.Diagnostics.Append(found...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(transport.WithStartupWait(ctx), limit)
	defer cancel()
	err := r.destroy(ctx, c, state, &resp.Diagnostics)
	if errors.Is(err, vr.ErrRemote) {
		err = destroyLocally(ctx, c, state, err, &resp.Diagnostics)
	}
	if err != nil {
		failure("Destroy", state, err).AddTo(&resp.Diagnostics)
	}
}

// destroy unconfigures the replication if it exists and may be destroyed. Otherwise, it returns nil.
func (r *replicationResource) destroy(ctx context.Context, c *vr.Client, state model, diags *diag.Diagnostics) error {
	found, err := locate(ctx, c, state)
	if err == nil {
		// A recovery may have begun.
		found, err = c.Replication(ctx, state.PairingID.ValueString(), found.ID, vr.Recent)
	}
	if errors.Is(err, vr.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if !mayDestroy(ctx, c, state, found, diags) {
		return nil
	}
	if !r.claimDeleted(state, found.ID, diags) {
		return nil
	}
	return unconfigure(ctx, c, state, found.ID)
}

// mayDestroy reports whether a replication may be destroyed. Otherwise, it adds an error.
func mayDestroy(
	ctx context.Context, c *vr.Client, state model, current vr.Replication, diags *diag.Diagnostics,
) bool {
	isManaged := current.RecoverySolution != "" || current.Recovering()
	if state.DestroyWhenManaged.ValueBool() || !isManaged {
		return true
	}
	if current.Recovering() && hasTestRecovery(ctx, c, state.PairingID.ValueString(), current) {
		failure("Destroy", state, testRecoveryError(current)).AddTo(diags)
		return false
	}
	why := fmt.Sprintf("its recovery state is %s", current.RecoveryState)
	if current.RecoverySolution != "" {
		why = fmt.Sprintf("it is managed by the recovery solution %s", current.RecoverySolution)
	}
	diags.AddAttributeError(
		path.Root("destroy_when_managed_by_recovery"),
		"Replication Is Part of a Recovery",
		fmt.Sprintf("Replication %q was not destroyed: %s. Remove it from its protection group first, or set "+
			"destroy_when_managed_by_recovery = true, apply, and destroy again.", current.Name, why),
	)
	return false
}

func unconfigure(ctx context.Context, c *vr.Client, state model, id string) error {
	pairing := state.PairingID.ValueString()
	err := c.Change(ctx, logProgress(ctx, state), func(ctx context.Context) (vr.Task, error) {
		return c.Unconfigure(ctx, pairing, id, state.RetainDisks.ValueBool())
	})
	return unconfigureResult(ctx, c, pairing, id, err)
}

// unconfigureResult waits until the replication is no longer listed. If err leaves the outcome uncertain, a missing
// replication counts as success.
func unconfigureResult(ctx context.Context, c *vr.Client, pairing, id string, err error) error {
	if err != nil && !errors.Is(err, vr.ErrNotFound) && !errors.Is(err, vr.ErrUncertain) &&
		!errors.Is(err, vr.ErrTaskLost) {
		return err
	}
	if goneErr := c.AwaitGone(ctx, pairing, id); goneErr != nil {
		return errors.Join(err, goneErr)
	}
	return nil
}

// destroyLocally removes the replication from the local site if force_local_destroy is set. cause is the error from the
// remote site.
func destroyLocally(ctx context.Context, c *vr.Client, state model, cause error, diags *diag.Diagnostics) error {
	id := state.ReplicationID.ValueString()
	if !state.ForceLocalDestroy.ValueBool() || id == "" {
		return fmt.Errorf("%w; to destroy only the local part, force_local_destroy = true must be applied while the "+
			"remote site is available", cause)
	}
	task, err := c.DestroyLocally(ctx, state.PairingID.ValueString(), id, state.RetainDisks.ValueBool())
	if err == nil {
		err = c.Wait(ctx, task, logProgress(ctx, state))
	}
	if err != nil && !errors.Is(err, vr.ErrNotFound) {
		return errors.Join(cause, err)
	}
	diags.AddWarning("Replication Destroyed on One Site Only", fmt.Sprintf(
		"The remote site could not be reached and force_local_destroy is set, so replication %s was removed only "+
			"from the site of the gateway. Remove the remaining part at the other site, including the replica disks, "+
			"manually.",
		id,
	))
	return nil
}

// firstWarnCount is the number of deleted replicas that triggers the first warning about their total size. The
// threshold doubles after each warning. A single warning at the end is not possible, because the provider cannot detect
// the last resource in a plan.
const firstWarnCount = 10

// deletionCounter counts the replicas to be deleted in this run. The zero value is ready to use.
type deletionCounter struct {
	mu    sync.Mutex
	bytes map[string]int64
	total int64
}

// add counts a replica once. reached is true if a warning about the total is due.
func (d *deletionCounter) add(key string, bytes int64) (number int, total int64, reached bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes == nil {
		d.bytes = make(map[string]int64)
	}
	if _, counted := d.bytes[key]; counted {
		return 0, 0, false
	}
	d.bytes[key] = bytes
	d.total += bytes
	number = len(d.bytes)
	limit := firstWarnCount
	for limit < number {
		limit *= 2
	}
	return number, d.total, number == limit
}
