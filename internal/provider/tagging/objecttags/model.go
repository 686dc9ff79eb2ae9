package objecttags

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
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
	TagNames   types.Map    `tfsdk:"tag_names"`
	Removes    types.List   `tfsdk:"removes"`
}

func (m model) withID() model {
	m.ID = types.StringValue(objecttype.Of(m.ObjectType) + "/" + m.ObjectID.ValueString())
	return m
}

func (m model) sameObject(other model) bool {
	return m.ObjectID.Equal(other.ObjectID) && objecttype.Of(m.ObjectType) == objecttype.Of(other.ObjectType)
}

func (m model) withTags(ids []string) model {
	m.TagIDs = stringset.Merge(m.TagIDs, ids)
	return m
}

func (m model) withRemoves(ids []string) model {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	m.Removes = stringset.ListValue(ids)
	return m
}

func (m model) sameConfig(other model) bool {
	return m.sameObject(other) && m.TagIDs.Equal(other.TagIDs) && m.Ownership.Equal(other.Ownership)
}

func (m model) spec() tagSpec {
	tags, _ := stringset.Known(m.TagIDs)
	return tagSpec{
		object:    vsphere.Object{Type: objecttype.Of(m.ObjectType), ID: m.ObjectID.ValueString()},
		ownership: m.Ownership.ValueString(),
		tags:      tags,
		imported:  m.TagIDs.IsNull(),
		removes:   stringset.Strings(m.Removes),
	}
}

// Unfinished implements base.Model.
func (m model) Unfinished() (key string, ids map[string]string) {
	ids = make(map[string]string)
	for _, id := range m.spec().tags {
		ids[id] = id
	}
	return typeName + "/" + m.ID.ValueString(), ids
}

func (m model) Title() string { return "Tags of " + m.spec().object.String() }
