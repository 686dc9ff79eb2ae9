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
)

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Any number of tags on one object, with any creator. All are attached, detached " +
			"and read in one request each, 2,000 at most.\n\n" +
			"A tag that takes the place of another of the same `SINGLE` category is attached after that one has " +
			"been detached.",
		Attributes: map[string]schema.Attribute{
			"id": managed.Kept("`<object_type>/<object_id>`."),
			"object_id": schema.StringAttribute{
				MarkdownDescription: "Managed object id, for example `vm-42`. A change untags the old object and " +
					"tags the new one.",
				Required:      true,
				PlanModifiers: replace,
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"object_type": schema.StringAttribute{
				MarkdownDescription: "Managed object type. Default `VirtualMachine`.", Optional: true, Computed: true,
				Default: stringdefault.StaticString("VirtualMachine"), PlanModifiers: replace,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"tag_ids": schema.ListAttribute{
				MarkdownDescription: "Ids of the tags that the object carries. Order and repeats carry no " +
					"meaning: another order is no change.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
				Validators:    []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"ownership": managed.Default("`additive` (default) touches only the tags that are listed. `category` owns the "+
				"categories of the tags that are listed: other tags of these are detached. `exclusive` owns all tags of the "+
				"object. Categories of `ignore_tag_categories` are never touched by the latter two.",
				additive, stringvalidator.OneOf(additive, byCategory, exclusive)),
			"removes": managed.Texts("Ids of the tags that the planned change detaches from the object, sorted: those that " +
				"left `tag_ids`, those that `ownership` claims, and those whose place in a `SINGLE` category another one takes. " +
				"An apply detaches no other tag: one that is attached after the plan is left alone. Empty after a refresh."),
		},
	}
}
