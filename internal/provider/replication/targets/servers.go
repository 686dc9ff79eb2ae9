package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type servers struct {
	selection

	Servers []server `tfsdk:"servers"`
}

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

// NewServers returns the data source vsla_replication_servers.
func NewServers() datasource.DataSource {
	return newDataSource("vsla_replication_servers", "Unable to List Replication Servers", serversSchema, readServers)
}

func serversSchema() schema.Schema {
	return siteSchema(
		"Returns the replication servers of a site. Replication servers receive the data of replications.",
		"servers", "Replication servers, sorted by ID.",
		map[string]schema.Attribute{
			"id": attribute.String("ID of the server, for `target_replication_server_id` of `vsla_replication`."),
			"uuid": attribute.String("UUID of the server, as in `target_replication_server_uuid` of " +
				"`vsla_replications`."),
			"name":               attribute.String("Name of the server."),
			"hostname":           attribute.String("Host name of the server."),
			"replication_count":  attribute.Int64("Number of replications on the server."),
			"connected":          attribute.Bool("Whether the server is connected."),
			"decommissioned":     attribute.Bool("Whether the server is decommissioned, so it accepts no new replications."),
			"internally_managed": attribute.Bool("Whether the server is part of the management server."),
			"fault":              attribute.String("Fault of the server. Empty if there is none."),
		},
		nil,
	)
}

func readServers(ctx context.Context, c *vr.Client, config *servers, _ *diag.Diagnostics) error {
	site, err := config.site(ctx, c)
	if err != nil {
		return err
	}
	found, err := c.ReplicationServers(ctx, config.PairingID.ValueString(), site.VRMSID)
	config.Servers = make([]server, 0, len(found))
	for _, s := range found {
		config.Servers = append(config.Servers, server(s))
	}
	return err
}
