package tagcategory

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// NewListResource returns the list resource vsla_tag_category.
func NewListResource() list.ListResource { return newResource() }

// ListResourceConfigSchema sets the schema of the list block, which has no arguments.
func (r *categoryResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists tag categories, sorted by name, for `terraform query`. Excludes the categories " +
			"in `ignore_tag_categories`. Requires Terraform 1.14 or later. Returns at most 100 results unless the " +
			"list block sets `limit`.",
	}
}

// List streams the categories.
func (r *categoryResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []vsphere.Category {
		c := r.Clients.VSphere(diags)
		if c == nil {
			return nil
		}
		categories, err := c.Categories(
			ctx,
			func(c vsphere.Category) bool { return !r.Clients.Ignored().Match(c.Name) },
		)
		if err != nil {
			explain.AddError(diags, "Unable to List Tag Categories", privilege.Read, err)
		}
		return categories
	}, func(category vsphere.Category) identity.Listed {
		m := fromCategory(category)
		return identity.Listed{Name: category.Name, Identity: m.Identity(), Resource: m}
	})
}
