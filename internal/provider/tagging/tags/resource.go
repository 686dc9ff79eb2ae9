package tags

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
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
		Resource: base.Resource{TypeName: typeName}, Operations: r, Noun: "Tags of Category",
		NotFound: vsphere.ErrNotFound,
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
	tags, former := config.Tags.Elements(), make(map[string]string) // Elements returns a copy of the map
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
				"According to renamed_from, %q was named %q, but tags contains both names. Remove %q from tags. To swap names, "+
					"use a temporary third name in two applies.",
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
	if n := len(plan.Tags.Elements()); r.Clients != nil && n > 0 && !again {
		after := int(connection.State[plannedTagCount](r.Clients).Add(int64(n)))
		if after-n <= maxSupportedTags && after > maxSupportedTags {
			resp.Diagnostics.AddWarning("More Tags Than vCenter Supports", fmt.Sprintf(
				"This plan has at least %d tags, but vCenter 8.0 U3 supports only %d. More tags may work, but VMware does not "+
					"test them.",
				after,
				maxSupportedTags,
			))
		}
	}
	if req.State.Raw.IsNull() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		!plan.CategoryID.Equal(state.CategoryID) {
		return
	}
	r.warnRenamed(ctx, plan, state, &resp.Diagnostics)
	plan.IDs = plan.plannedIDs(state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
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
	created, descriptions := plan.descriptions(), state.descriptions()
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
			fmt.Sprintf("The deleted tag has %d associations, and the new tag has none. To rename the tag instead and keep "+
				"its ID and associations, add:\n\n  renamed_from = { %q = %q }", n, to, name))
	}
}

func guessNewName(created map[string]string, description string) string {
	names := slices.Sorted(maps.Keys(created))
	if i := slices.IndexFunc(names, func(name string) bool { return created[name] == description }); i >= 0 {
		return names[i]
	}
	return names[0]
}

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	name := stringvalidator.UTF8LengthBetween(1, 256)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages tags of one category as a single resource. Use this resource instead of `vsla_tag` " +
			"for hundreds or thousands of tags, because each Terraform resource adds overhead. Tags that the resource does " +
			"not manage are not changed. The provider creates, reads, updates and deletes up to ten tags in parallel.\n\n" +
			"Removing a tag from `tags` deletes it. If the tag is in use, this requires `force_destroy = true`.\n\n" +
			"If a create fails partway, the state contains the tags that were created. Terraform marks the resource as " +
			"tainted, so the next plan shows a replacement. The next apply keeps the created tags and creates only the " +
			"missing ones.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString("ID of the category."),
			"category_id": managed.ForceNewString("ID of the category that the tags belong to.",
				stringvalidator.LengthAtLeast(1)),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Descriptions of the tags, by tag name. Names must have 1 to 256 characters. Descriptions " +
					"can be empty, but not null, and can be changed in place.",
				ElementType: types.StringType,
				Required:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.NoNullValues()},
			},
			"renamed_from": schema.MapAttribute{
				MarkdownDescription: "Previous names of tags, by new name. For example, `{ \"platinum\" = \"gold\" }` renames " +
					"the tag `gold` to `platinum` in place. The tag keeps its ID and its associations. An entry has no effect " +
					"after the apply and can remain in the configuration, like a `moved` block.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.ValueStringsAre(name)},
			},
			"adopt_existing": managed.DefaultBool("Whether to adopt existing tags with the same names, with their "+
				"associations, instead of returning an error. Descriptions are updated to match the configuration. Also use "+
				"this after an apply that was killed before it saved the state. The tags must not be managed by another tool, "+
				"because destroying this resource deletes them. Defaults to `false`.", false),
			"force_destroy": managed.DefaultBool("Whether to delete tags even if they are in use. If `false`, the provider "+
				"does not delete tags if one of them is attached to objects or used by a rule of a protection group, or if one "+
				"may be attached to objects of a linked vCenter or to objects that the account cannot read. To delete such "+
				"tags, set this to `true`. Before a destroy, apply the change first. Defaults to `false`.", false),
			"ids": managed.StringMap("IDs of the tags, by tag name. After a tag is renamed outside Terraform, both names " +
				"refer to it until the next apply."),
		},
	}
}

type resourceModel struct {
	ID            types.String `tfsdk:"id"`
	CategoryID    types.String `tfsdk:"category_id"`
	Tags          types.Map    `tfsdk:"tags"`
	RenamedFrom   types.Map    `tfsdk:"renamed_from"`
	AdoptExisting types.Bool   `tfsdk:"adopt_existing"`
	ForceDestroy  types.Bool   `tfsdk:"force_destroy"`
	// IDs maps names to IDs. If a tag is renamed outside Terraform, Tags contains the new name and IDs both names, until
	// the next apply. The plan then restores the configured name, or keeps the tag if the new name is configured. A name
	// in Tags always maps to the tag that has this name.
	IDs types.Map `tfsdk:"ids"`
}

func newImported(categoryID string, tags []vsphere.Tag) resourceModel {
	m := resourceModel{
		ID: types.StringValue(categoryID), CategoryID: types.StringValue(categoryID),
		RenamedFrom: types.MapNull(types.StringType), AdoptExisting: types.BoolValue(false),
		ForceDestroy: types.BoolValue(false),
	}
	descriptions, ids := make(map[string]string, len(tags)), make(map[string]string, len(tags))
	for _, t := range tags {
		descriptions[t.Name], ids[t.Name] = t.Description, t.ID
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

// Title returns the name for diagnostics.
func (resourceModel) Title() string { return "Tags" }

// Unfinished implements base.Model.
func (m resourceModel) Unfinished() (key string, ids map[string]string) {
	return typeName + "/" + m.CategoryID.ValueString(), m.ids()
}

func (m resourceModel) descriptions() map[string]string { return stringsOf(m.Tags) }

func (m resourceModel) ids() map[string]string { return stringsOf(m.IDs) }

func (m resourceModel) plannedIDs(state resourceModel) types.Map {
	kept, _ := m.matchIDs(state)
	ids := make(map[string]attr.Value, len(m.Tags.Elements()))
	for name := range m.Tags.Elements() {
		if id, ok := kept[name]; ok {
			ids[name] = types.StringValue(id)
		} else {
			ids[name] = types.StringUnknown()
		}
	}
	return types.MapValueMust(types.StringType, ids)
}

// matchIDs returns the IDs of the tags in state that the plan keeps, by planned name, and the IDs of those that it
// removes. A tag belongs to the planned name that it has in vCenter, if any. Otherwise, a former name decides.
func (m resourceModel) matchIDs(state resourceModel) (kept, removed map[string]string) {
	removed, kept = state.ids(), make(map[string]string)
	before, current, former := state.ids(), state.descriptions(), stringsOf(m.RenamedFrom)
	names, isKept := slices.Sorted(maps.Keys(m.Tags.Elements())), make(map[string]bool)
	for _, byCurrentName := range []bool{true, false} {
		for _, name := range names {
			for _, source := range []string{name, former[name]} {
				id, found := before[source]
				_, isCurrent := current[source]
				if found && isCurrent == byCurrentName && kept[name] == "" && !isKept[id] {
					kept[name], isKept[id] = id, true
				}
			}
		}
	}
	maps.DeleteFunc(removed, func(_, id string) bool { return isKept[id] })
	return kept, removed
}

func (m resourceModel) refreshed(found []vsphere.Tag) resourceModel {
	byID, current := make(map[string]vsphere.Tag, len(found)), make(map[string]vsphere.Tag)
	for _, t := range found {
		byID[t.ID] = t
	}
	descriptions, ids := make(map[string]string, len(found)), make(map[string]string, len(found))
	for name, id := range m.ids() {
		if t, ok := byID[id]; ok {
			ids[name], current[t.Name] = id, t
		}
	}
	for name, t := range current {
		ids[name], descriptions[name] = t.ID, t.Description
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

func (m resourceModel) withIDs(ids map[string]string) resourceModel {
	descriptions := m.descriptions()
	for name := range descriptions {
		if _, ok := ids[name]; !ok {
			delete(descriptions, name)
		}
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

func stringsOf(m types.Map) map[string]string {
	values := make(map[string]string, len(m.Elements()))
	for k, v := range m.Elements() {
		if s, ok := v.(types.String); ok && !s.IsUnknown() {
			values[k] = s.ValueString()
		}
	}
	return values
}

func stringMap(m map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(m))
	for k, v := range m {
		elements[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, elements)
}
