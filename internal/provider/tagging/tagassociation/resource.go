// Package tagassociation is vsla_tag_association: one tag on many objects, in bulk calls
// (/rest/com/vmware/cis/tagging/tag-association). Unusual: a bulk call may succeed in part. State then lists the
// attached objects, and the error names the rest.
package tagassociation

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var (
	_ resource.ResourceWithImportState = (*associationResource)(nil)
	_ resource.ResourceWithIdentity    = (*associationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*associationResource)(nil)
)

const typeName = "vsla_tag_association"

type associationResource struct{ base.Resource }

// NewResource returns the resource vsla_tag_association.
func NewResource() resource.Resource { return &associationResource{base.Resource{TypeName: typeName}} }

// ledger is what this run knows of the associations that it changes.
func (r *associationResource) ledger() *tagledger.Ledger {
	return connection.State[tagledger.Ledger](r.Clients)
}

// Create attaches the tag.
func (r *associationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan = plan.withID()
	owns, touched := r.apply(ctx, c, plan.content(), nil, r.unfinished(plan), &resp.Diagnostics)
	if touched {
		identity.Save(ctx, &resp.State, resp.Identity, plan.withObjects(owns), plan.identity(), &resp.Diagnostics)
	}
}

// Read refreshes what carries the tag, in one request. The association leaves state when the tag is gone.
func (r *associationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	attached, err := c.RefreshObjectsWithTag(ctx, state.TagID.ValueString())
	if errors.Is(err, vsphere.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics, "Unable to Read Tag Association", privilege.Read, err)
		return
	}
	state = state.withObjects(state.content().refreshed(attached)).withChanges(nil, nil)
	state.Summary = types.StringValue("")
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update attaches the objects that are new in the list and detaches those that the plan shows.
func (r *associationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	owns, touched := r.apply(ctx, c, plan.content(), state.content().objects, nil, &resp.Diagnostics)
	if touched {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan.withObjects(owns))...)
	}
}

// Delete detaches the tag from the objects in state; a tag that is gone already is a success.
func (r *associationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	continues := resume.Continues(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	before := state.content()
	if continues {
		left := make(map[string]string)
		for _, id := range ids(before.objects) {
			left[id] = id
		}
		connection.State[resume.Work](r.Clients).Leave(state.workKey(), left)
		return
	}
	if err := r.detachAll(ctx, c, before); err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		explain.AddError(&resp.Diagnostics, "Unable to Delete Tag Association", privilege.Assign, err)
	}
}

func (r *associationResource) detachAll(ctx context.Context, c *vsphere.Client, before content) error {
	tag, err := r.ledger().Tag(ctx, c, before.tagID)
	if err != nil {
		return err
	}
	unlock, err := r.ledger().Lock(ctx, false, []tagledger.Tag{tag})
	if err != nil {
		return err
	}
	defer unlock()
	_, kept, err := r.ledger().Detach(ctx, c, tag, before.objects)
	if err == nil && kept != nil {
		return kept
	}
	return err
}

// ImportState takes "<tag>" or "<tag>/<object type>", where the tag is an id or "category/name",
// "<tag id>/<object type>/<object ids>", or an identity.
func (r *associationResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := req.ID
	if id == "" {
		var by association
		resp.Diagnostics.Append(req.Identity.Get(ctx, &by)...)
		id = by.TagID.ValueString() + "/" + by.ObjectType.ValueString()
	}
	m, err := findForImport(ctx, c, id)
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Import Tag Association %q", id), privilege.Read, err)
		return
	}
	identity.Save(ctx, &resp.State, resp.Identity, m, m.identity(), &resp.Diagnostics)
}
