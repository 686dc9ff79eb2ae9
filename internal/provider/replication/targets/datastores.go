// The data source vsla_replication_datastores.

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
		DataSource: base.DataSource{TypeName: "vsla_replication_datastores"},
		summary:    "Unable to List Target Datastores",
		schema:     datastoresSchema,
		read:       readDatastores,
	}
}

func datastoresSchema() schema.Schema {
	return where("Datastores and datastore clusters of a site that replicas can go to.", "datastores",
		map[string]schema.Attribute{
			"id":        attribute.Text("Id in vSphere Replication, for `target_datastore_id`."),
			"name":      attribute.Text("Name."),
			"parent_id": attribute.Text("Id of the datacenter, folder or cluster that contains it."),
			"parent_name": attribute.Text(
				"Name of the datacenter, folder or cluster that contains it, to distinguish datastores of the same name.",
			),
			"type":             attribute.Text("`DATASTORE` or `STORAGE_POD` (a cluster)."),
			"file_system_type": attribute.Text("`VMFS`, `NFS`, `NFS41`, `VSAN`, `VVOL`, …"),
			"overall_status":   attribute.Text("`GREEN`, `YELLOW`, `RED` or `GRAY`."),
			"maintenance_mode": attribute.Text("Maintenance mode, `normal` for none."),
			"accessible":       attribute.Truth("Whether it can be reached."),
			"nkp_supported":    attribute.Truth("Whether it can hold VMs that the native key provider encrypts."),
			"capacity_bytes":   attribute.Whole("Capacity in bytes."),
			"free_bytes":       attribute.Whole("Free space in bytes."),
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
			ID:          types.StringValue(d.ID),
			Name:        types.StringValue(d.Name),
			ParentID:    types.StringValue(d.ParentID),
			ParentName:  types.StringValue(d.ParentName),
			Type:        types.StringValue(d.Type),
			FileSystem:  types.StringValue(d.FileSystem),
			Health:      types.StringValue(d.Health),
			Maintenance: types.StringValue(d.MaintenanceMode),
			Accessible:  types.BoolValue(d.Accessible),
			KeyProvider: types.BoolValue(d.NativeKeyProvider),
			Capacity:    types.Int64Value(d.CapacityBytes),
			Free:        types.Int64Value(d.FreeBytes),
		})
	}
	return set(ctx, resp, config)
}
