// The state of an association and what follows from it: what to attach, what to detach, what to show after a refresh.

package tagassociation

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	additive  = "additive"
	exclusive = "exclusive"
)

type model struct {
	ID         types.String `tfsdk:"id"`
	TagID      types.String `tfsdk:"tag_id"`
	ObjectType types.String `tfsdk:"object_type"`
	ObjectIDs  types.List   `tfsdk:"object_ids"`
	Ownership  types.String `tfsdk:"ownership"`
}

func newModel(tagID, objectType, ownership string) model {
	m := model{
		TagID: types.StringValue(tagID), ObjectType: types.StringValue(objectType),
		Ownership: types.StringValue(ownership), ObjectIDs: types.ListNull(types.StringType),
	}
	return m.withID()
}

func (m model) withID() model {
	m.ID = types.StringValue(m.TagID.ValueString() + "/" + m.ObjectType.ValueString())
	return m
}

// ids are the distinct object ids in the list's order.
func (m model) ids() []string { return stringset.Strings(m.ObjectIDs) }

func (m model) objects(ids []string) []vsphere.Object {
	objects := make([]vsphere.Object, 0, len(ids))
	for _, id := range ids {
		objects = append(objects, vsphere.Object{Type: m.ObjectType.ValueString(), ID: id})
	}
	return objects
}

// ofType returns the ids of those objects that have the association's type.
func (m model) ofType(objects []vsphere.Object) []string {
	var ids []string
	for _, o := range objects {
		if o.Type == m.ObjectType.ValueString() {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// refreshed returns the model for what carries the tag now: of the additive kind only what it lists, of the exclusive
// kind everything. A state without a list is being imported and takes everything as well.
func (m model) refreshed(attached []string) model {
	before := m.ids()
	if m.Ownership.ValueString() == additive && !m.ObjectIDs.IsNull() {
		attached = slices.DeleteFunc(slices.Clone(attached), func() func(string) bool {
			listed := set(before)
			return func(id string) bool { return !listed[id] }
		}())
	}
	m.ObjectIDs = stringset.List(stringset.Merge(before, attached))
	return m
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	in := set(b)
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return in[s] })
}

func set(elements []string) map[string]bool {
	in := make(map[string]bool, len(elements))
	for _, e := range elements {
		in[e] = true
	}
	return in
}
