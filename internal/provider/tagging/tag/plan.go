package tag

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// ModifyPlan warns about a new tag whose name is taken.
func (r *tagResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	var plan, state model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.RecordState(state)
	}
	if req.Plan.Raw.IsNull() {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		if r.Clients != nil {
			assignment.LedgerOf(r.Clients).PlanName(state.ID.ValueString(), plan.Name.ValueString())
		}
		return
	}
	if resp.Diagnostics.HasError() || plan.CategoryID.IsUnknown() {
		return
	}
	c := r.PlansNewName(&resp.Diagnostics)
	if c == nil {
		return
	}
	assignment.CheckCategory(ctx, r.Clients, c, plan.CategoryID.ValueString(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() || plan.Name.IsUnknown() || plan.AdoptExisting.IsUnknown() ||
		plan.AdoptExisting.ValueBool() {
		return
	}
	found, err := c.TagByName(ctx, plan.CategoryID.ValueString(), plan.Name.ValueString())
	if err == nil && !r.IsInState(found.ID) {
		taken := conflict(plan, fmt.Errorf("tag %s: %w", found.ID, vsphere.ErrConflict))
		taken.WarnTaken(&resp.Diagnostics, path.Root("name"), typeName, r.importID(ctx, c, plan))
	}
}

func conflict(plan model, err error) explain.Failure {
	return explain.Failure{
		Summary: "Unable to Create " + plan.Title(),
		Alternative: "Alternatively, set adopt_existing = true to adopt the tag. In a replacement with " +
			"create_before_destroy, the existing tag is the one to be replaced: adopt_existing = true keeps it.\n\n",
		Err: err,
	}
}
