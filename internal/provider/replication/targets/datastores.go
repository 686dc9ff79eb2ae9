package targets

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type datastores struct {
	selection

	Name       types.String `tfsdk:"name"`
	Accessible types.Bool   `tfsdk:"accessible_only"`
	Datastores []datastore  `tfsdk:"datastores"`
}

type datastore struct {
	ID                string `tfsdk:"id"`
	Name              string `tfsdk:"name"`
	ParentID          string `tfsdk:"parent_id"`
	ParentName        string `tfsdk:"parent_name"`
	CapacityBytes     int64  `tfsdk:"capacity_bytes"`
	FreeBytes         int64  `tfsdk:"free_bytes"`
	FileSystem        string `tfsdk:"file_system_type"`
	Health            string `tfsdk:"overall_status"`
	Type              string `tfsdk:"type"`
	MaintenanceMode   string `tfsdk:"maintenance_mode"`
	Accessible        bool   `tfsdk:"accessible"`
	NativeKeyProvider bool   `tfsdk:"nkp_supported"`
}

// NewDatastores returns the data source vsla_replication_datastores.
func NewDatastores() datasource.DataSource {
	return newDataSource(
		"vsla_replication_datastores", "Unable to List Target Datastores", datastoresSchema, readDatastores)
}

func datastoresSchema() schema.Schema {
	return siteSchema("Returns the datastores and datastore clusters of a site that can be the target of a replication. "+
		"Includes inaccessible ones unless `accessible_only` is `true`.",
		"datastores", "Datastores and datastore clusters, sorted by ID.",
		map[string]schema.Attribute{
			"id": attribute.String("ID of the datastore in vSphere Replication, for `target_datastore_id` of " +
				"`vsla_replication`."),
			"name":      attribute.String("Name of the datastore."),
			"parent_id": attribute.String("ID of the datacenter, folder or datastore cluster that contains the datastore."),
			"parent_name": attribute.String("Name of the datacenter, folder or datastore cluster that contains the " +
				"datastore. Distinguishes datastores with the same name."),
			"type":             attribute.String("Type: `DATASTORE`, or `STORAGE_POD` for a datastore cluster."),
			"file_system_type": attribute.String("File system type, such as `VMFS`, `NFS`, `NFS41`, `VSAN` or `VVOL`."),
			"overall_status":   attribute.String("Overall status: `GREEN`, `YELLOW`, `RED` or `GRAY`."),
			"maintenance_mode": attribute.String("Maintenance mode. `normal` if the datastore is not in maintenance mode."),
			"accessible":       attribute.Bool("Whether the datastore is accessible."),
			"nkp_supported": attribute.Bool("Whether the datastore supports VMs that are encrypted with keys from vSphere " +
				"Native Key Provider (NKP)."),
			"capacity_bytes": attribute.Int64("Capacity, in bytes."),
			"free_bytes":     attribute.Int64("Free space, in bytes."),
		},
		map[string]schema.Attribute{
			"name":            attribute.OptionalString("Only return datastores with this name."),
			"accessible_only": attribute.OptionalBool("Whether to return only accessible datastores. Defaults to `false`."),
		})
}

func readDatastores(ctx context.Context, c *vr.Client, config *datastores, diags *diag.Diagnostics) error {
	site, err := config.site(ctx, c)
	if err != nil {
		return err
	}
	found, err := c.Datastores(ctx, config.PairingID.ValueString(), site.VCenterID)
	config.Datastores = []datastore{}
	names := make([]string, 0, len(found))
	for _, d := range found {
		names = append(names, d.Name)
		if (config.Name.IsNull() || config.Name.ValueString() == d.Name) &&
			(!config.Accessible.ValueBool() || d.Accessible) {
			config.Datastores = append(config.Datastores, datastore(d))
		}
	}
	if name := config.Name.ValueString(); name != "" && len(found) > 0 && !slices.Contains(names, name) {
		diags.AddAttributeWarning(path.Root("name"), "Datastore Not Found", fmt.Sprintf(
			"Datastore %q does not exist at the site, so the list is empty. Existing datastores: %s.",
			name, quantity.Nearest(names, name)))
	}
	return err
}
