package tag

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// NewListResource returns the list resource vsla_tag.
func NewListResource() list.ListResource { return newResource() }

type listModel struct {
	CategoryID   types.String `tfsdk:"category_id"`
	CategoryName types.String `tfsdk:"category_name"`
}

// ListResourceConfigSchema sets the schema of the list block.
func (r *tagResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists tags, sorted by category and name, for `terraform query`. Excludes the " +
			"categories in `ignore_tag_categories`. Requires Terraform 1.14 or later. Returns at most 100 results " +
			"unless the list block sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"category_id": listschema.StringAttribute{
				MarkdownDescription: "Only list tags of the category with this ID.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("category_name"))},
			},
			"category_name": listschema.StringAttribute{
				MarkdownDescription: "Only list tags of the category with this name.",
				Optional:            true,
			},
		},
	}
}

// List streams the tags.
func (r *tagResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []vsphere.NamedTag {
		var config listModel
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.VSphere(diags)
		if diags.HasError() {
			return nil
		}
		tags, err := c.NamedTags(ctx, func(category vsphere.Category) bool {
			idMatches := config.CategoryID.IsNull() || config.CategoryID.ValueString() == category.ID
			nameMatches := config.CategoryName.IsNull() || config.CategoryName.ValueString() == category.Name
			return idMatches && nameMatches && !r.Clients.Ignored().Match(category.Name)
		})
		if err != nil {
			explain.AddError(diags, "Unable to List Tags", privilege.Read, err)
		}
		return tags
	}, func(t vsphere.NamedTag) identity.Listed {
		return identity.Listed{
			Name:     t.Path(),
			Identity: identity.ByID{ID: types.StringValue(t.ID)},
			Resource: fromTag(t.Tag),
		}
	})
}
