// The resource vsla_tags: the tags of one category that a configuration owns, as one resource
// (/rest/com/vmware/cis/tagging/tag). Unusual: it is many objects in one resource, so it can be done in part; see
// apply.go.

package tags

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var (
	_ resource.ResourceWithImportState    = (*tagsResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*tagsResource)(nil)
	_ resource.ResourceWithValidateConfig = (*tagsResource)(nil)
)

const (
	typeName = "vsla_tags"

	// supported is how many tags one vCenter 8.0 U3 supports (VMware's tagging best practices for vSphere 8.0 U3).
	supported = 8000
)

type tagsResource struct{ base.Resource }

// NewResource returns the resource vsla_tags.
func NewResource() resource.Resource { return &tagsResource{base.Resource{TypeName: typeName}} }

// ValidateConfig refuses renames that would lose a tag.
func (r *tagsResource) ValidateConfig(
	ctx context.Context,
	req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse,
) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Tags.IsUnknown() || config.RenamedFrom.IsUnknown() {
		return
	}
	tags, former := config.Tags.Elements(), make(map[string]string) // Elements copies the map
	for name, value := range config.RenamedFrom.Elements() {
		old, known := value.(types.String)
		if !known || old.IsUnknown() {
			continue
		}
		at := path.Root("renamed_from").AtMapKey(name)
		_, listed := tags[name]
		_, stays := tags[old.ValueString()]
		other, twice := former[old.ValueString()]
		former[old.ValueString()] = name
		switch {
		case !listed:
			resp.Diagnostics.AddAttributeError(
				at,
				"Renamed Tag Is Not Listed",
				fmt.Sprintf(
					"renamed_from has a former name for %q, and tags has no such name. Add it there, or remove "+
						"this entry.",
					name,
				),
			)
		case stays:
			resp.Diagnostics.AddAttributeError(
				at,
				"Former Name Is Still Listed",
				fmt.Sprintf(
					"renamed_from says that %q was %q, and tags lists both. Remove %q from tags; to swap names, "+
						"go by a third name in two applies.",
					name,
					old.ValueString(),
					old.ValueString(),
				),
			)
		case twice:
			resp.Diagnostics.AddAttributeError(
				at,
				"Former Name Is Given Twice",
				fmt.Sprintf("Both %q and %q are said to have been %q. Remove one of "+
					"them.", other, name, old.ValueString()),
			)
		}
	}
}

// plannedTags counts the tags that all resources plan.
type plannedTags struct{ atomic.Int64 }

// ModifyPlan keeps the ids of tags that stay or are renamed, so that what refers to them does not change.
func (r *tagsResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	again := resume.Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, state resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if n := len(plan.Tags.Elements()); r.Clients != nil && n > 0 && !again {
		after := int(connection.State[plannedTags](r.Clients).Add(int64(n)))
		if after-n <= supported && after > supported {
			resp.Diagnostics.AddWarning(
				"More Tags Than vCenter Supports",
				fmt.Sprintf(
					"This plan has %d tags or more, and vCenter 8.0 U3 supports %d. It may work, and it is past "+
						"what VMware tests.",
					after,
					supported,
				),
			)
		}
	}
	if req.State.Raw.IsNull() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		!plan.CategoryID.Equal(state.CategoryID) {
		return
	}
	plan.IDs = plan.plannedIDs(state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// Read refreshes the tags in one listing and one read each. It leaves state when the category is gone.
func (r *tagsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ids := state.ids()
	found, err := c.TagsOwned(ctx, state.CategoryID.ValueString(), sortedValues(ids))
	if err == nil && len(found) == 0 && len(ids) > 0 {
		// Not every release answers "not found" to the listing of a category that is gone.
		_, err = c.Category(ctx, state.CategoryID.ValueString())
	}
	if errors.Is(err, vsphere.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics, "Unable to Read Tags", privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state.refreshed(found))...)
}

// Delete deletes the tags, unless something carries one of them and that has not been allowed.
func (r *tagsResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	continues := resume.Continues(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ids := state.ids()
	if continues {
		connection.State[resume.Work](r.Clients).Leave(state.workKey(), ids)
		return
	}
	if !r.mayDelete(ctx, c, sortedValues(ids), state.ForceDestroy.ValueBool(), &resp.Diagnostics) {
		return
	}
	left := deleteTags(ctx, c, ids, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state.holding(left))...)
	}
}

// ImportState takes the id or the name of a category and owns all of its tags.
func (r *tagsResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var (
		category vsphere.Category
		tags     []vsphere.Tag
		err      error
	)
	if strings.HasPrefix(req.ID, "urn:vmomi:") {
		category, err = c.Category(ctx, req.ID)
	} else {
		category, err = c.CategoryByName(ctx, req.ID)
	}
	if err == nil {
		tags, err = c.TagsOfCategory(ctx, category.ID)
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Import the Tags of Category %q", req.ID), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, imported(category.ID, tags))...)
}

func sortedValues(m map[string]string) []string {
	values := make([]string, 0, len(m))
	for _, v := range m {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}
