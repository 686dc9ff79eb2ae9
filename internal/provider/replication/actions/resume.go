package actions

import (
	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/vr"
)

// NewResume returns the action vsla_replication_resume.
func NewResume() action.Action {
	return pausing(false, (*vr.Client).Resume, replicationAction{
		Action: base.Action{TypeName: "vsla_replication_resume"},
		verb:   "Resume",
		effect: "the replication is no longer paused",
		doc: "Resumes a paused replication. Does nothing if it is not paused. Conflicts with `paused = true` of " +
			"`vsla_replication`, because the next apply would pause the replication.",
	})
}
