package tagcategory

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	idDoc          = "The category's id in vCenter, `urn:vmomi:InventoryServiceCategory:…`."
	nameDoc        = "Name of the category, unique in the vCenter."
	descriptionDoc = "Description of the category."
	cardinalityDoc = "How many tags of this category one object may carry: `SINGLE` or `MULTIPLE`."
	typesDoc       = "Managed object types that tags of this category may be attached to, for example " +
		"`VirtualMachine`, `HostSystem`, `Datastore`."
)

// Schema sets the schema.
func (r *categoryResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A tag category of vCenter. Its id is vCenter's own, so it can be used wherever the " +
			"vsphere provider takes a category id.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: idDoc, Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: nameDoc + " 1 to 256 characters; a change renames the category in " +
					"place.", Required: true,
				Validators: []validator.String{stringvalidator.UTF8LengthBetween(1, 256)},
			},
			"description": schema.StringAttribute{
				MarkdownDescription: descriptionDoc + " Default empty.",
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString(""),
			},
			"cardinality": schema.StringAttribute{
				MarkdownDescription: cardinalityDoc + " vCenter changes `SINGLE` to `MULTIPLE` in place, and " +
					"never back.",
				Required:   true,
				Validators: []validator.String{stringvalidator.OneOf(vsphere.Single, vsphere.Multiple)},
			},
			"associable_types": schema.SetAttribute{
				MarkdownDescription: typesDoc + " Empty or absent: every type. Types can be added in place, and " +
					"never removed.",
				ElementType: types.StringType, Optional: true,
				Validators: []validator.Set{setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"adopt_existing": schema.BoolAttribute{
				MarkdownDescription: "Take over a category of the same name that exists already, with its tags and " +
					"associations, in place of an error; description, cardinality and types become those given here, " +
					"as far as vCenter changes them. An apply that was interrupted is then healed by the next one. " +
					"Other tools must no longer manage the category: destroying this resource deletes it. Default " +
					"false.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
			"force_destroy": schema.BoolAttribute{
				MarkdownDescription: "Delete the category, with its tags, even while one of them is attached; the " +
					"associations are lost. Default false: the delete is refused, with their number.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
		},
	}
}

func describeDataSource() dsschema.Schema {
	return dsschema.Schema{
		MarkdownDescription: "A tag category of vCenter, by `name` or by `id`.",
		Attributes: map[string]dsschema.Attribute{
			"id": attribute.EitherText(idDoc+" Give this or `name`.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))),
			"name":        attribute.EitherText(nameDoc + " Give this or `id`."),
			"description": dsschema.StringAttribute{MarkdownDescription: descriptionDoc, Computed: true},
			"cardinality": dsschema.StringAttribute{MarkdownDescription: cardinalityDoc, Computed: true},
			"associable_types": dsschema.SetAttribute{
				MarkdownDescription: typesDoc + " Empty: every type.", ElementType: types.StringType, Computed: true,
			},
		},
	}
}
