package tagcategory

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/tagging/vsphereprovider"
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

// MoveState moves a vsphere_tag_category to a vsla_tag_category. Both have the same ID.
func (r *categoryResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{
		{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
			var source struct {
				ID              string   `json:"id"`
				Name            string   `json:"name"`
				Description     string   `json:"description"`
				Cardinality     string   `json:"cardinality"`
				AssociableTypes []string `json:"associable_types"`
			}
			if !vsphereprovider.DecodeState(req, "vsphere_tag_category", &source, &resp.Diagnostics) {
				return
			}
			m := fromCategory(vsphere.Category{
				ID:              source.ID,
				Name:            source.Name,
				Description:     source.Description,
				Cardinality:     source.Cardinality,
				AssociableTypes: source.AssociableTypes,
			})
			identity.Save(ctx, &resp.TargetState, resp.TargetIdentity, m, m.Identity(), &resp.Diagnostics)
		}},
	}
}
