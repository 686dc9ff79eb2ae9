// The state of an object's tags, and its values without Terraform's types.

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

// same reports whether two models ask for the same.
func (m model) same(other model) bool {
	return m.sameObject(other) && m.TagIDs.Equal(other.TagIDs) && m.Ownership.Equal(other.Ownership)
}

func (m model) sameObject(other model) bool {
	return m.ObjectID.Equal(other.ObjectID) && m.ObjectType.Equal(other.ObjectType)
}

// content is a model of known values.
type content struct {
	object    vsphere.Object
	ownership string
	// tags are distinct and in the order of the list, which may be missing: then the object is being imported.
	tags     []string
	imported bool
	// removes are the tags that the plan detaches.
	removes []string
}

// content converts a model once, at the boundary to Terraform; withTags and withRemoves are the way back.
func (m model) content() content {
	tags, _ := stringset.Known(m.TagIDs)
	return content{
		object:    vsphere.Object{Type: m.ObjectType.ValueString(), ID: m.ObjectID.ValueString()},
		ownership: m.Ownership.ValueString(), tags: tags, imported: m.TagIDs.IsNull(),
		removes: stringset.Strings(m.Removes),
	}
}

// withTags returns the model with these tags, as far as they go in the order that it has.
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

// Unfinished returns the tags of a create that did not finish.
func (m model) Unfinished() (key string, left map[string]string) {
	left = make(map[string]string)
	for _, id := range m.content().tags {
		left[id] = id
	}
	return typeName + "/" + m.ID.ValueString(), left
}

func (m model) Title() string { return "Tags of " + m.content().object.String() }
