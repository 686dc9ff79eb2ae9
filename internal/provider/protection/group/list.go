package group

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/snapservice"
)

// NewListResource returns the list resource vsla_protection_group.
func NewListResource() list.ListResource { return &groupResource{base.Resource{TypeName: typeName}} }

// ListResourceConfigSchema sets the schema of the list block.
func (r *groupResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists the active and paused protection groups of a cluster, for `terraform query`. " +
			"Other groups cannot be imported. Requires Terraform 1.14 or later. Returns at most 100 results unless " +
			"the list block sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"cluster_id": listschema.StringAttribute{
				MarkdownDescription: "Managed object ID of the cluster.",
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List streams the groups.
func (r *groupResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config struct {
		ClusterID types.String `tfsdk:"cluster_id"`
	}
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []snapservice.Group {
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.Protection(diags)
		if diags.HasError() {
			return nil
		}
		all, err := c.Groups(ctx, config.ClusterID.ValueString(), snapservice.Shared)
		if err != nil {
			explain.AddError(diags, "Unable to List Protection Groups", "", err)
		}
		return slices.DeleteFunc(slices.Clone(all), func(g snapservice.Group) bool { return !g.IsWritable() })
	}, func(g snapservice.Group) identity.Listed {
		m := newImported(config.ClusterID.ValueString(), g.ID)
		return identity.Listed{
			Name:     snapservice.Printable(g.Name),
			Identity: m.identity(),
			Resource: m.refreshed(ctx, g, new(diag.Diagnostics)),
		}
	})
}
