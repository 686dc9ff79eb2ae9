package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/vr"
)

const syncTimeout = 6 * time.Hour

// NewSync returns the action vsla_replication_sync.
func NewSync() action.Action {
	return &replicationAction{
		Action:  base.Action{TypeName: "vsla_replication_sync"},
		verb:    "Sync",
		effect:  "the sync is complete",
		timeout: syncTimeout,
		doc: "Starts a sync of a replication and waits until it is complete. Fails if the replication is paused or " +
			"has an error, if the VM is not running, or if the sites cannot reach each other.",
		begin: func(ctx context.Context, c *vr.Client, to target, r vr.Replication) (vr.Task, bool, error) {
			if err := checkSyncable(r); err != nil {
				return vr.Task{}, true, err
			}
			task, err := c.Sync(ctx, to.pairing, to.id)
			return task, true, err
		},
		done: func(before, now vr.Replication) (bool, error) {
			if err := checkSyncable(now); err != nil {
				return false, err
			}
			return now.Status.LastSync.After(before.Status.LastSync) &&
				!now.Status.Is("SYNC", "FULL_SYNC", "INITIAL_FULL_SYNC"), nil
		},
	}
}

func checkSyncable(r vr.Replication) error {
	switch {
	case r.Status.Is(statusPaused):
		return fmt.Errorf("%w: replication %s is paused; resume it first", vr.ErrInvalid, r.Name)
	case r.Status.Is("NOT_ACTIVE"):
		return fmt.Errorf(
			"%w: replication %s is not active: its VM is not running, or the sites cannot reach each other",
			vr.ErrInvalid,
			r.Name,
		)
	case r.Status.Is("ERROR"):
		return fmt.Errorf("%w: replication %s has an error: %s%s", vr.ErrInvalid, r.Name, r.ConfigurationError,
			r.GroupError)
	}
	return nil
}
