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
		doc: "Pauses a protection group: it makes no scheduled snapshots, and expired ones are not deleted. Whether its " +
			"replication stops is not documented. One that is paused already is left as it is. Conflicts with " +
			"`paused = false` of `vsla_protection_group`, which resumes it at the next apply.",
		group: model.ids,
		run: func(ctx context.Context, to target, _ model) (string, error) {
			return status(to.client.Pause(ctx, to.cluster, to.id, to.patience))
		},
	}
}
