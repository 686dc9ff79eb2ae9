package objecttags

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
)

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches any number of tags to one object. The object can be managed by any tool. The " +
			"provider attaches or detaches up to 2,000 tags per request.\n\n" +
			"In a category with cardinality `SINGLE`, a new tag replaces the previous one. Before vCenter 9.1, the " +
			"provider detaches the previous tag first, and attaches it again if the new tag cannot be attached.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString("ID of the resource, in the form `<object_type>/<object_id>`."),
			"object_id": schema.StringAttribute{
				MarkdownDescription: "Managed object ID, such as `vm-42`. Changing this forces a new resource. The " +
					"provider detaches the tags from the old object and attaches them to the new one.",
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"object_type": schema.StringAttribute{
				MarkdownDescription: "Managed object type. " + objecttype.Doc + " Defaults to `VirtualMachine`. " +
					"Changing this forces a new resource.",
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("VirtualMachine"),
				PlanModifiers: []planmodifier.String{objecttype.RequiresReplace()},
				Validators:    []validator.String{objecttype.Valid{All: "an object has one type"}},
			},
			"tag_ids": schema.ListAttribute{
				MarkdownDescription: "IDs of the tags to attach. Order and duplicates are ignored.",
				ElementType:         types.StringType,
				Required:            true,
				PlanModifiers:       []planmodifier.List{stringset.PlanModifier()},
				Validators:          []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"tag_names": managed.StringMap("Category and name of each tag in `tag_ids`, such as `sla/gold`, by ID. " +
				"Known during plan if all IDs are."),
			"ownership": managed.DefaultString("Ownership mode. `additive` manages only the listed tags. `category` "+
				"manages all tags in the categories of the listed tags, and detaches those that are not listed. "+
				"`exclusive` manages all tags of the object, and detaches those that are not listed. `category` and "+
				"`exclusive` do not detach tags of the categories in `ignore_tag_categories`. With these two modes, "+
				"`tag_ids` must not list such tags. Defaults to `additive`.",
				additive, stringvalidator.OneOf(additive, byCategory, exclusive)),
			"removes": managed.StringList("IDs of the tags that the planned change detaches from the object, sorted. " +
				"These are tags removed from `tag_ids`, other tags that `ownership` covers, and tags replaced in a " +
				"category with cardinality `SINGLE`. The apply detaches only these tags. If another client has since " +
				"attached another tag that `ownership` covers, this tag remains until the next apply, or Terraform " +
				"stops the apply. Empty after a refresh."),
		},
	}
}
