package actions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
)

// NewPause returns the action vsla_protection_group_pause.
func NewPause() action.Action {
	return &groupAction[model]{
		Action: base.Action{TypeName: "vsla_protection_group_pause"},
		verb:   "Pause",
		doc: "Pauses a protection group. A paused group takes no scheduled snapshots and does not delete expired " +
			"ones. The API does not document whether replication stops as well. Does nothing if the group is already " +
			"paused. Conflicts with `paused = false` of `vsla_protection_group`, because the next apply would resume " +
			"the group.",
		ids: model.ids,
		run: func(ctx context.Context, to target, _ model) (string, error) {
			g, err := to.client.Pause(ctx, to.cluster, to.id, to.wait)
			return statusText(g), err
		},
	}
}
