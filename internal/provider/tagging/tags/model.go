package tags

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vsphere"
)

type resourceModel struct {
	ID            types.String `tfsdk:"id"`
	CategoryID    types.String `tfsdk:"category_id"`
	Tags          types.Map    `tfsdk:"tags"`
	RenamedFrom   types.Map    `tfsdk:"renamed_from"`
	AdoptExisting types.Bool   `tfsdk:"adopt_existing"`
	ForceDestroy  types.Bool   `tfsdk:"force_destroy"`
	// IDs maps names to IDs. If a tag is renamed outside Terraform, Tags contains the new name and IDs both names,
	// until the next apply. The plan then restores the configured name, or keeps the tag if the new name is configured.
	// A name in Tags always maps to the tag that has this name.
	IDs types.Map `tfsdk:"ids"`
}

func (m resourceModel) descriptions() map[string]string { return stringsOf(m.Tags) }

func stringsOf(m types.Map) map[string]string {
	values := make(map[string]string, len(m.Elements()))
	for k, v := range m.Elements() {
		if s, ok := v.(types.String); ok && !s.IsUnknown() {
			values[k] = s.ValueString()
		}
	}
	return values
}

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

func (m resourceModel) refreshed(found []vsphere.Tag) resourceModel {
	byID := make(map[string]vsphere.Tag, len(found))
	current := make(map[string]vsphere.Tag)
	for _, t := range found {
		byID[t.ID] = t
	}
	descriptions := make(map[string]string, len(found))
	ids := make(map[string]string, len(found))
	for name, id := range m.ids() {
		if t, ok := byID[id]; ok {
			ids[name] = id
			current[t.Name] = t
		}
	}
	for name, t := range current {
		ids[name] = t.ID
		descriptions[name] = t.Description
	}
	m.Tags = stringMap(descriptions)
	m.IDs = stringMap(ids)
	return m
}

func stringMap(m map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(m))
	for k, v := range m {
		elements[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, elements)
}

// Title returns the name for diagnostics.
func (resourceModel) Title() string { return "Tags" }

// Unfinished implements base.Model.
func (m resourceModel) Unfinished() (key string, ids map[string]string) {
	return typeName + "/" + m.CategoryID.ValueString(), m.ids()
}

// matchIDs returns the IDs of the tags in state that the plan keeps, by planned name, and the IDs of those that it
// removes. A tag belongs to the planned name that it has in vCenter, if any. Otherwise, a former name decides.
func (m resourceModel) matchIDs(state resourceModel) (kept, removed map[string]string) {
	removed = state.ids()
	kept = make(map[string]string)
	before := state.ids()
	current := state.descriptions()
	former := stringsOf(m.RenamedFrom)
	names := slices.Sorted(maps.Keys(m.Tags.Elements()))
	isKept := make(map[string]bool)
	for _, byCurrentName := range []bool{true, false} {
		for _, name := range names {
			for _, source := range []string{name, former[name]} {
				id, found := before[source]
				_, isCurrent := current[source]
				if found && isCurrent == byCurrentName && kept[name] == "" && !isKept[id] {
					kept[name] = id
					isKept[id] = true
				}
			}
		}
	}
	maps.DeleteFunc(removed, func(_, id string) bool { return isKept[id] })
	return kept, removed
}

func (m resourceModel) withIDs(ids map[string]string) resourceModel {
	descriptions := m.descriptions()
	for name := range descriptions {
		if _, ok := ids[name]; !ok {
			delete(descriptions, name)
		}
	}
	m.Tags = stringMap(descriptions)
	m.IDs = stringMap(ids)
	return m
}

type categoryTags struct{ byName, byID map[string]vsphere.Tag }

// readCategoryTags reads the tags of a category. If the category is empty, it sends a single request.
func readCategoryTags(ctx context.Context, c *vsphere.Client, categoryID string) (categoryTags, error) {
	e := categoryTags{byName: make(map[string]vsphere.Tag), byID: make(map[string]vsphere.Tag)}
	n, err := c.CountTags(ctx, categoryID)
	if err != nil || n == 0 {
		return e, err
	}
	list, err := c.TagsOfCategory(ctx, categoryID)
	for _, t := range list {
		e.byName[t.Name] = t
		e.byID[t.ID] = t
	}
	return e, err
}

func (m resourceModel) withTags(tagByName map[string]vsphere.Tag) resourceModel {
	descriptions := make(map[string]string, len(tagByName))
	for _, tag := range tagByName {
		descriptions[tag.Name] = tag.Description
	}
	m.Tags = stringMap(descriptions)
	m.IDs = idsOf(tagByName)
	return m
}

// withPartialUpdate returns the state after a failed update. It contains the planned values of completed changes and
// the former values of all others.
func (m resourceModel) withPartialUpdate(
	plan resourceModel, tagByName map[string]vsphere.Tag, removed map[string]string,
) resourceModel {
	descriptions := m.descriptions()
	ids := m.ids()
	unchanged := make(map[string]bool)
	for _, id := range removed {
		unchanged[id] = true
	}
	for name, tag := range tagByName {
		if tag.Name != name { // the rename failed
			unchanged[tag.ID] = true
		}
	}
	for name, id := range m.ids() {
		if !unchanged[id] {
			delete(ids, name)
			delete(descriptions, name)
		}
	}
	for name, tag := range tagByName {
		if tag.Name == name {
			descriptions[name] = tag.Description
			ids[name] = tag.ID
		}
	}
	plan.Tags = stringMap(descriptions)
	plan.IDs = stringMap(ids)
	return plan
}

func idsOf(tagByName map[string]vsphere.Tag) types.Map {
	ids := make(map[string]string, len(tagByName))
	for name, tag := range tagByName {
		ids[name] = tag.ID
	}
	return stringMap(ids)
}
