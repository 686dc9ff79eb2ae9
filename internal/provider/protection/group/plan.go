package group

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

// groupsInState contains the work keys of the groups in state. It is needed because Terraform plans the replacement of
// a tainted group without its prior state.
type groupsInState struct{ sync.Map }

// planner plans a single resource. state is nil for a create.
type planner struct {
	r     *groupResource
	plan  *model
	state *model
	diags *diag.Diagnostics

	client *snapservice.Client
	// targets contains the planned rules. rulesKnown is true if all of them are known.
	targets    snapservice.Targets
	rulesKnown bool
}

// ModifyPlan plans the removes attribute and rejects changes that the appliance would reject.
func (r *groupResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if !req.State.Raw.IsNull() && !resp.Diagnostics.HasError() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if req.Plan.Raw.IsNull() {
			r.warnMoved(state, false, &resp.Diagnostics)
		}
		if req.Plan.Raw.IsNull() || slices.ContainsFunc(resp.RequiresReplace, path.Root("cluster_id").Equal) {
			checkDestroy(state, &resp.Diagnostics)
		}
	}
	resume.ModifyPlan(ctx, req, resp, func(plan, state *model) {
		p := planner{r: r, plan: plan, state: state, diags: &resp.Diagnostics}
		if state == nil {
			r.warnMoved(*plan, true, &resp.Diagnostics)
		}
		p.run(ctx)
	})
}

// warnMoved warns if the group moves to another address without a moved block.
func (r *groupResource) warnMoved(m model, create bool, diags *diag.Diagnostics) {
	if r.Clients != nil && !m.ClusterID.IsUnknown() && !m.Name.IsUnknown() {
		connection.State[resume.Moves](r.Clients).Warn(typeName, m.workKey(),
			fmt.Sprintf("Protection Group %q", m.Name.ValueString()), create, diags)
	}
}

// run plans the computed attributes, and checks the plan with the appliance if it would send requests to it.
func (p *planner) run(ctx context.Context) {
	if p.state != nil && p.r.Clients != nil { // a replacement plans the create without its state
		connection.State[groupsInState](p.r.Clients).Store(p.state.workKey(), true)
	}
	p.targets, p.rulesKnown = p.plan.Targets()
	p.setComputed(ctx)
	if p.state != nil && p.unchanged(ctx) {
		return
	}
	if p.plan.ClusterID.IsUnknown() || p.r.Clients.ProtectionUnknown() {
		if p.rulesChanged() && p.state != nil {
			p.plan.Removes = types.ListUnknown(types.StringType)
		}
		return
	}
	p.client = p.r.Clients.Protection(p.diags)
	if p.client == nil {
		return
	}
	membership.WarnConnection(ctx, p.client, p.diags)
	if p.state == nil {
		p.planAdoption(ctx) // may set state
	}
	p.check(ctx)
}

// inState reports whether a group with the planned name is in state.
func (p *planner) inState() bool {
	_, ok := connection.State[groupsInState](p.r.Clients).Load(p.plan.workKey())
	return ok
}

// rulesChanged reports whether the planned rules are not known to be those in state.
func (p *planner) rulesChanged() bool {
	if p.state == nil || !p.rulesKnown {
		return true
	}
	before, _ := p.state.Targets()
	return !p.targets.Equal(before)
}

// unchanged reports whether applying the plan would send no request to the appliance.
func (p *planner) unchanged(ctx context.Context) bool {
	if p.rulesChanged() || p.plan.Name.IsUnknown() || p.plan.Replication.IsUnknown() || p.plan.Snapshots.IsUnknown() ||
		p.plan.Paused.IsUnknown() || hasUnknownAttribute(p.plan.Replication) {
		return false
	}
	return p.plan.change(ctx, *p.state) == (snapservice.Change{}) && p.plan.Locked.Equal(p.state.Locked) &&
		!p.changesPaused()
}

// changesPaused reports whether the plan pauses or resumes an existing group.
func (p *planner) changesPaused() bool {
	return p.state != nil && !p.plan.Paused.IsNull() &&
		p.plan.Paused.ValueBool() != (p.state.Status.ValueString() == snapservice.Paused)
}

func hasUnknownAttribute(o types.Object) bool {
	for _, v := range o.Attributes() {
		if v.IsUnknown() {
			return true
		}
	}
	return false
}

// setComputed plans the computed attributes. If the rules change, the preview method plans the removes attribute.
func (p *planner) setComputed(ctx context.Context) {
	if p.state == nil {
		p.plan.Removes = stringset.ListValue(nil)
		return
	}
	p.plan.Removes = p.state.Removes
	p.plan.MemberVMIDs = p.state.MemberVMIDs
	p.plan.Adopts = p.state.Adopts
	p.plan.Status = p.state.Status
	p.plan.Summary = p.state.Summary
	if p.rulesChanged() {
		p.plan.MemberVMIDs = types.ListUnknown(types.StringType)
	}
	if p.changesPaused() || p.plan.Paused.IsUnknown() {
		p.plan.Status = types.StringUnknown()
	}
	if !p.unchanged(ctx) {
		p.plan.Summary = types.StringUnknown()
		// Membership depends on tags and may change before apply.
		p.plan.MemberVMIDs = types.ListUnknown(types.StringType)
	}
}

func (p *planner) warn(summary, detail string) { p.diags.AddWarning(summary, detail) }

func (p *planner) name() string { return p.plan.Name.ValueString() }
