// Package tagcategory implements vsla_tag_category as a resource, a list resource and a data source
// (/rest/com/vmware/cis/tagging/category). vCenter can widen a category but not narrow it, so the plan rejects changes
// that narrow it.
package tagcategory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const typeName = "vsla_tag_category"

type categoryResource struct{ base.Managed[resourceModel] }

// NewResource returns the resource vsla_tag_category.
func NewResource() resource.Resource { return newResource() }

func newResource() *categoryResource {
	r := &categoryResource{}
	r.Managed = base.Managed[resourceModel]{
		Resource:   base.Resource{TypeName: typeName},
		Operations: r,
		Noun:       "Tag Category",
		NotFound:   vsphere.ErrNotFound,
	}
	return r
}

// IdentitySchema sets the identity schema.
func (r *categoryResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.SchemaByID(idDoc)
}

// ModifyPlan rejects changes that vCenter does not support: changing MULTIPLE to SINGLE, and removing object types.
func (r *categoryResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var state, plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if req.State.Raw.IsNull() {
		if !resp.Diagnostics.HasError() {
			adopts := r.planAdoption(ctx, plan, &resp.Diagnostics)
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), adopts)...)
		}
		return
	}
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

// CreateObject creates the category. The ID is saved even if the outcome is unknown, so that the next refresh can check
// whether the category exists.
func (r *categoryResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan resourceModel, diags *diag.Diagnostics,
) (created resourceModel, save bool) {
	id, err := r.create(ctx, c, plan, diags)
	if err != nil && !diags.HasError() {
		if errors.Is(err, vsphere.ErrConflict) {
			conflict(plan, err).AlreadyExists(diags, path.Root("name"), typeName, plan.Name.ValueString())
		} else {
			explain.AddError(diags, "Unable to Create "+plan.Title(), privilege.CreateCategory, err)
		}
	}
	if plan.Adopts.IsUnknown() {
		plan.Adopts = types.ObjectNull(adoptsTypes)
	}
	return plan.withID(id), id != ""
}

func (r *categoryResource) create(
	ctx context.Context, c *vsphere.Client, plan resourceModel, diags *diag.Diagnostics,
) (string, error) {
	for _, id := range r.TakeUnfinished(plan, base.AnyName) {
		err := c.UpdateCategory(ctx, plan.withID(id).category())
		if !errors.Is(err, vsphere.ErrNotFound) {
			return id, err
		}
	}
	id, err := c.CreateCategory(ctx, plan.category())
	if !errors.Is(err, vsphere.ErrConflict) || !plan.AdoptExisting.ValueBool() {
		return id, err
	}
	found, findErr := c.CategoryByName(ctx, plan.Name.ValueString())
	if findErr != nil {
		return "", findErr
	}
	if plan.Adopts.IsNull() {
		explain.ExistsSincePlan(diags, path.Root("name"), plan.Title())
		return "", err
	}
	rejectNarrowing(fromCategory(found), plan, diags)
	if diags.HasError() {
		return "", err
	}
	if err := c.UpdateCategory(ctx, plan.withID(found.ID).category()); err != nil {
		return "", err // do not save the category, or the failed create would own it
	}
	if !r.ClaimAdopted(found.ID) {
		return "", resume.ErrRemoved
	}
	return found.ID, nil
}

func (r *categoryResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, _ *diag.Diagnostics,
) (resourceModel, error) {
	category, err := c.RefreshCategory(ctx, state.ID.ValueString())
	state.model = state.refreshed(category)
	state.AdoptExisting = types.BoolValue(state.AdoptExisting.ValueBool()) // null in states written by older versions
	state.Adopts = types.ObjectNull(adoptsTypes)
	return state, err
}

// UpdateObject updates the category in place.
func (r *categoryResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, _ resourceModel, diags *diag.Diagnostics,
) (updated resourceModel, save bool) {
	// Read the category before the change, because the plans of this run are based on the former cardinality.
	if _, err := assignment.LedgerOf(r.Clients).Category(ctx, c, plan.ID.ValueString()); err != nil {
		tflog.Debug(ctx, "Unable to read the category before its change", map[string]any{"error": err.Error()})
	}
	assignment.LedgerOf(r.Clients).PlanTypes(plan.ID.ValueString(), plan.types())
	if err := c.UpdateCategory(ctx, plan.category()); err != nil {
		explain.AddError(diags, "Unable to Update "+plan.Title(), privilege.EditCategory, err)
		return plan, false
	}
	return plan, true
}

// DeleteObject deletes the category, unless one of its tags is in use and force_destroy is not set. A category that no
// longer exists is ignored.
func (r *categoryResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, diags *diag.Diagnostics,
) (remaining *resourceModel) {
	if !r.ClaimDeleted(state.ID.ValueString(), state.Title(), diags) {
		return nil
	}
	if !state.ForceDestroy.ValueBool() {
		ids, err := c.TagIDs(ctx, state.ID.ValueString())
		switch {
		case errors.Is(err, vsphere.ErrNotFound):
			return nil
		case err != nil:
			explain.AddError(diags, "Unable to List the Tags of "+state.Title(), privilege.Read, err)
			return nil
		case !guard.MayDeleteTags(ctx, r.Clients, c, diags, guard.Deletion{
			Title:            state.Title(),
			CategoryID:       state.ID.ValueString(),
			IDs:              ids,
			IncludesCategory: true,
		}):
			return nil
		}
	}
	if err := c.DeleteCategory(ctx, state.ID.ValueString()); err != nil {
		explain.AddError(diags, "Unable to Delete "+state.Title(), privilege.DeleteCategory, err)
	}
	return nil
}

// FindObject finds a category by ID (urn:vmomi:InventoryServiceCategory:...) or name.
func (r *categoryResource) FindObject(ctx context.Context, c *vsphere.Client, id string) (resourceModel, error) {
	category, err := findCategory(ctx, c, id)
	return fromCategory(category), err
}

func findCategory(ctx context.Context, c *vsphere.Client, idOrName string) (vsphere.Category, error) {
	if strings.HasPrefix(idOrName, "urn:vmomi:") {
		return c.Category(ctx, idOrName)
	}
	return c.CategoryByName(ctx, idOrName)
}
