// Package objecttags is vsla_object_tags: many tags on one object, in bulk calls
// (/rest/com/vmware/cis/tagging/tag-association). Unusual: three kinds of ownership, and a swap within a SINGLE
// category has to detach before it attaches.
package objecttags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var (
	_ resource.ResourceWithImportState = (*tagsResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*tagsResource)(nil)
)

type tagsResource struct{ base.Resource }

// NewResource returns the resource vsla_object_tags.
func NewResource() resource.Resource {
	return &tagsResource{base.Resource{TypeName: "vsla_object_tags"}}
}

// ledger is what this run knows of the associations that it changes.
func (r *tagsResource) ledger() *tagledger.Ledger {
	return connection.State[tagledger.Ledger](r.Clients)
}

// Create brings the object's tags to the plan.
func (r *tagsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan = plan.withID()
	left := connection.State[resume.Work](r.Clients).TakeOver(plan.workKey(), func(string) bool { return true })
	owns, touched := r.apply(ctx, c, plan.content(), nil, slices.Sorted(maps.Keys(left)), &resp.Diagnostics)
	if touched {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan.withTags(owns))...)
	}
}

// Read refreshes the tags that are owned. The resource leaves state with its object: there is nothing to detach.
func (r *tagsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	before := state.content()
	has, err := c.RefreshTagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		resp.Diagnostics.AddWarning("Tagged Object Is Gone", fmt.Sprintf(
			"%s does not exist any more, and its tags went with it. The resource is removed from state; remove it from "+
				"the configuration too, or give it another object_id.", before.object))
		resp.State.RemoveResource(ctx)
		return
	}
	var owned []string
	if err == nil {
		owned, err = r.owned(ctx, c, before, has)
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Read Tags of %s", before.object), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state.withTags(owned).withRemoves(nil))...)
}

// Update detaches the tags that the plan shows and attaches those that are new in the list.
func (r *tagsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	owns, touched := r.apply(ctx, c, plan.content(), state.content().tags, nil, &resp.Diagnostics)
	if touched {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan.withTags(owns))...)
	}
}

// Delete detaches the tags of the state from the object. Tags that are gone already are a success.
func (r *tagsResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
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
		for _, id := range before.tags {
			left[id] = id
		}
		connection.State[resume.Work](r.Clients).Leave(state.workKey(), left)
		return
	}
	tags, unlock, err := r.lock(ctx, c, before.tags, nil)
	if err != nil {
		failed(&resp.Diagnostics, before.object, err)
		return
	}
	defer unlock()
	has, err := c.TagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		return
	}
	if err == nil {
		detach := r.detachable(before.object, stringset.Both(before.tags, has), tags, &resp.Diagnostics)
		err = r.detach(ctx, c, before.object, detach, tags)
	}
	if err != nil {
		failed(&resp.Diagnostics, before.object, err)
	}
}

// ImportState takes "<object id>" or "<object type>/<object id>".
func (r *tagsResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	objectType, id, ok := strings.Cut(req.ID, "/")
	if !ok {
		objectType, id = "VirtualMachine", req.ID
	}
	if id == "" || objectType == "" {
		resp.Diagnostics.AddError(
			"Invalid Import Id",
			"The id to import is an object's id (vm-42), or its type and id (HostSystem/host-7).",
		)
		return
	}
	m := model{
		ObjectID: types.StringValue(id), ObjectType: types.StringValue(objectType),
		TagIDs: types.ListNull(types.StringType), Removes: types.ListNull(types.StringType),
		Ownership: types.StringValue(additive),
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m.withID())...)
}
