package tags

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	typeName = "vsla_tags"

	// maxSupportedTags is the maximum number of tags that vCenter 8.0 U3 supports (VMware's tagging best practices for
	// vSphere 8.0 U3).
	maxSupportedTags = 8000
)

type tagsResource struct{ base.Managed[resourceModel] }

// NewResource returns the resource vsla_tags.
func NewResource() resource.Resource {
	r := &tagsResource{}
	r.Managed = base.Managed[resourceModel]{
		Resource:   base.Resource{TypeName: typeName},
		Operations: r,
		Noun:       "Tags of Category",
		NotFound:   vsphere.ErrNotFound,
	}
	return r
}

// ValidateConfig rejects a rename that would lose a tag.
func (r *tagsResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Tags.IsUnknown() || config.RenamedFrom.IsUnknown() {
		return
	}
	tags := config.Tags.Elements()
	former := make(map[string]string) // Elements returns a copy of the map
	for name, value := range config.RenamedFrom.Elements() {
		old, known := value.(types.String)
		if !known || old.IsUnknown() {
			continue
		}
		at := path.Root("renamed_from").AtMapKey(name)
		_, listed := tags[name]
		_, stillListed := tags[old.ValueString()]
		other, twice := former[old.ValueString()]
		former[old.ValueString()] = name
		switch {
		case !listed:
			resp.Diagnostics.AddAttributeError(at, "Renamed Tag Is Not Listed", fmt.Sprintf(
				"renamed_from contains %q, but tags does not. Add it to tags, or remove this entry.",
				name,
			))
		case stillListed:
			resp.Diagnostics.AddAttributeError(at, "Former Name Is Still Listed", fmt.Sprintf(
				"According to renamed_from, %q was named %q, but tags contains both names. Remove %q from tags. To "+
					"swap names, use a temporary third name in two applies.",
				name,
				old.ValueString(),
				old.ValueString(),
			))
		case twice:
			resp.Diagnostics.AddAttributeError(at, "Duplicate Former Name",
				fmt.Sprintf("Both %q and %q are renamed from %q. Remove one of them.", other, name, old.ValueString()))
		}
	}
}

type plannedTagCount struct{ atomic.Int64 }

// ModifyPlan keeps the IDs of unchanged and renamed tags, so that resources that refer to these IDs do not change.
func (r *tagsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
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
	if !req.State.Raw.IsNull() {
		r.RecordState(state)
	}
	if !again {
		r.warnMany(len(plan.Tags.Elements()), &resp.Diagnostics)
	}
	if c := r.PlansNewName(&resp.Diagnostics); c != nil && req.State.Raw.IsNull() && !plan.CategoryID.IsUnknown() {
		assignment.CheckCategory(ctx, r.Clients, c, plan.CategoryID.ValueString(), &resp.Diagnostics)
	}
	r.warnTakenNames(ctx, plan, state, &resp.Diagnostics)
	if req.State.Raw.IsNull() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		!plan.CategoryID.Equal(state.CategoryID) {
		return
	}
	r.recordNames(plan, state)
	r.warnRenamed(ctx, plan, state, &resp.Diagnostics)
	plan.IDs = plan.plannedIDs(state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *tagsResource) warnMany(planned int, diags *diag.Diagnostics) {
	if r.Clients == nil || planned == 0 {
		return
	}
	after := int(connection.State[plannedTagCount](r.Clients).Add(int64(planned)))
	if after-planned <= maxSupportedTags && after > maxSupportedTags {
		diags.AddWarning("More Tags Than vCenter Supports", fmt.Sprintf(
			"This plan has at least %d tags, but vCenter 8.0 U3 supports only %d. More tags may work, but VMware "+
				"does not test them.",
			after,
			maxSupportedTags,
		))
	}
}

func (r *tagsResource) recordNames(plan, state resourceModel) {
	if r.Clients == nil {
		return
	}
	kept, _ := plan.matchIDs(state)
	for name, id := range kept {
		assignment.LedgerOf(r.Clients).PlanName(id, name)
	}
}

// warnTakenNames adds a warning if tags with new names exist in the category. It reads the tags as the apply does.
func (r *tagsResource) warnTakenNames(
	ctx context.Context, plan, state resourceModel, diags *diag.Diagnostics,
) {
	wanted := plan.descriptions()
	owned := sortedValues(state.ids())
	kept, _ := plan.matchIDs(state)
	maps.DeleteFunc(wanted, func(name, _ string) bool { return kept[name] != "" })
	if len(wanted) == 0 || plan.CategoryID.IsUnknown() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		plan.AdoptExisting.IsUnknown() || plan.AdoptExisting.ValueBool() {
		return
	}
	c := r.PlansNewName(diags)
	if c == nil {
		return
	}
	existing, err := readCategoryTags(ctx, c, plan.CategoryID.ValueString())
	if err != nil {
		return // the apply reports it
	}
	var taken []string
	for name := range wanted {
		tag, exists := existing.byName[name]
		if exists && !slices.Contains(owned, tag.ID) && !r.IsInState(tag.ID) {
			taken = append(taken, name)
		}
	}
	if len(taken) > 0 {
		diags.AddAttributeWarning(path.Root("tags"), takenSummary, "The apply fails unless it frees the names first. "+
			"If another resource frees them, add depends_on. "+takenDetail(taken, plan.CategoryID.ValueString()))
	}
}

// RefreshObject reads the tags with one list and one read per tag. If the category no longer exists, the resource is
// removed from state.
func (r *tagsResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, _ *diag.Diagnostics,
) (resourceModel, error) {
	ids := state.ids()
	found, err := c.TagsOwned(ctx, state.CategoryID.ValueString(), sortedValues(ids))
	if err == nil && len(found) == 0 && len(ids) > 0 {
		// Some releases return an empty list for a missing category.
		_, err = c.Category(ctx, state.CategoryID.ValueString())
	}
	return state.refreshed(found), err
}

// DeleteObject deletes the tags, unless one of them is in use and force_destroy is not set.
func (r *tagsResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, diags *diag.Diagnostics,
) *resourceModel {
	ids := state.ids()
	if !r.mayDelete(ctx, c, state, ids, diags) {
		return nil
	}
	undeleted := deleteTags(ctx, c, ids, diags)
	if !diags.HasError() {
		return nil
	}
	remaining := state.withIDs(undeleted)
	return &remaining
}

// FindObject finds a category by ID or name and imports all its tags.
func (r *tagsResource) FindObject(ctx context.Context, c *vsphere.Client, id string) (m resourceModel, err error) {
	var category vsphere.Category
	if strings.HasPrefix(id, "urn:vmomi:") {
		category, err = c.Category(ctx, id)
	} else {
		category, err = c.CategoryByName(ctx, id)
	}
	if err != nil {
		return m, err
	}
	tags, err := c.TagsOfCategory(ctx, category.ID)
	return newImported(category.ID, tags), err
}

func sortedValues(m map[string]string) []string {
	values := make([]string, 0, len(m))
	for _, v := range m {
		values = append(values, v)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func (r *tagsResource) warnRenamed(ctx context.Context, plan, state resourceModel, diags *diag.Diagnostics) {
	kept, deleted := plan.matchIDs(state)
	created := plan.descriptions()
	descriptions := state.descriptions()
	maps.DeleteFunc(created, func(name, _ string) bool { return kept[name] != "" })
	if len(deleted) == 0 || len(created) == 0 || r.Clients == nil || r.Clients.VSphereUnknown() {
		return
	}
	c := r.Clients.VSphere(diags)
	if c == nil {
		return
	}
	objects, err := c.ObjectsByTag(ctx, sortedValues(deleted))
	if err != nil {
		diags.AddAttributeWarning(path.Root("tags"), "Tags Are Deleted and Others Created",
			"It is unknown whether the deleted tags are in use: "+explain.Detail(err))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(deleted)) {
		n := len(objects[deleted[name]])
		if _, current := descriptions[name]; n == 0 || !current {
			continue
		}
		to := guessNewName(created, descriptions[name])
		diags.AddAttributeWarning(path.Root("tags"), fmt.Sprintf("Tag %q Is Deleted and %q Is Created", name, to),
			fmt.Sprintf("The deleted tag has %d associations, and the new tag has none. To rename the tag instead "+
				"and keep its ID and associations, add:\n\n  renamed_from = { %q = %q }", n, to, name))
	}
}

func guessNewName(created map[string]string, description string) string {
	names := slices.Sorted(maps.Keys(created))
	if i := slices.IndexFunc(names, func(name string) bool { return created[name] == description }); i >= 0 {
		return names[i]
	}
	return names[0]
}

func newImported(categoryID string, tags []vsphere.Tag) resourceModel {
	m := resourceModel{
		ID:            types.StringValue(categoryID),
		CategoryID:    types.StringValue(categoryID),
		RenamedFrom:   types.MapNull(types.StringType),
		AdoptExisting: types.BoolValue(false),
		ForceDestroy:  types.BoolValue(false),
	}
	descriptions := make(map[string]string, len(tags))
	ids := make(map[string]string, len(tags))
	for _, t := range tags {
		descriptions[t.Name] = t.Description
		ids[t.Name] = t.ID
	}
	m.Tags = stringMap(descriptions)
	m.IDs = stringMap(ids)
	return m
}
