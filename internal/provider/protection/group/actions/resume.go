package actions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
)

// NewResume returns the action vsla_protection_group_resume.
func NewResume() action.Action {
	return &groupAction[model]{
		Action: base.Action{TypeName: "vsla_protection_group_resume"},
		verb:   "Resume",
		doc: "Resumes a paused protection group. Does nothing if the group is active. Conflicts with `paused = true` " +
			"of `vsla_protection_group`, because the next apply would pause the group.",
		ids: model.ids,
		run: func(ctx context.Context, to target, _ model) (string, error) {
			g, err := to.client.Resume(ctx, to.cluster, to.id, to.wait)
			return statusText(g), err
		},
	}
}
