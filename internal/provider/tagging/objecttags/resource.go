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

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/ignored"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

var (
	_ resource.ResourceWithConfigure   = (*tagsResource)(nil)
	_ resource.ResourceWithImportState = (*tagsResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*tagsResource)(nil)
)

const (
	privilegeAssign = "Assign or Unassign vSphere Tag (InventoryService.Tagging.AttachTag) on the object and on each tag"
	privilegeRead   = "Read-only on the root object"
)

type tagsResource struct{ clients *connection.Set }

// NewResource returns the resource vsla_object_tags.
func NewResource() resource.Resource { return &tagsResource{} }

// Metadata names the resource.
func (r *tagsResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "vsla_object_tags"
}

// ModifyPlan notes what the plan is about.
func (r *tagsResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
}

// Configure takes the clients.
func (r *tagsResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// Create brings the object's tags to the plan.
func (r *tagsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan = plan.withID()
	left := connection.State[resume.Work](r.clients).TakeOver(plan.workKey(), func(string) bool { return true })
	got, touched := r.apply(ctx, c, plan, slices.Sorted(maps.Keys(left)), &resp.Diagnostics)
	if touched {
		resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
	}
}

// Read refreshes the tags that are owned. An object that is gone has no tags and is planned again; what refuses it
// then is vCenter.
func (r *tagsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	has, err := c.RefreshTagsOfObject(ctx, state.object())
	var owned []string
	if err == nil {
		owned, err = r.owned(ctx, c, state, has)
	}
	if err != nil {
		explain.Failure{
			Summary:   fmt.Sprintf("Unable to Read Tags of %s", state.object()),
			Privilege: privilegeRead,
			Err:       err,
		}.AddTo(
			&resp.Diagnostics,
		)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state.holding(owned))...)
}

// Update attaches and detaches the difference.
func (r *tagsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c := r.clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	got, touched := r.apply(ctx, c, plan, state.ids(), &resp.Diagnostics)
	if touched {
		resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
	}
}

// Delete takes the tags of the state off the object. Tags that are gone already are a success.
func (r *tagsResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
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
	has, err := c.TagsOfObject(ctx, state.object())
	if err == nil {
		err = c.DetachTags(ctx, state.object(), both(state.ids(), has))
	}
	if err != nil {
		failed(&resp.Diagnostics, state, err)
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
		TagIDs: types.ListNull(types.StringType), Ownership: types.StringValue(additive),
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m.withID())...)
}

// apply detaches first, because a SINGLE category has room for one tag, then attaches. It returns the model to save,
// and false when nothing was touched.
func (r *tagsResource) apply(
	ctx context.Context,
	c *vsphere.Client,
	plan model,
	before []string,
	diags *diag.Diagnostics,
) (model, bool) {
	has, err := c.TagsOfObject(ctx, plan.object())
	if err != nil {
		failed(diags, plan, err)
		return plan, false
	}
	owned, err := r.owned(ctx, c, plan, has)
	if err != nil {
		failed(diags, plan, err)
		return plan, false
	}
	wanted := plan.ids()
	if !r.allowed(ctx, c, plan, diags) {
		return plan, false
	}
	detach := both(without(union(owned, before), wanted), has)
	attach := without(wanted, has)
	if err := c.DetachTags(ctx, plan.object(), detach); err != nil {
		failed(diags, plan, err)
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return plan.holding(union(both(wanted, has), detach)), true
		}
	}
	if err := c.AttachTags(ctx, plan.object(), attach); err != nil {
		failed(diags, plan, err)
	}
	if !diags.HasError() {
		return plan, true
	}
	// Something failed: state holds what vCenter says now, or when it does not say, all that may be.
	now, err := c.TagsOfObject(ctx, plan.object())
	if err != nil {
		return plan.holding(union(wanted, detach)), true
	}
	left := both(union(wanted, detach), now)
	return plan.holding(left), len(left) > 0 || len(before) > 0
}

// allowed refuses, where ownership is by category, tags of categories that the provider leaves alone: it would
// neither read nor remove what it has attached.
func (r *tagsResource) allowed(ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics) bool {
	if plan.Ownership.ValueString() == additive {
		return true
	}
	tags, err := c.TagsByID(ctx, plan.ids())
	var skipped map[string]bool
	if err == nil {
		skipped, err = r.ignored(ctx, c, tags)
	}
	if err != nil {
		failed(diags, plan, err)
		return false
	}
	for _, id := range plan.ids() {
		if skipped[tags[id].CategoryID] {
			diags.AddAttributeError(path.Root("tag_ids"), "Tag Category Is Ignored", fmt.Sprintf(
				"Tag %q belongs to a category that ignore_tag_categories of the provider excludes (%q always is). Use a tag of another category, "+
					"take the category off the list, or use ownership additive.",
				tags[id].Name,
				ignored.Always,
			))
			return false
		}
	}
	return true
}

// owned returns, of what the object has, the tags that the model owns: those that it lists; with "category" all of the
// categories of those; with "exclusive" all but those of ignored categories.
func (r *tagsResource) owned(ctx context.Context, c *vsphere.Client, m model, has []string) ([]string, error) {
	ownership := m.Ownership.ValueString()
	if ownership == additive && !m.TagIDs.IsNull() {
		return both(m.ids(), has), nil
	}
	tags, err := c.TagsByID(ctx, union(has, m.ids()))
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, id := range m.ids() {
		listed[tags[id].CategoryID] = true
	}
	skipped, err := r.ignored(ctx, c, tags)
	if err != nil {
		return nil, err
	}
	var owned []string
	for _, id := range has {
		category := tags[id].CategoryID
		if !skipped[category] && (ownership != byCategory || listed[category]) {
			owned = append(owned, id)
		}
	}
	return owned, nil
}

// ignored reports which categories of the tags the provider leaves alone.
func (r *tagsResource) ignored(
	ctx context.Context,
	c *vsphere.Client,
	tags map[string]vsphere.Tag,
) (map[string]bool, error) {
	skipped := make(map[string]bool)
	for _, tag := range tags {
		if _, known := skipped[tag.CategoryID]; known {
			continue
		}
		category, err := c.Category(ctx, tag.CategoryID)
		if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
			return nil, err
		}
		skipped[tag.CategoryID] = err == nil && r.clients.Ignored().Match(category.Name)
	}
	return skipped, nil
}

func failed(diags *diag.Diagnostics, m model, err error) {
	tags := path.Root("tag_ids")
	explain.Failure{
		Summary:   fmt.Sprintf("Unable to Tag %s", m.object()),
		Attribute: &tags,
		Privilege: privilegeAssign,
		Err:       err,
	}.AddTo(
		diags,
	)
}

func (m model) holding(ids []string) model {
	m.TagIDs = stringset.List(stringset.Merge(m.ids(), ids))
	return m
}
