// Package tag implements vsla_tag as a resource, a list resource and a data source (/rest/com/vmware/cis/tagging/tag).
package tag

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const (
	typeName = "vsla_tag"

	forceDestroyDoc = "Whether to delete the tag even if it is in use. If `false`, the provider does not delete a " +
		"tag that is attached to objects or used by a rule of a protection group. It also does not delete a tag that " +
		"may be attached to objects of a linked vCenter or to objects that the account cannot read. To destroy such " +
		"a tag, set this to `true` and apply the change first. Defaults to `false`."

	adoptExistingDoc = "Whether to adopt an existing tag with the same name in the category, with its associations, " +
		"instead of returning an error. The description is updated to match the configuration. Also use this after " +
		"an apply that was killed before it saved the state. A replacement with `create_before_destroy` adopts the " +
		"tag of the resource itself, and the tag is then not deleted. The tag must not be managed by another tool, " +
		"because destroying this resource deletes it. Defaults to `false`."

	idDoc          = "ID of the tag in vCenter, in the form `urn:vmomi:InventoryServiceTag:…`."
	nameDoc        = "Name of the tag, unique in its category."
	categoryDoc    = "ID of the category that the tag belongs to."
	descriptionDoc = "Description of the tag."
)

type tagResource struct{ base.Managed[model] }

// NewResource returns the resource vsla_tag.
func NewResource() resource.Resource { return newResource() }

func newResource() *tagResource {
	r := &tagResource{}
	r.Managed = base.Managed[model]{
		Resource:   base.Resource{TypeName: typeName},
		Operations: r,
		Noun:       "Tag",
		NotFound:   vsphere.ErrNotFound,
	}
	return r
}

// CreateObject creates the tag. The ID is saved even if the outcome is unknown, so that the next refresh can check
// whether the tag exists.
func (r *tagResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (created model, save bool) {
	id, err := r.create(ctx, c, plan)
	if err == nil {
		return plan.withID(id), true
	}
	failure := explain.Failure{Summary: "Unable to Create " + plan.Title(), Privilege: privilege.CreateTag, Err: err}
	category := path.Root("category_id")
	switch {
	case errors.Is(err, vsphere.ErrConflict):
		conflict(plan, err).AlreadyExists(diags, path.Root("name"), typeName, r.importID(ctx, c, plan))
		return plan.withID(id), id != ""
	case errors.Is(err, vsphere.ErrNotFound):
		failure.Attribute = &category
	}
	failure.AddTo(diags)
	return plan.withID(id), id != ""
}

func (r *tagResource) create(ctx context.Context, c *vsphere.Client, plan model) (string, error) {
	for _, id := range r.TakeUnfinished(plan, base.AnyName) {
		err := c.UpdateTag(ctx, plan.withID(id).tag())
		if !errors.Is(err, vsphere.ErrNotFound) {
			return id, err
		}
	}
	id, err := c.CreateTag(ctx, plan.tag())
	if !errors.Is(err, vsphere.ErrConflict) || !plan.AdoptExisting.ValueBool() {
		return id, err
	}
	found, findErr := c.TagByName(ctx, plan.CategoryID.ValueString(), plan.Name.ValueString())
	if findErr != nil {
		return "", findErr
	}
	if found.Description != plan.Description.ValueString() {
		if err := c.UpdateTag(ctx, plan.withID(found.ID).tag()); err != nil {
			return "", err // do not save the tag, or the failed create would own it
		}
	}
	if !r.ClaimAdopted(found.ID) {
		return "", resume.ErrRemoved
	}
	return found.ID, nil
}

// importID returns "category/name". If the category cannot be read, a placeholder is used instead.
func (r *tagResource) importID(ctx context.Context, c *vsphere.Client, plan model) string {
	category, err := c.Category(ctx, plan.CategoryID.ValueString())
	if err != nil {
		return "CATEGORY/" + plan.Name.ValueString()
	}
	return category.Name + "/" + plan.Name.ValueString()
}

func (r *tagResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state model, _ *diag.Diagnostics,
) (model, error) {
	tag, err := c.RefreshTag(ctx, state.ID.ValueString())
	return state.refreshed(tag), err
}

// UpdateObject updates the tag in place.
func (r *tagResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, _ model, diags *diag.Diagnostics,
) (updated model, save bool) {
	if err := c.UpdateTag(ctx, plan.tag()); err != nil {
		explain.AddError(diags, "Unable to Update "+plan.Title(), privilege.EditTag, err)
		return plan, false
	}
	return plan, true
}

// DeleteObject deletes the tag, unless the tag is in use and force_destroy is not set. A tag that no longer exists is
// ignored.
func (r *tagResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) *model {
	ids := []string{state.ID.ValueString()}
	if !r.ClaimDeleted(ids[0], state.Title(), diags) {
		return nil
	}
	if state.ForceDestroy.ValueBool() {
		if !guard.ForceDeleteTags(ctx, r.Clients, c, diags, state.CategoryID.ValueString(), ids) {
			return nil
		}
	} else if !guard.MayDeleteTags(ctx, r.Clients, c, diags, guard.Deletion{
		Title:      state.Title(),
		CategoryID: state.CategoryID.ValueString(),
		IDs:        ids,
	}) {
		return nil
	}
	if err := c.DeleteTag(ctx, ids[0]); err != nil {
		explain.AddError(diags, "Unable to Delete "+state.Title(), privilege.DeleteTag, err)
	}
	return nil
}

// FindObject finds a tag by ID (urn:vmomi:InventoryServiceTag:...) or by "category/name".
func (r *tagResource) FindObject(ctx context.Context, c *vsphere.Client, id string) (model, error) {
	tag, err := c.FindTag(ctx, id)
	return fromTag(tag), err
}
