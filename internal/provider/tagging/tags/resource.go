package tags

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
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
