// Package tagassociation is vsla_tag_association: one tag on many objects, in bulk calls
// (/rest/com/vmware/cis/tagging/tag-association). Unusual: a bulk call may succeed in part. State then holds what was
// attached, and the error names the rest.
package tagassociation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/ignored"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vsphere"
)

var (
	_ resource.ResourceWithConfigure   = (*associationResource)(nil)
	_ resource.ResourceWithImportState = (*associationResource)(nil)
	_ resource.ResourceWithIdentity    = (*associationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*associationResource)(nil)
)

const (
	privilegeAssign = "Assign or Unassign vSphere Tag (InventoryService.Tagging.AttachTag) on the tag and on each object"
	privilegeRead   = "Read-only on the root object"
)

type associationResource struct{ clients *connection.Set }

// NewResource returns the resource vsla_tag_association.
func NewResource() resource.Resource { return &associationResource{} }

// Metadata names the resource.
func (r *associationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "vsla_tag_association"
}

// ModifyPlan notes what the plan is about.
func (r *associationResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
}

// Configure takes the clients.
func (r *associationResource) Configure(
	_ context.Context,
	req resource.ConfigureRequest,
	resp *resource.ConfigureResponse,
) {
	r.clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// Create attaches the tag.
func (r *associationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.allowed(ctx, c, plan, &resp.Diagnostics) {
		return
	}
	// Of what an unfinished create has left, only what is no longer wanted is of interest: to attach is safe to repeat.
	plan = plan.withID()
	left := connection.State[resume.Work](r.clients).TakeOver(plan.workKey(), func(string) bool { return true })
	superfluous := without(slices.Sorted(maps.Keys(left)), plan.ids())
	if got := r.apply(ctx, c, plan, superfluous, &resp.Diagnostics); got != nil {
		identity.Save(ctx, &resp.State, resp.Identity, got, got.identity(), &resp.Diagnostics)
	}
}

// Read refreshes what carries the tag, in one request. The association leaves state when the tag is gone.
func (r *associationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	attached, err := c.RefreshObjectsWithTag(ctx, state.TagID.ValueString())
	if errors.Is(err, vsphere.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain.Failure{
			Summary:   "Unable to Read Tag Association",
			Privilege: privilegeRead,
			Err:       err,
		}.AddTo(
			&resp.Diagnostics,
		)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state.refreshed(state.ofType(attached)))...)
}

// Update attaches what is new in the list and detaches what left it.
func (r *associationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.allowed(ctx, c, plan, &resp.Diagnostics) {
		return
	}
	if got := r.apply(ctx, c, plan, state.ids(), &resp.Diagnostics); got != nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
	}
}

// Delete takes the tag off the objects in state; a tag that is gone already is a success.
func (r *associationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	continues := resume.Continues(ctx, req.Private, &resp.Diagnostics)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if continues {
		left := make(map[string]string)
		for _, id := range state.ids() {
			left[id] = id
		}
		connection.State[resume.Work](r.clients).Leave(state.workKey(), left)
		return
	}
	err := c.DetachTag(ctx, state.TagID.ValueString(), state.objects(state.ids()))
	if err == nil || errors.Is(err, vsphere.ErrNotFound) {
		return
	}
	explain.Failure{
		Summary:   "Unable to Delete Tag Association",
		Privilege: privilegeAssign,
		Err:       err,
	}.AddTo(
		&resp.Diagnostics,
	)
}

// ImportState takes "<tag>" or "<tag>/<object type>", where the tag is an id or "category/name", or an identity.
func (r *associationResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := req.ID
	if id == "" {
		var by association
		resp.Diagnostics.Append(req.Identity.Get(ctx, &by)...)
		id = by.TagID.ValueString() + "/" + by.ObjectType.ValueString()
	}
	tag, objectType, err := findForImport(ctx, c, id)
	if err != nil {
		explain.Failure{
			Summary:   fmt.Sprintf("Unable to Import Tag Association %q", id),
			Privilege: privilegeRead,
			Err:       err,
		}.AddTo(
			&resp.Diagnostics,
		)
		return
	}
	m := newModel(tag, objectType, additive)
	identity.Save(ctx, &resp.State, resp.Identity, m, m.identity(), &resp.Diagnostics)
}

// allowed refuses tags of categories that the provider is told to leave alone.
func (r *associationResource) allowed(
	ctx context.Context,
	c *vsphere.Client,
	plan model,
	diags *diag.Diagnostics,
) bool {
	tagID := path.Root("tag_id")
	failure := explain.Failure{Summary: "Unable to Associate Tag", Attribute: &tagID, Privilege: privilegeRead}
	tag, err := c.Tag(ctx, plan.TagID.ValueString())
	if err == nil {
		var category vsphere.Category
		if category, err = c.Category(ctx, tag.CategoryID); err == nil {
			if !r.clients.Ignored().Match(category.Name) {
				return true
			}
			diags.AddAttributeError(tagID, "Tag Category Is Ignored",
				fmt.Sprintf("Tag %q belongs to category %q, which ignore_tag_categories of the provider excludes (%q always is). "+
					"Use a tag of another category, or take the category off the list.", tag.Name, category.Name, ignored.Always))
			return false
		}
	}
	failure.Err = err
	failure.AddTo(diags)
	return false
}
