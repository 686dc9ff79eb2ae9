package actions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/vr"
)

// NewPause returns the action vsla_replication_pause.
func NewPause() action.Action {
	return pausing(true, (*vr.Client).Pause, replicationAction{
		Action: base.Action{TypeName: "vsla_replication_pause"},
		verb:   "Pause",
		effect: "the replication is paused",
		doc: "Pauses a replication. Does nothing if it is already paused. Conflicts with `paused = false` of " +
			"`vsla_replication`, because the next apply would resume the replication.",
	})
}

func pausing(
	paused bool, send func(*vr.Client, context.Context, string, string) (vr.Task, error), a replicationAction,
) action.Action {
	a.timeout = stateTimeout
	a.begin = func(ctx context.Context, c *vr.Client, to target, r vr.Replication) (vr.Task, bool, error) {
		if r.Status.Is(statusPaused) == paused {
			return vr.Task{}, false, nil
		}
		task, err := send(c, ctx, to.pairing, to.id)
		return task, true, err
	}
	a.done = func(_, now vr.Replication) (bool, error) { return now.Status.Is(statusPaused) == paused, nil }
	return &a
}
