package tagcategory

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ModifyPlan plans the category that a create adopts. It rejects changes that vCenter does not support, and records
// changes for the plans of other resources.
func (r *categoryResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		r.planUpdate(ctx, plan, req, resp)
		return
	}
	if !resp.Diagnostics.HasError() {
		adopts := r.planAdoption(ctx, plan, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), adopts)...)
	}
}

func (r *categoryResource) planUpdate(
	ctx context.Context, plan resourceModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.RecordState(state)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), state.Adopts)...)
	rejectNarrowing(state, plan, &resp.Diagnostics)
	if r.Clients != nil {
		ledger := assignment.LedgerOf(r.Clients)
		ledger.PlanTypes(plan.ID.ValueString(), plan.types())
		ledger.PlanName(plan.ID.ValueString(), plan.Name.ValueString())
	}
}

// planAdoption returns the category that a create takes over: null if there is none, unknown if it cannot be read yet.
func (r *categoryResource) planAdoption(
	ctx context.Context, plan resourceModel, diags *diag.Diagnostics,
) types.Object {
	switch {
	case plan.AdoptExisting.IsUnknown():
		return types.ObjectUnknown(adoptsTypes)
	case !plan.AdoptExisting.ValueBool():
		r.warnTakenName(ctx, plan, diags)
		return types.ObjectNull(adoptsTypes)
	case plan.Name.IsUnknown() || r.Clients == nil || r.Clients.VSphereUnknown():
		return types.ObjectUnknown(adoptsTypes)
	}
	c := r.Clients.VSphere(diags)
	if c == nil {
		return types.ObjectUnknown(adoptsTypes)
	}
	found, err := c.CategoryByName(ctx, plan.Name.ValueString())
	switch {
	case errors.Is(err, vsphere.ErrNotFound):
		return types.ObjectNull(adoptsTypes)
	case err != nil:
		explain.AddAttributeError(diags, path.Root("name"), "Unable to Read "+plan.Title(), privilege.Read, err)
		return types.ObjectUnknown(adoptsTypes)
	}
	rejectNarrowing(fromCategory(found), plan, diags)
	return adoptsOf(found)
}

// warnTakenName warns if the create will fail because a category that is not in state has the name.
func (r *categoryResource) warnTakenName(ctx context.Context, plan resourceModel, diags *diag.Diagnostics) {
	if plan.Name.IsUnknown() {
		return
	}
	c := r.PlansNewName(diags)
	if c == nil {
		return
	}
	found, err := c.CategoryByName(ctx, plan.Name.ValueString())
	if err == nil && !r.IsInState(found.ID) {
		taken := conflict(plan, fmt.Errorf("category %s: %w", found.ID, vsphere.ErrConflict))
		taken.WarnTaken(diags, path.Root("name"), typeName, plan.Name.ValueString())
	}
}

func conflict(plan resourceModel, err error) explain.Failure {
	return explain.Failure{
		Summary: "Unable to Create " + plan.Title(),
		Alternative: "Alternatively, set adopt_existing = true to adopt the category. In a replacement with " +
			"create_before_destroy, the existing category is the one to be replaced: adopt_existing = true keeps " +
			"it.\n\n",
		Err: err,
	}
}

var adoptsTypes = map[string]attr.Type{
	"id":               types.StringType,
	"description":      types.StringType,
	"cardinality":      types.StringType,
	"associable_types": types.SetType{ElemType: types.StringType},
}

func adoptsOf(c vsphere.Category) types.Object {
	listed := make([]attr.Value, 0, len(c.AssociableTypes))
	if !vsphere.AllowsAllTypes(c.AssociableTypes) {
		for _, t := range c.AssociableTypes {
			listed = append(listed, types.StringValue(t))
		}
	}
	return types.ObjectValueMust(adoptsTypes, map[string]attr.Value{
		"id":               types.StringValue(c.ID),
		"description":      types.StringValue(c.Description),
		"cardinality":      types.StringValue(c.Cardinality),
		"associable_types": types.SetValueMust(types.StringType, listed),
	})
}

// rejectNarrowing rejects changing MULTIPLE to SINGLE, and removing object types.
func rejectNarrowing(state, plan resourceModel, diags *diag.Diagnostics) {
	if state.Cardinality.ValueString() == vsphere.Multiple && plan.Cardinality.ValueString() == vsphere.Single {
		diags.AddAttributeError(path.Root("cardinality"), "Cardinality Cannot Be Narrowed",
			"vCenter can change a category from SINGLE to MULTIPLE, but not back, because objects may have several "+
				"of its tags. Keep MULTIPLE, or create a new category and move the tags.")
	}
	if removed := state.typesRemovedBy(plan.model); len(removed) > 0 {
		diags.AddAttributeError(path.Root("associable_types"), "Associable Types Cannot Be Removed",
			fmt.Sprintf("vCenter can add object types to a category, but not remove them. This plan would remove: "+
				"%v. Keep them, or create a new category and move the tags.", removed))
	}
}
