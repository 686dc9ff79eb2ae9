package objecttags

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	additive   = "additive"
	byCategory = "category"
	exclusive  = "exclusive"
)

type model struct {
	ID         types.String `tfsdk:"id"`
	ObjectID   types.String `tfsdk:"object_id"`
	ObjectType types.String `tfsdk:"object_type"`
	TagIDs     types.List   `tfsdk:"tag_ids"`
	Ownership  types.String `tfsdk:"ownership"`
	Removes    types.List   `tfsdk:"removes"`
}

func (m model) withID() model {
	m.ID = types.StringValue(m.ObjectType.ValueString() + "/" + m.ObjectID.ValueString())
	return m
}

// same reports whether both models have the same configuration.
func (m model) same(other model) bool {
	return m.sameObject(other) && m.TagIDs.Equal(other.TagIDs) && m.Ownership.Equal(other.Ownership)
}

func (m model) sameObject(other model) bool {
	return m.ObjectID.Equal(other.ObjectID) && m.ObjectType.Equal(other.ObjectType)
}

// content is a model with known values.
type content struct {
	object    vsphere.Object
	ownership string
	// tags are the distinct tags in the order of the list. imported is true if the list is null.
	tags     []string
	imported bool
	// removes are the tags to detach.
	removes []string
}

// content converts a model to Go values.
func (m model) content() content {
	tags, _ := stringset.Known(m.TagIDs)
	return content{
		object:    vsphere.Object{Type: m.ObjectType.ValueString(), ID: m.ObjectID.ValueString()},
		ownership: m.Ownership.ValueString(), tags: tags, imported: m.TagIDs.IsNull(),
		removes: stringset.Strings(m.Removes),
	}
}

// withTags sets the tags, keeping the configured order.
func (m model) withTags(ids []string) model {
	m.TagIDs = stringset.List(stringset.Merge(stringset.Strings(m.TagIDs), ids))
	return m
}

func (m model) withRemoves(ids []string) model {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	m.Removes = stringset.List(ids)
	return m
}

// Unfinished returns the tags of an unfinished create.
func (m model) Unfinished() (key string, left map[string]string) {
	left = make(map[string]string)
	for _, id := range m.content().tags {
		left[id] = id
	}
	return typeName + "/" + m.ID.ValueString(), left
}

func (m model) Title() string { return "Tags of " + m.content().object.String() }
