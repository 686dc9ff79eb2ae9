package replications

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

type replication struct {
	status

	NetworkCompression    types.Bool      `tfsdk:"network_compression"`
	NetworkEncryption     types.Bool      `tfsdk:"network_encryption"`
	EnhancedReplication   types.Bool      `tfsdk:"enhanced_replication"`
	QuiesceGuest          types.Bool      `tfsdk:"quiesce_guest"`
	AutoReplicateNewDisks types.Bool      `tfsdk:"auto_replicate_new_disks"`
	ReplicateVMDataSets   types.Bool      `tfsdk:"replicate_vm_data_sets"`
	Paused                types.Bool      `tfsdk:"paused"`
	PointInTime           *pointInTime    `tfsdk:"point_in_time"`
	DatastoreID           types.String    `tfsdk:"target_datastore_id"`
	PolicyID              types.String    `tfsdk:"target_storage_policy_id"`
	Disks                 map[string]disk `tfsdk:"disks"`
	Issues                []issue         `tfsdk:"issues"`
}

type issue struct {
	Entity      string `tfsdk:"entity"`
	EntityName  string `tfsdk:"entity_name"`
	Description string `tfsdk:"description"`
	Status      string `tfsdk:"status"`
	Type        string `tfsdk:"type"`
}

type pointInTime struct {
	InstancesPerDay types.Int64 `tfsdk:"instances_per_day"`
	Days            types.Int64 `tfsdk:"days"`
}

type disk struct {
	Enabled     types.Bool   `tfsdk:"enabled"`
	DatastoreID types.String `tfsdk:"target_datastore_id"`
	PolicyID    types.String `tfsdk:"storage_policy_id"`
}

func attributes() map[string]schema.Attribute {
	const orUnread = " or `read_disks` is not `true`."
	all := map[string]schema.Attribute{
		"network_compression": attribute.Bool("Whether replication traffic is compressed."),
		"network_encryption":  attribute.Bool("Whether replication traffic is encrypted."),
		"enhanced_replication": attribute.Bool("Whether enhanced replication is used. Null if the release does not " +
			"report it."),
		"quiesce_guest":            attribute.Bool("Whether the guest is quiesced for each sync."),
		"auto_replicate_new_disks": attribute.Bool("Whether disks that are added to the VM are replicated."),
		"replicate_vm_data_sets":   attribute.Bool("Whether the data sets of the VM are replicated."),
		"paused":                   attribute.Bool("Whether the replication is paused."),
		"point_in_time": attribute.Object("Point-in-time instances to keep. Null if no instances are "+
			"kept.", map[string]schema.Attribute{
			"instances_per_day": attribute.Int64("Number of instances to keep per day. If `days` is `0`, total " +
				"number of instances to keep."),
			"days": attribute.Int64("Number of days for which instances are kept. `0` if there is no limit."),
		}),
		"target_datastore_id": attribute.String("ID of the datastore of the replica's home folder. Null unless " +
			"`read_disks` is `true`."),
		"target_storage_policy_id": attribute.String("ID of the storage policy of the replica's home folder. Null if " +
			"it is the default policy of the datastore" + orUnread),
		"disks": attribute.Objects("Disks that are not replicated, or whose datastore or storage policy differs from "+
			"that of the home folder, by device key. Null if there are no such "+
			"disks"+orUnread, map[string]schema.Attribute{
			"enabled": attribute.Bool("Whether the disk is replicated."),
			"target_datastore_id": attribute.String("ID of the datastore of the disk. Null if it is the datastore of " +
				"the home folder."),
			"storage_policy_id": attribute.String("ID of the storage policy of the disk. Null if it is the policy of " +
				"the home folder."),
		}),
		"issues": attribute.ObjectList("Issues that vSphere Replication reports for this replication or its VM, "+
			"oldest first. Null unless `read_issues` is `true`.", map[string]schema.Attribute{
			"entity":      attribute.String("ID of the affected entity."),
			"entity_name": attribute.String("Name of the affected entity."),
			"description": attribute.String("Description of the issue."),
			"status":      attribute.String("Severity of the issue: `WARNING` or `ERROR`."),
			"type":        attribute.String("Type of the issue: `VC`, `VRS`, `VRMS` or `UNKNOWN`."),
		}),
	}
	maps.Copy(all, statusAttributes())
	return all
}
