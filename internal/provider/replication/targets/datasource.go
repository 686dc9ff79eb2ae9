// Package targets holds the data sources of where replicas may go: vsla_replication_datastores,
// vsla_replication_storage_policies and vsla_replication_servers, each one list of one site of a pairing, and
// vsla_replication_seeds.
package targets

import (
	"context"
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

var errNoSide = errors.New("vcenter_id is neither of the two vCenters of the pairing")

// targets is one of the data sources.
type targets struct {
	base.DataSource
	summary string
	schema  func() schema.Schema
	read    func(context.Context, *vr.Client, datasource.ReadRequest, *datasource.ReadResponse) error
}

// Schema describes the data source.
func (d *targets) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema()
}

// Read lists the targets.
func (d *targets) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	c := d.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := d.read(ctx, c, req, resp); err != nil {
		at := path.Root("pairing_id")
		explain.Failure{Summary: d.summary, Attribute: &at, Err: err}.AddTo(&resp.Diagnostics)
	}
}

// where returns a schema with the arguments that select a site of a pairing.
func where(doc, list string, element map[string]schema.Attribute, more map[string]schema.Attribute) schema.Schema {
	attributes := map[string]schema.Attribute{
		"pairing_id": schema.StringAttribute{
			MarkdownDescription: "UUID of the pairing.",
			Required:            true,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"vcenter_id": schema.StringAttribute{
			MarkdownDescription: "Instance UUID of the vCenter of the site. Default: that of the other site, seen from the " +
				"gateway.",
			Optional: true,
			Computed: true,
		},
		list: schema.ListNestedAttribute{
			MarkdownDescription: "The list, sorted by id.",
			Computed:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: element},
		},
	}
	maps.Copy(attributes, more)
	return schema.Schema{MarkdownDescription: doc, Attributes: attributes}
}

// site returns the selected site; by default the remote one.
func site(ctx context.Context, c *vr.Client, pairing, vcenter types.String) (vr.Site, error) {
	p, err := c.Pairing(ctx, pairing.ValueString())
	if err != nil || vcenter.ValueString() == "" {
		return p.Remote, err
	}
	if this, _, ok := p.Sides("::" + vcenter.ValueString()); ok {
		return this, nil
	}
	return vr.Site{}, errNoSide
}

// set saves the state unless something was wrong before.
func set(ctx context.Context, resp *datasource.ReadResponse, model any) error {
	var found diag.Diagnostics
	if !resp.Diagnostics.HasError() {
		found = resp.State.Set(ctx, model)
	}
	resp.Diagnostics.Append(found...)
	return nil
}
