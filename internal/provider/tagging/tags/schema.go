package tags

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/managed"
)

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	name := stringvalidator.UTF8LengthBetween(1, 256)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages tags of one category as a single resource. Use this resource instead of " +
			"`vsla_tag` for hundreds or thousands of tags, because each Terraform resource adds overhead. Tags that " +
			"the resource does not manage are not changed. The provider creates, reads, updates and deletes up to " +
			"ten tags in parallel.\n\nRemoving a tag from `tags` deletes it. If the tag is in use, this requires " +
			"`force_destroy = true`.\n\nIf a create fails partway, the state contains the tags that were created. " +
			"Terraform marks the resource as tainted, so the next plan shows a replacement. The next apply keeps the " +
			"created tags and creates only the missing ones.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString("ID of the category."),
			"category_id": managed.ForceNewString("ID of the category that the tags belong to.",
				stringvalidator.LengthAtLeast(1)),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Descriptions of the tags, by tag name. Names must have 1 to 256 characters. " +
					"Descriptions can be empty, but not null, and can be changed in place.",
				ElementType: types.StringType,
				Required:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.NoNullValues()},
			},
			"renamed_from": schema.MapAttribute{
				MarkdownDescription: "Previous names of tags, by new name. For example, `{ \"platinum\" = \"gold\" " +
					"}` renames the tag `gold` to `platinum` in place. The tag keeps its ID and its associations. An " +
					"entry has no effect after the apply and can remain in the configuration, like a `moved` block.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.KeysAre(name), mapvalidator.ValueStringsAre(name)},
			},
			"adopt_existing": managed.DefaultBool("Whether to adopt existing tags with the same names, with their "+
				"associations, instead of returning an error. Descriptions are updated to match the configuration. "+
				"Also use this after an apply that was killed before it saved the state. The tags must not be "+
				"managed by another tool, because destroying this resource deletes them. Defaults to `false`.", false),
			"force_destroy": managed.DefaultBool("Whether to delete tags even if they are in use. If `false`, the "+
				"provider does not delete tags if one of them is attached to objects or used by a rule of a "+
				"protection group, or if one may be attached to objects of a linked vCenter or to objects that the "+
				"account cannot read. To delete such tags, set this to `true`. Before a destroy, apply the change "+
				"first. Defaults to `false`.", false),
			"ids": managed.StringMap("IDs of the tags, by tag name. After a tag is renamed outside Terraform, both " +
				"names refer to it until the next apply."),
		},
	}
}
