// Package targets implements the data sources for replica placement: vsla_replication_site and vsla_replication_seeds.
package targets

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

func newDataSource[M any](
	typeName, summary string, describe func() schema.Schema,
	read func(context.Context, *vr.Client, *M, *diag.Diagnostics) error,
) datasource.DataSource {
	return base.NewDataSource(typeName, describe, (*connection.Set).Replication,
		func(ctx context.Context, c *vr.Client, config *M, diags *diag.Diagnostics) {
			if err := read(ctx, c, config, diags); err != nil {
				explain.AddAttributeError(diags, path.Root("pairing_id"), summary, "", err)
			}
		})
}

type selection struct {
	PairingID types.String `tfsdk:"pairing_id"`
	VCenterID types.String `tfsdk:"vcenter_id"`
}

func (s *selection) site(ctx context.Context, c *vr.Client) (vr.Site, error) {
	p, err := c.Pairing(ctx, s.PairingID.ValueString())
	if err != nil {
		return vr.Site{}, err
	}
	site := p.Remote
	ok := true
	if vcenter := s.VCenterID.ValueString(); vcenter != "" {
		site, _, ok = p.Sides("::" + vcenter)
	}
	if !ok {
		return vr.Site{}, fmt.Errorf("vcenter_id must be one of the two vCenters of the pairing: %s (%s) or %s (%s)",
			p.Local.VCenterID, p.Local.VCenterName, p.Remote.VCenterID, p.Remote.VCenterName)
	}
	s.VCenterID = types.StringValue(site.VCenterID)
	return site, nil
}
