package tagassociation

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const (
	additive  = "additive"
	exclusive = "exclusive"
	vmType    = "VirtualMachine"
)

type model struct {
	ID         types.String `tfsdk:"id"`
	TagID      types.String `tfsdk:"tag_id"`
	ObjectType types.String `tfsdk:"object_type"`
	ObjectIDs  types.List   `tfsdk:"object_ids"`
	Ownership  types.String `tfsdk:"ownership"`
	Removes    types.List   `tfsdk:"removes"`
	Replaces   types.Map    `tfsdk:"replaces"`
	Summary    types.String `tfsdk:"summary"`
}

func newModel(tagID, objectType string) model {
	m := model{
		TagID: types.StringValue(tagID), ObjectType: types.StringValue(objectType),
		Ownership: types.StringValue(additive), ObjectIDs: types.ListNull(types.StringType),
	}
	return m.withID().withoutChanges()
}

func (m model) withoutChanges() model {
	m.Removes, m.Replaces = types.ListNull(types.StringType), types.MapNull(types.StringType)
	m.Summary = types.StringNull()
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
		tagID: m.TagID.ValueString(), objectType: objecttype.Of(m.ObjectType),
		exclusive: m.Ownership.ValueString() == exclusive, imported: m.ObjectIDs.IsNull(),
		replaces: make(map[vsphere.Object]string),
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

// Schema sets the schema.
func (r *associationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches one tag to any number of objects. The objects can be managed by any tool. The " +
			"provider attaches the tag to, or detaches it from, up to 2,000 objects per request. A refresh usually " +
			"takes one request.\n\n" +
			"In a category with cardinality `SINGLE`, an object can change its tag in one apply. The provider detaches the " +
			"previous tag before it attaches the new one. The plan shows the detached tags in `replaces`.\n\n" +
			"Use one association per tag and object type. Two associations with `ownership = \"exclusive\"` for the same tag " +
			"and type undo each other.",
		Attributes: map[string]schema.Attribute{
			"id":     managed.StableString("ID of the resource, in the form `<tag_id>/<object_type>`."),
			"tag_id": managed.ForceNewString("ID of the tag.", stringvalidator.LengthAtLeast(1)),
			"object_type": schema.StringAttribute{
				MarkdownDescription: "Managed object type of the objects. " + objecttype.Doc +
					" Defaults to `VirtualMachine`. Changing this forces a new resource.",
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("VirtualMachine"),
				PlanModifiers: []planmodifier.String{objecttype.RequiresReplace()},
				Validators:    []validator.String{objecttype.Valid{All: "use one association for each type"}},
			},
			"object_ids": schema.ListAttribute{
				MarkdownDescription: "Managed object IDs of the tagged objects, such as `vm-42`. Order and duplicates are " +
					"ignored. An import stores the IDs in sorted order. Use `sort()` in the configuration as well. Otherwise a " +
					"later change shows the whole list as reordered.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
				Validators:    []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"ownership": managed.DefaultString("Ownership mode. `additive` manages only the listed objects, and other tools "+
				"can attach the tag to more objects. `exclusive` manages the tag on all objects of the type and detaches it "+
				"from objects that are not listed. Defaults to `additive`.", additive, stringvalidator.OneOf(additive, exclusive)),
			"removes": managed.StringList("IDs of the objects from which the planned change detaches the tag, sorted. With " +
				"`ownership = \"exclusive\"`, this includes objects tagged by other tools. The apply detaches the tag only from " +
				"these objects. If another client has since tagged another object, this object keeps the tag until the " +
				"next apply, or Terraform stops the apply. Null after a refresh."),
			"replaces": managed.StringMap("IDs of the tags that the planned change detaches because the category has " +
				"cardinality `SINGLE`, by object ID. If the new tag cannot be attached to an object, its previous tag is " +
				"restored. Null after a refresh."),
			"summary": managed.String("Summary of the planned change, with the number of objects that gain or lose the tag " +
				"and up to ten names of each. Null after a refresh."),
		},
	}
}

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

// IdentitySchema sets the identity schema.
func (r *associationResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.Schema(map[string]string{
		"tag_id":      "ID of the tag.",
		"object_type": "Managed object type of the objects.",
	})
}

// NewListResource returns the list resource vsla_tag_association.
func NewListResource() list.ListResource {
	return newResource()
}

type listModel struct {
	CategoryName types.String `tfsdk:"category_name"`
	ObjectType   types.String `tfsdk:"object_type"`
}

// ListResourceConfigSchema sets the schema of the list block.
func (r *associationResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists tag associations, one for each tag and object type, sorted by category, tag and type, " +
			"for `terraform query`. Excludes the categories in `ignore_tag_categories`. Requires Terraform 1.14 or later. " +
			"Returns at most 100 results unless the list block sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"category_name": listschema.StringAttribute{
				MarkdownDescription: "Only list associations of tags of the category with this name.", Optional: true,
			},
			"object_type": listschema.StringAttribute{
				MarkdownDescription: "Only list associations with objects of this managed object type.", Optional: true,
				Validators: []validator.String{objecttype.Valid{All: "leave object_type out"}},
			},
		},
	}
}

// List streams the associations.
func (r *associationResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []listed {
		var config listModel
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.VSphere(diags)
		if diags.HasError() {
			return nil
		}
		found, err := r.find(ctx, c, config)
		if err != nil {
			explain.AddError(diags, "Unable to List Tag Associations", privilege.Read, err)
		}
		return found
	}, func(f listed) identity.Listed {
		return identity.Listed{Name: f.name, Identity: f.Identity(), Resource: f.model}
	})
}

type listed struct {
	model

	name string
}

func (r *associationResource) find(ctx context.Context, c *vsphere.Client, config listModel) ([]listed, error) {
	tags, err := c.NamedTags(ctx, func(category vsphere.Category) bool {
		return !r.Clients.Ignored().Match(category.Name) &&
			(config.CategoryName.IsNull() || config.CategoryName.ValueString() == category.Name)
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(tags))
	for _, tag := range tags {
		ids = append(ids, tag.ID)
	}
	objects, err := c.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []listed
	for _, tag := range tags {
		byType := make(map[string][]string)
		for _, o := range objects[tag.ID] {
			byType[o.Type] = append(byType[o.Type], o.ID)
		}
		for _, objectType := range slices.Sorted(maps.Keys(byType)) {
			if !config.ObjectType.IsNull() && objecttype.Of(config.ObjectType) != objectType {
				continue
			}
			m := newModel(tag.ID, objectType)
			m.ObjectIDs = stringset.ListValue(byType[objectType])
			found = append(found, listed{model: m, name: tag.Path() + " on " + objectType})
		}
	}
	return found, nil
}
