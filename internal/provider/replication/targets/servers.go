package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type server struct {
	ID                string `tfsdk:"id"`
	UUID              string `tfsdk:"uuid"`
	Name              string `tfsdk:"name"`
	Hostname          string `tfsdk:"hostname"`
	Replications      int64  `tfsdk:"replication_count"`
	Connected         bool   `tfsdk:"connected"`
	Decommissioned    bool   `tfsdk:"decommissioned"`
	InternallyManaged bool   `tfsdk:"internally_managed"`
	Fault             string `tfsdk:"fault"`
}

func serverAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.String("ID of the server, for `target_replication_server_id` of `vsla_replication`."),
		"uuid": attribute.String("UUID of the server, as in `target_replication_server_uuid` of " +
			"`vsla_replications`."),
		"name":              attribute.String("Name of the server."),
		"hostname":          attribute.String("Host name of the server."),
		"replication_count": attribute.Int64("Number of replications on the server."),
		"connected":         attribute.Bool("Whether the server is connected."),
		"decommissioned": attribute.Bool(
			"Whether the server is decommissioned, so it accepts no new replications.",
		),
		"internally_managed": attribute.Bool("Whether the server is part of the management server."),
		"fault":              attribute.String("Fault of the server. Empty if there is none."),
	}
}

func (m *model) readServers(ctx context.Context, c *vr.Client, site vr.Site, _ *diag.Diagnostics) error {
	found, err := c.ReplicationServers(ctx, m.PairingID.ValueString(), site.VRMSID)
	if err != nil {
		return err
	}
	m.Servers = make([]server, 0, len(found))
	for _, s := range found {
		m.Servers = append(m.Servers, server(s))
	}
	return nil
}
