package group

import (
	"context"

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
		MarkdownDescription: "Lists the protection groups of a cluster that can be imported: those that are active or " +
			"paused. Terraform asks for 100 unless the list block has a `limit`.",
		Attributes: map[string]listschema.Attribute{
			"cluster_id": listschema.StringAttribute{
				MarkdownDescription: "Managed object id of the cluster.", Required: true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List streams the groups.
func (r *groupResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var (
		diags  diag.Diagnostics
		config struct {
			ClusterID types.String `tfsdk:"cluster_id"`
		}
		groups []snapservice.Group
	)
	diags.Append(req.Config.Get(ctx, &config)...)
	c := r.Clients.Protection(&diags)
	cluster := config.ClusterID.ValueString()
	if !diags.HasError() {
		all, err := c.Groups(ctx, cluster, snapservice.Shared)
		if err != nil {
			explain.AddError(&diags, "Unable to List Protection Groups", "", err)
		}
		for _, g := range all {
			if g.Writable() {
				groups = append(groups, g)
			}
		}
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	identity.Stream(ctx, req, stream, groups, func(g snapservice.Group) identity.Listed {
		m := blank(cluster, g.ID)
		return identity.Listed{
			Name: snapservice.Printable(g.Name), Identity: m.identity(), Resource: m.refreshed(ctx, g, new(diag.Diagnostics)),
		}
	})
}
