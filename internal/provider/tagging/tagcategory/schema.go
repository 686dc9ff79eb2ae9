package tagcategory

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	idDoc          = "ID of the category in vCenter, in the form `urn:vmomi:InventoryServiceCategory:…`."
	nameDoc        = "Name of the category, unique in vCenter."
	descriptionDoc = "Description of the category."
	cardinalityDoc = "Whether an object can have one tag (`SINGLE`) or several tags (`MULTIPLE`) of this category."
)

var typesDoc = "Managed object types that tags of this category can be attached to. " + objecttype.Doc

// Schema sets the schema.
func (r *categoryResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a vCenter tag category. The resource ID is the ID of the category in vCenter, " +
			"so it can be used wherever the vsphere provider expects a category ID.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString(idDoc),
			"name": managed.RequiredString(nameDoc+" Must have 1 to 256 characters. Can be changed in place.",
				stringvalidator.UTF8LengthBetween(1, 256)),
			"description": managed.DefaultString(descriptionDoc+" Defaults to an empty string.", ""),
			"cardinality": managed.RequiredString(cardinalityDoc+" `SINGLE` can be changed to `MULTIPLE` in place. "+
				"vCenter does not support the reverse.",
				stringvalidator.OneOf(vsphere.Single, vsphere.Multiple)),
			"associable_types": schema.SetAttribute{
				MarkdownDescription: typesDoc + " If empty or not set, all types are allowed. Types can be added in " +
					"place but not removed.",
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.Set{
					setvalidator.ValueStringsAre(objecttype.Valid{All: "leave associable_types out"}),
				},
			},
			"adopt_existing": managed.DefaultBool("Whether to adopt an existing category with the same name, with "+
				"its tags and associations, instead of returning an error. Description, cardinality and types are "+
				"updated to match the configuration. If vCenter does not support the change, an error is returned. "+
				"Also use this after an apply that was killed before it saved the state. A replacement with "+
				"`create_before_destroy` adopts the category of the resource itself, and the category is then not "+
				"deleted. The category must not be managed by another tool, because destroying this resource deletes "+
				"it. Defaults to `false`.", false),
			"adopts": schema.SingleNestedAttribute{
				MarkdownDescription: "The existing category that the planned create adopts, as it is before. Null if " +
					"there is none, and after a refresh.",
				Computed: true,
				Attributes: map[string]schema.Attribute{
					"id":          managed.String(idDoc),
					"description": managed.String(descriptionDoc),
					"cardinality": managed.String(cardinalityDoc),
					"associable_types": schema.SetAttribute{
						MarkdownDescription: typesDoc + " If empty, all types are allowed.",
						ElementType:         types.StringType,
						Computed:            true,
					},
				},
			},
			"force_destroy": managed.DefaultBool("Whether to delete the category and all of its tags even if a tag "+
				"is in use. If `false`, the provider does not delete a category with a tag that is attached to "+
				"objects or used by a rule of a protection group. It also does not delete a category with a tag that "+
				"may be attached to objects of a linked vCenter or to objects that the account cannot read. To "+
				"destroy such a category, set this to `true` and apply the change first. Defaults to `false`.", false),
		},
	}
}

func describeDataSource() dsschema.Schema {
	return dsschema.Schema{
		MarkdownDescription: "Returns a vCenter tag category by `name` or `id`.",
		Attributes: map[string]dsschema.Attribute{
			"id": attribute.OptionalComputedString(idDoc+" Specify either this or `name`.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))),
			"name":        attribute.OptionalComputedString(nameDoc + " Specify either this or `id`."),
			"description": dsschema.StringAttribute{MarkdownDescription: descriptionDoc, Computed: true},
			"cardinality": dsschema.StringAttribute{MarkdownDescription: cardinalityDoc, Computed: true},
			"associable_types": dsschema.SetAttribute{
				MarkdownDescription: typesDoc + " If empty, all types are allowed.",
				ElementType:         types.StringType,
				Computed:            true,
			},
		},
	}
}
