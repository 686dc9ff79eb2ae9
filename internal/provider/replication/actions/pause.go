package actions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/vr"
)

// NewPause returns the action vsla_replication_pause.
func NewPause() action.Action {
	return &replicationAction{
		Action:  base.Action{TypeName: "vsla_replication_pause"},
		verb:    "Pause",
		effect:  "the replication is paused",
		timeout: stateTimeout,
		doc: "Pauses a replication. Does nothing if it is already paused. Conflicts with `paused = false` of " +
			"`vsla_replication`, because the next apply would resume the replication.",
		begin: func(ctx context.Context, c *vr.Client, to target, r vr.Replication) (vr.Task, bool, error) {
			if r.Status.Is(statusPaused) {
				return vr.Task{}, false, nil
			}
			task, err := c.Pause(ctx, to.pairing, to.id)
			return task, true, err
		},
		done: func(_, now vr.Replication) (bool, error) { return now.Status.Is(statusPaused), nil },
	}
}
