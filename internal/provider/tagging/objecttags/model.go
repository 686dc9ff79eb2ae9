// The state of an object's tags, and sets of ids.

package objecttags

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/stringset"
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
}

func (m model) withID() model {
	m.ID = types.StringValue(m.ObjectType.ValueString() + "/" + m.ObjectID.ValueString())
	return m
}

func (m model) object() vsphere.Object {
	return vsphere.Object{Type: m.ObjectType.ValueString(), ID: m.ObjectID.ValueString()}
}

func (m model) ids() []string { return stringset.Strings(m.TagIDs) }

// workKey is where an unfinished create leaves its tags.
func (m model) workKey() string { return "vsla_object_tags/" + m.ID.ValueString() }

// both returns the elements of a that are in b.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func union(a, b []string) []string { return append(slices.Clone(a), without(b, a)...) }
