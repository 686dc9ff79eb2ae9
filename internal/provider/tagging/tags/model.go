package tags

import (
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
	// IDs maps configured names to ids. A tag renamed outside Terraform keeps its entry here, while Tags has its
	// current name, so that the plan renames it back.
	IDs types.Map `tfsdk:"ids"`
}

func imported(categoryID string, tags []vsphere.Tag) resourceModel {
	m := resourceModel{
		ID:            types.StringValue(categoryID),
		CategoryID:    types.StringValue(categoryID),
		RenamedFrom:   types.MapNull(types.StringType),
		AdoptExisting: types.BoolValue(false),
		ForceDestroy:  types.BoolValue(false),
	}
	descriptions, ids := make(map[string]string, len(tags)), make(map[string]string, len(tags))
	for _, t := range tags {
		descriptions[t.Name], ids[t.Name] = t.Description, t.ID
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

// Title returns the objects in diagnostics.
func (resourceModel) Title() string { return "Tags" }

// Unfinished returns the tags of an unfinished create.
func (m resourceModel) Unfinished() (key string, ids map[string]string) {
	return typeName + "/" + m.CategoryID.ValueString(), m.ids()
}

func (m resourceModel) descriptions() map[string]string { return texts(m.Tags) }

func (m resourceModel) ids() map[string]string { return texts(m.IDs) }

func (m resourceModel) plannedIDs(state resourceModel) types.Map {
	known := m.keptIDs(state)
	ids := make(map[string]attr.Value, len(m.Tags.Elements()))
	for name := range m.Tags.Elements() {
		if id, ok := known[name]; ok {
			ids[name] = types.StringValue(id)
		} else {
			ids[name] = types.StringUnknown()
		}
	}
	return types.MapValueMust(types.StringType, ids)
}

func (m resourceModel) keptIDs(state resourceModel) map[string]string {
	before, former := state.ids(), texts(m.RenamedFrom)
	kept := make(map[string]string, len(before))
	for name := range m.Tags.Elements() {
		if id, ok := before[name]; ok {
			kept[name] = id
		} else if id, ok := before[former[name]]; ok {
			kept[name] = id
		}
	}
	return kept
}

func (m resourceModel) refreshed(found []vsphere.Tag) resourceModel {
	byID := make(map[string]vsphere.Tag, len(found))
	for _, t := range found {
		byID[t.ID] = t
	}
	descriptions, ids := make(map[string]string, len(found)), make(map[string]string, len(found))
	for name, id := range m.ids() {
		if t, ok := byID[id]; ok {
			ids[name], descriptions[t.Name] = id, t.Description
		}
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

// holding returns the model with only the tags in ids.
func (m resourceModel) holding(ids map[string]string) resourceModel {
	descriptions := m.descriptions()
	for name := range descriptions {
		if _, ok := ids[name]; !ok {
			delete(descriptions, name)
		}
	}
	m.Tags, m.IDs = stringMap(descriptions), stringMap(ids)
	return m
}

func texts(m types.Map) map[string]string {
	out := make(map[string]string, len(m.Elements()))
	for k, v := range m.Elements() {
		if s, ok := v.(types.String); ok && !s.IsUnknown() {
			out[k] = s.ValueString()
		}
	}
	return out
}

func stringMap(m map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(m))
	for k, v := range m {
		elements[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, elements)
}
