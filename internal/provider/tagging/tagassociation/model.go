package tagassociation

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	additive  = "additive"
	exclusive = "exclusive"
	vmType    = "VirtualMachine"
)

type model struct {
	ID           types.String `tfsdk:"id"`
	TagID        types.String `tfsdk:"tag_id"`
	TagName      types.String `tfsdk:"tag_name"`
	CategoryName types.String `tfsdk:"category_name"`
	ObjectType   types.String `tfsdk:"object_type"`
	ObjectIDs    types.List   `tfsdk:"object_ids"`
	Ownership    types.String `tfsdk:"ownership"`
	Removes      types.List   `tfsdk:"removes"`
	Replaces     types.Map    `tfsdk:"replaces"`
	Summary      types.String `tfsdk:"summary"`
}

func newModel(tagID, objectType string) model {
	m := model{
		TagID:      types.StringValue(tagID),
		ObjectType: types.StringValue(objectType),
		Ownership:  types.StringValue(additive),
		ObjectIDs:  types.ListNull(types.StringType),
	}
	return m.withID().withoutChanges()
}

func (m model) withoutChanges() model {
	m.Removes = types.ListNull(types.StringType)
	m.Replaces = types.MapNull(types.StringType)
	m.Summary = types.StringNull()
	return m
}

// withNames returns the association with the names of its tag. A tag that cannot be read has none.
func (r *associationResource) withNames(ctx context.Context, c *vsphere.Client, m model) model {
	m.TagName = types.StringNull()
	m.CategoryName = types.StringNull()
	if tag, err := assignment.LedgerOf(r.Clients).Tag(ctx, c, m.TagID.ValueString()); err == nil {
		m.TagName = types.StringValue(tag.Name)
		m.CategoryName = types.StringValue(tag.Category)
	}
	return m
}

// Title returns the name for diagnostics.
func (model) Title() string { return "Tag Association" }

func (m model) withID() model {
	m.ID = types.StringValue(m.TagID.ValueString() + "/" + objecttype.Of(m.ObjectType))
	return m
}

func (m model) sameConfig(other model) bool {
	return m.sameTag(other) && m.ObjectIDs.Equal(other.ObjectIDs) && m.Ownership.Equal(other.Ownership)
}

func (m model) sameTag(other model) bool {
	return m.TagID.Equal(other.TagID) && objecttype.Of(m.ObjectType) == objecttype.Of(other.ObjectType)
}

type associationSpec struct {
	tagID, objectType string
	exclusive         bool
	// objects contains the objects of object_ids in order, without duplicates. imported is true if object_ids is null.
	objects  []vsphere.Object
	imported bool
	// removes contains the objects that lose the tag. replaces maps objects to the tag that the new tag replaces.
	removes  []vsphere.Object
	replaces map[vsphere.Object]string
}

func (m model) spec() associationSpec {
	c := associationSpec{
		tagID:      m.TagID.ValueString(),
		objectType: objecttype.Of(m.ObjectType),
		exclusive:  m.Ownership.ValueString() == exclusive,
		imported:   m.ObjectIDs.IsNull(),
		replaces:   make(map[vsphere.Object]string),
	}
	c.objects = c.objectList(stringset.Strings(m.ObjectIDs))
	c.removes = c.objectList(stringset.Strings(m.Removes))
	for id, former := range m.Replaces.Elements() {
		if s, ok := former.(types.String); ok {
			c.replaces[vsphere.Object{Type: c.objectType, ID: id}] = s.ValueString()
		}
	}
	return c
}

func (m model) withObjects(objects []vsphere.Object) model {
	m.ObjectIDs = stringset.Merge(m.ObjectIDs, ids(objects))
	if m.Summary.IsUnknown() {
		m.Summary = types.StringValue("")
	}
	return m
}

func (m model) withChanges(removes []vsphere.Object, replaces map[vsphere.Object]string) model {
	sorted := ids(removes)
	slices.Sort(sorted)
	m.Removes = stringset.ListValue(sorted)
	elements := make(map[string]attr.Value, len(replaces))
	for o, former := range replaces {
		elements[o.ID] = types.StringValue(former)
	}
	m.Replaces = types.MapValueMust(types.StringType, elements)
	return m
}

// ownedObjects returns the attached objects that the resource owns. An exclusive or imported association owns all
// objects of its type. Any other association owns only the listed ones.
func (c associationSpec) ownedObjects(attached []vsphere.Object) []vsphere.Object {
	attached = c.ofType(attached)
	if c.exclusive || c.imported {
		return attached
	}
	return stringset.Intersect(attached, c.objects)
}

func (c associationSpec) ofType(objects []vsphere.Object) []vsphere.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o vsphere.Object) bool { return o.Type != c.objectType })
}

func (c associationSpec) objectList(ids []string) []vsphere.Object {
	objects := make([]vsphere.Object, 0, len(ids))
	for _, id := range ids {
		objects = append(objects, vsphere.Object{Type: c.objectType, ID: id})
	}
	return objects
}

func ids(objects []vsphere.Object) []string {
	list := make([]string, 0, len(objects))
	for _, o := range objects {
		list = append(list, o.ID)
	}
	return list
}

// Members implements base.Group.
func (m model) Members() []string { return stringset.Strings(m.ObjectIDs) }

type identityModel struct {
	TagID      types.String `tfsdk:"tag_id"`
	ObjectType types.String `tfsdk:"object_type"`
}

func (m model) Identity() any {
	return identityModel{TagID: m.TagID, ObjectType: types.StringValue(objecttype.Of(m.ObjectType))}
}

// Unfinished implements base.Model.
func (m model) Unfinished() (key string, unfinished map[string]string) {
	unfinished = make(map[string]string)
	for _, id := range ids(m.spec().objects) {
		unfinished[id] = id
	}
	return typeName + "/" + m.ID.ValueString(), unfinished
}
