// Package tagcategory implements vsla_tag_category as a resource, a list resource and a data source
// (/rest/com/vmware/cis/tagging/category). vCenter can widen a category but not narrow it, so the plan rejects changes
// that narrow it.
package tagcategory

import (
	"context"
	"errors"
	"strings"

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
