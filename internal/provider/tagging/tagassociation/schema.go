package tagassociation

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
)

// Schema sets the schema.
func (r *associationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches one tag to any number of objects. The objects can be managed by any tool. The " +
			"provider attaches the tag to, or detaches it from, up to 2,000 objects per request. A refresh usually " +
			"takes one request.\n\n" +
			"In a category with cardinality `SINGLE`, an object can change its tag in one apply. The provider " +
			"detaches the previous tag before it attaches the new one. The plan shows the detached tags in " +
			"`replaces`.\n\nUse one association per tag and object type. Two associations with `ownership = " +
			"\"exclusive\"` for the same tag " +
			"and type undo each other.",
		Attributes: map[string]schema.Attribute{
			"id":            managed.StableString("ID of the resource, in the form `<tag_id>/<object_type>`."),
			"tag_id":        managed.ForceNewString("ID of the tag.", stringvalidator.LengthAtLeast(1)),
			"tag_name":      managed.String("Name of the tag. Known during plan if `tag_id` is."),
			"category_name": managed.String("Name of the tag's category. Known during plan if `tag_id` is."),
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
				MarkdownDescription: "Managed object IDs of the tagged objects, such as `vm-42`. Order and " +
					"duplicates are ignored. An import stores the IDs in sorted order. Use `sort()` in the " +
					"configuration as well. Otherwise a later change shows the whole list as reordered.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
				Validators:    []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"ownership": managed.DefaultString("Ownership mode. `additive` manages only the listed objects, and "+
				"other tools can attach the tag to more objects. `exclusive` manages the tag on all objects of the "+
				"type and detaches it from objects that are not listed. Defaults to "+
				"`additive`.", additive, stringvalidator.OneOf(additive, exclusive)),
			"removes": managed.StringList("IDs of the objects from which the planned change detaches the tag, " +
				"sorted. With `ownership = \"exclusive\"`, this includes objects tagged by other tools. The apply " +
				"detaches the tag only from these objects. If another client has since tagged another object, this " +
				"object keeps the tag until the next apply, or Terraform stops the apply. Null after a refresh."),
			"replaces": managed.StringMap("IDs of the tags that the planned change detaches because the category has " +
				"cardinality `SINGLE`, by object ID. If the new tag cannot be attached to an object, its previous " +
				"tag is restored. Null after a refresh."),
			"summary": managed.String("Summary of the planned change, with the number of objects that gain or lose " +
				"the tag and up to ten IDs of each. Null after a refresh."),
		},
	}
}
