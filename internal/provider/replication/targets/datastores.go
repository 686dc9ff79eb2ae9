package targets

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

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

func datastoreAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
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
		"nkp_supported": attribute.Bool("Whether the datastore supports VMs that are encrypted with keys from " +
			"vSphere Native Key Provider (NKP)."),
		"capacity_bytes": attribute.Int64("Capacity, in bytes."),
		"free_bytes":     attribute.Int64("Free space, in bytes."),
	}
}

func (m *model) readDatastores(ctx context.Context, c *vr.Client, site vr.Site, diags *diag.Diagnostics) error {
	found, err := c.Datastores(ctx, m.PairingID.ValueString(), site.VCenterID)
	if err != nil {
		return err
	}
	m.Datastores = []datastore{}
	names := make([]string, 0, len(found))
	for _, d := range found {
		names = append(names, d.Name)
		isNamed := m.DatastoreName.IsNull() || m.DatastoreName.ValueString() == d.Name
		isUsable := d.Accessible || !m.Accessible.ValueBool()
		if isNamed && isUsable {
			m.Datastores = append(m.Datastores, datastore(d))
		}
	}
	if name := m.DatastoreName.ValueString(); name != "" && len(found) > 0 && !slices.Contains(names, name) {
		diags.AddAttributeWarning(path.Root("datastore_name"), "Datastore Not Found", fmt.Sprintf(
			"Datastore %q does not exist at the site, so the list is empty. Existing datastores: %s.",
			name, quantity.Nearest(names, name)))
	}
	return nil
}
