package replication

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/vr"
)

// check compares a plan with the gateway: the sites, the datastores and the features that the VM supports.
type check struct {
	client *vr.Client
	plan   model
	state  model
	config model
	// creating is true if the plan creates the replication. inState is true if state contains a replication of the VM.
	creating bool
	inState  bool
	// plannedCount is the number of replications planned so far, including this one.
	plannedCount int
	counter      *changeCounter
	diags        *diag.Diagnostics
}

func (ch check) run(ctx context.Context) {
	ch.checkEnhanced(ctx)
	requirements := ch.requirements()
	placing := ch.creating || ch.plan.placementDiffers(ch.state)
	if len(requirements) == 0 && !placing {
		return
	}
	source, target, ok := resolveSites(ctx, ch.client, ch.plan, ch.diags)
	if !ok {
		return
	}
	if placing && !ch.checkPlacements(ctx, target) {
		return
	}
	if len(requirements) > 0 || ch.creating {
		ch.checkCapability(ctx, source, requirements)
	}
}
