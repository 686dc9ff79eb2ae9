// The data source vsla_replication_servers.

package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type servers struct {
	PairingID types.String `tfsdk:"pairing_id"`
	VCenterID types.String `tfsdk:"vcenter_id"`
	Servers   []server     `tfsdk:"servers"`
}

type server struct {
	ID             types.String `tfsdk:"id"`
	UUID           types.String `tfsdk:"uuid"`
	Name           types.String `tfsdk:"name"`
	Hostname       types.String `tfsdk:"hostname"`
	Replications   types.Int64  `tfsdk:"replication_count"`
	Connected      types.Bool   `tfsdk:"connected"`
	Decommissioned types.Bool   `tfsdk:"decommissioned"`
	Internal       types.Bool   `tfsdk:"internally_managed"`
	Fault          types.String `tfsdk:"fault"`
}

// NewServers returns the data source vsla_replication_servers.
func NewServers() datasource.DataSource {
	return &targets{
		DataSource: base.DataSource{TypeName: "vsla_replication_servers"},
		summary:    "Unable to List Replication Servers",
		schema:     serversSchema,
		read:       readServers,
	}
}

func serversSchema() schema.Schema {
	return where(
		"Replication servers of a site, which receive the data of replications.",
		"servers",
		map[string]schema.Attribute{
			"id":                 attribute.Text("Id, for `target_replication_server_id`."),
			"uuid":               attribute.Text("UUID, by which replications name the server."),
			"name":               attribute.Text("Name."),
			"hostname":           attribute.Text("Host name."),
			"replication_count":  attribute.Whole("Number of replications that it serves."),
			"connected":          attribute.Truth("Whether it is connected."),
			"decommissioned":     attribute.Truth("Whether it takes no new replications."),
			"internally_managed": attribute.Truth("Whether it is part of the management server."),
			"fault":              attribute.Text("What is wrong with it; empty for nothing."),
		},
		nil,
	)
}

func readServers(ctx context.Context, c *vr.Client, req datasource.ReadRequest, resp *datasource.ReadResponse) error {
	var config servers
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	at, err := site(ctx, c, config.PairingID, config.VCenterID)
	if err != nil {
		return err
	}
	found, err := c.ReplicationServers(ctx, config.PairingID.ValueString(), at.VRMSID)
	if err != nil {
		return err
	}
	config.VCenterID, config.Servers = types.StringValue(at.VCenterID), make([]server, 0, len(found))
	for _, s := range found {
		config.Servers = append(config.Servers, server{
			ID:             types.StringValue(s.ID),
			UUID:           types.StringValue(s.UUID),
			Name:           types.StringValue(s.Name),
			Hostname:       types.StringValue(s.Hostname),
			Replications:   types.Int64Value(s.Replications),
			Connected:      types.BoolValue(s.Connected),
			Decommissioned: types.BoolValue(s.Decommissioned),
			Internal:       types.BoolValue(s.InternallyManaged),
			Fault:          types.StringValue(s.Fault),
		})
	}
	return set(ctx, resp, config)
}
