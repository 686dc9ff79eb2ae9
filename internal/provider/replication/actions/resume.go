package actions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/vr"
)

// NewResume returns the action vsla_replication_resume.
func NewResume() action.Action {
	return &replicationAction{
		Action:  base.Action{TypeName: "vsla_replication_resume"},
		verb:    "Resume",
		effect:  "the replication is no longer paused",
		timeout: stateTimeout,
		doc: "Resumes a paused replication. Does nothing if it is not paused. Conflicts with `paused = true` of " +
			"`vsla_replication`, because the next apply would pause the replication.",
		begin: func(ctx context.Context, c *vr.Client, to target, r vr.Replication) (vr.Task, bool, error) {
			if !r.Status.Is(statusPaused) {
				return vr.Task{}, false, nil
			}
			task, err := c.Resume(ctx, to.pairing, to.id)
			return task, true, err
		},
		done: func(_, now vr.Replication) (bool, error) { return !now.Status.Is(statusPaused), nil },
	}
}
