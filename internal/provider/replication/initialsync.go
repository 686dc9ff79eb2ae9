package replication

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

// initialSyncTimeout is the default of timeouts.create with wait_for_initial_sync.
const initialSyncTimeout = 24 * time.Hour

// waitForInitialSync waits for the initial sync. A timeout is only a warning, because the sync continues.
func (n *creation) waitForInitialSync(ctx context.Context, diags *diag.Diagnostics) {
	pairing := n.plan.PairingID.ValueString()
	current, err := n.client.PollUntil(ctx, pairing, n.replication.ID, func(r vr.Replication) (bool, error) {
		fields := map[string]any{"name": r.Name, "status": r.Status.Code}
		if p := r.Status.Progress; p != nil {
			fields["percent"] = p.Percent
		}
		tflog.Info(ctx, "Waiting for the initial sync", fields)
		switch {
		case r.Status.Is("ERROR"):
			return false, fmt.Errorf("the initial sync of %s failed: %w: %s", r.Name, vr.ErrTask, failureReason(r))
		case r.Status.Is("NOT_ACTIVE"):
			return false, fmt.Errorf(
				"%w: the VM %s is not running, or the sites cannot reach each other",
				errNoSync,
				r.Name,
			)
		case r.Status.Is(statusPaused):
			return false, fmt.Errorf("%w: replication %s is paused", errNoSync, r.Name)
		}
		isReplicating := r.Status.Is("OK", "SYNC") || r.Status.Code == "RPO_VIOLATION"
		return isReplicating && !r.Status.LastSync.IsZero(), nil
	})
	switch {
	case err == nil:
		n.plan = n.plan.withComputed(current, n.plan.TargetReplicationServerID.ValueString())
		n.save(ctx, n.plan)
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddWarning("Initial Sync Not Complete", fmt.Sprintf(
			"The replication of %q is configured, but its initial sync did not complete within timeouts.create. The "+
				"sync continues. The data source vsla_replications returns its progress.\n\n%s",
			n.plan.Name.ValueString(),
			explain.Detail(err),
		))
	case errors.Is(err, errNoSync):
		diags.AddAttributeError(
			path.Root("wait_for_initial_sync"),
			"Initial Sync Does Not Start",
			"The replication is configured and saved in state, but its initial sync does not start. Start the VM, "+
				"resume the replication, or remove wait_for_initial_sync. Terraform marks the resource as tainted "+
				"and plans a replacement, but the next apply keeps this replication.\n\n"+explain.Detail(err),
		)
	default:
		failure("Wait for Initial Sync of", n.plan, err).AddTo(diags)
	}
}

var errNoSync = errors.New("the initial sync does not start")
