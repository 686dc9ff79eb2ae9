package tags

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	name := stringvalidator.UTF8LengthBetween(1, 256)
	resp.Schema = schema.Schema{
		MarkdownDescription: "The tags of one category that this configuration owns, as one resource. Terraform's " +
			"own cost grows with the number of resources, so this is the way to hundreds and thousands of tags. Tags " +
			"that it does not list are not touched. They are created, read and deleted ten at a time.\n\n" +
			"When a create fails half way, state records the tags that exist, and the next apply continues from " +
			"there: Terraform calls that a replacement, and no tag is deleted or created anew for it. Taking a tag " +
			"out of `tags` deletes it, unless something carries it; see `force_destroy`.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The category's id.", Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"category_id": schema.StringAttribute{
				MarkdownDescription: "Id of the category that the tags belong to. Changing this forces a new resource.",
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"tags": schema.MapAttribute{
				MarkdownDescription: "Descriptions, by tag name. Names have 1 to 256 characters; a description " +
					"may be empty, and not null. A change of a description is made in place.",
				ElementType: types.StringType,
				Required:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.NoNullValues()},
			},
			"renamed_from": schema.MapAttribute{
				MarkdownDescription: "Former names, by new name: `{ \"platinum\" = \"gold\" }` renames the tag " +
					"`gold` in place, with its id and its associations. Like a `moved` block it may stay " +
					"after the apply, where it has no effect any more.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.ValueStringsAre(name)},
			},
			"adopt_existing": schema.BoolAttribute{
				MarkdownDescription: "Take over tags of the same name that exist already, with their associations, " +
					"in place of an error. An apply that was interrupted is then healed by the next one. Other tools " +
					"must no longer manage those tags: destroying this resource deletes them too. Default false.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
			"force_destroy": schema.BoolAttribute{
				MarkdownDescription: "Delete tags even while they are attached; their associations are lost. " +
					"Default false: the delete is refused, with their number.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
			"ids": schema.MapAttribute{
				MarkdownDescription: "Tag ids, by tag name.",
				ElementType:         types.StringType,
				Computed:            true,
			},
		},
	}
}
