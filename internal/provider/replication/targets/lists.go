// The three lists and their mapping.

package targets

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vr"
)

var errNoSide = errors.New("vcenter_id is neither of the two vCenters of the pairing")

type datastores struct {
	PairingID  types.String `tfsdk:"pairing_id"`
	VCenterID  types.String `tfsdk:"vcenter_id"`
	Name       types.String `tfsdk:"name"`
	Accessible types.Bool   `tfsdk:"accessible_only"`
	Datastores []datastore  `tfsdk:"datastores"`
}

type datastore struct {
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	ParentID    types.String `tfsdk:"parent_id"`
	ParentName  types.String `tfsdk:"parent_name"`
	Type        types.String `tfsdk:"type"`
	FileSystem  types.String `tfsdk:"file_system_type"`
	Health      types.String `tfsdk:"overall_status"`
	Maintenance types.String `tfsdk:"maintenance_mode"`
	Accessible  types.Bool   `tfsdk:"accessible"`
	KeyProvider types.Bool   `tfsdk:"nkp_supported"`
	Capacity    types.Int64  `tfsdk:"capacity_bytes"`
	Free        types.Int64  `tfsdk:"free_bytes"`
}

// NewDatastores returns the data source vsla_replication_datastores.
func NewDatastores() datasource.DataSource {
	return &targets{
		name:    "vsla_replication_datastores",
		summary: "Unable to List Target Datastores",
		schema:  datastoresSchema,
		read:    readDatastores,
	}
}

func datastoresSchema() schema.Schema {
	return where("Datastores and datastore clusters of a site that replicas can go to.", "datastores",
		map[string]schema.Attribute{
			"id":        text("Id in vSphere Replication, for `target_datastore_id`."),
			"name":      text("Name."),
			"parent_id": text("Id of the datacenter, folder or cluster that has it."),
			"parent_name": text(
				"Name of the datacenter, folder or cluster that has it; tells datastores of one name apart.",
			),
			"type":             text("`DATASTORE` or `STORAGE_POD` (a cluster)."),
			"file_system_type": text("`VMFS`, `NFS`, `NFS41`, `VSAN`, `VVOL`, …"),
			"overall_status":   text("`GREEN`, `YELLOW`, `RED` or `GRAY`."),
			"maintenance_mode": text("Maintenance mode, `normal` for none."),
			"accessible":       truth("Whether it can be reached."),
			"nkp_supported":    truth("Whether it can hold VMs that the native key provider encrypts."),
			"capacity_bytes":   number("Capacity in bytes."),
			"free_bytes":       number("Free space in bytes."),
		},
		map[string]schema.Attribute{
			"name": schema.StringAttribute{MarkdownDescription: "Only those of this name.", Optional: true},
			"accessible_only": schema.BoolAttribute{
				MarkdownDescription: "Only those that can be reached. Default false.",
				Optional:            true,
			},
		})
}

func readDatastores(
	ctx context.Context,
	c *vr.Client,
	req datasource.ReadRequest,
	resp *datasource.ReadResponse,
) error {
	var config datastores
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	at, err := site(ctx, c, config.PairingID, config.VCenterID)
	if err != nil {
		return err
	}
	found, err := c.Datastores(ctx, config.PairingID.ValueString(), at.VCenterID)
	if err != nil {
		return err
	}
	config.VCenterID, config.Datastores = types.StringValue(at.VCenterID), []datastore{}
	for _, d := range found {
		if (!config.Name.IsNull() && config.Name.ValueString() != d.Name) ||
			(config.Accessible.ValueBool() && !d.Accessible) {
			continue
		}
		config.Datastores = append(config.Datastores, datastore{
			ID: types.StringValue(
				d.ID,
			),
			Name:       types.StringValue(d.Name),
			ParentID:   types.StringValue(d.ParentID),
			ParentName: types.StringValue(d.ParentName),
			Type:       types.StringValue(d.Type),
			FileSystem: types.StringValue(d.FileSystem),
			Health:     types.StringValue(d.Health),
			Maintenance: types.StringValue(
				d.MaintenanceMode,
			),
			Accessible:  types.BoolValue(d.Accessible),
			KeyProvider: types.BoolValue(d.NativeKeyProvider),
			Capacity:    types.Int64Value(d.CapacityBytes),
			Free:        types.Int64Value(d.FreeBytes),
		})
	}
	return set(ctx, resp, config)
}

type policies struct {
	PairingID types.String `tfsdk:"pairing_id"`
	VCenterID types.String `tfsdk:"vcenter_id"`
	Policies  []policy     `tfsdk:"storage_policies"`
}

type policy struct {
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	Encryption types.Bool   `tfsdk:"vm_encryption_supported"`
}

// NewStoragePolicies returns the data source vsla_replication_storage_policies.
func NewStoragePolicies() datasource.DataSource {
	return &targets{
		name:    "vsla_replication_storage_policies",
		summary: "Unable to List Storage Policies",
		schema:  policiesSchema,
		read:    readPolicies,
	}
}

func policiesSchema() schema.Schema {
	return where("Storage policies of a site.", "storage_policies", map[string]schema.Attribute{
		"id":                      text("Id, for `target_storage_policy_id`."),
		"name":                    text("Name."),
		"vm_encryption_supported": truth("Whether it can hold encrypted VMs."),
	}, nil)
}

func readPolicies(ctx context.Context, c *vr.Client, req datasource.ReadRequest, resp *datasource.ReadResponse) error {
	var config policies
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	at, err := site(ctx, c, config.PairingID, config.VCenterID)
	if err != nil {
		return err
	}
	found, err := c.StoragePolicies(ctx, config.PairingID.ValueString(), at.VCenterID)
	if err != nil {
		return err
	}
	config.VCenterID, config.Policies = types.StringValue(at.VCenterID), make([]policy, 0, len(found))
	for _, p := range found {
		config.Policies = append(
			config.Policies,
			policy{ID: types.StringValue(p.ID), Name: types.StringValue(p.Name), Encryption: types.BoolValue(p.VMEncryption)},
		)
	}
	return set(ctx, resp, config)
}

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
		name:    "vsla_replication_servers",
		summary: "Unable to List Replication Servers",
		schema:  serversSchema,
		read:    readServers,
	}
}

func serversSchema() schema.Schema {
	return where(
		"Replication servers of a site, which receive the data of replications.",
		"servers",
		map[string]schema.Attribute{
			"id":                 text("Id, for `target_replication_server_id`."),
			"uuid":               text("UUID, by which replications name the server."),
			"name":               text("Name."),
			"hostname":           text("Host name."),
			"replication_count":  number("Number of replications that it serves."),
			"connected":          truth("Whether it is connected."),
			"decommissioned":     truth("Whether it takes no new replications."),
			"internally_managed": truth("Whether it is part of the management server."),
			"fault":              text("What is wrong with it; empty for nothing."),
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
			ID: types.StringValue(
				s.ID,
			),
			UUID:     types.StringValue(s.UUID),
			Name:     types.StringValue(s.Name),
			Hostname: types.StringValue(s.Hostname),
			Replications: types.Int64Value(
				s.Replications,
			),
			Connected:      types.BoolValue(s.Connected),
			Decommissioned: types.BoolValue(s.Decommissioned),
			Internal:       types.BoolValue(s.InternallyManaged),
			Fault:          types.StringValue(s.Fault),
		})
	}
	return set(ctx, resp, config)
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
