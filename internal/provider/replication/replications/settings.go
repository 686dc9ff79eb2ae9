package replications

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/replication/status"
	"terraform-provider-vsla/internal/vr"
)

// concurrency is the maximum number of concurrent reads of replicas. The client limits their rate.
const concurrency = 10

// replication is the status of a replication with its settings.
type replication struct {
	status.Model

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

func from(r vr.Replication, s status.Model) replication {
	got := replication{
		Model:                 s,
		NetworkCompression:    types.BoolValue(r.Compression),
		NetworkEncryption:     types.BoolValue(r.Encryption),
		EnhancedReplication:   types.BoolPointerValue(r.Enhanced.Ptr()),
		QuiesceGuest:          types.BoolValue(r.Quiescing),
		AutoReplicateNewDisks: types.BoolValue(r.AutoReplicate),
		ReplicateVMDataSets:   types.BoolValue(r.DataSets),
		Paused:                types.BoolValue(r.Status.Is("PAUSED")),
	}
	if r.PointInTime {
		got.PointInTime = &pointInTime{types.Int64Value(r.InstancesPerDay), types.Int64Value(r.InstanceDays)}
	}
	return got
}

// readPlaces reads the placement of replicas with one request per replication.
func readPlaces(ctx context.Context, c *vr.Client, pairing string, all []replication) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i := range all {
		one := &all[i]
		group.Go(func() error {
			replicas, err := c.ReplicatedDisks(ctx, pairing, one.ReplicationID.ValueString())
			if err == nil {
				one.place(vr.PlacementOf(replicas))
			}
			return err
		})
	}
	return group.Wait()
}

func (r *replication) place(p vr.Placement) {
	r.DatastoreID, r.PolicyID = attribute.OrNull(p.DatastoreID), attribute.OrNull(p.PolicyID)
	for name, d := range p.Disks {
		if r.Disks == nil {
			r.Disks = make(map[string]disk)
		}
		r.Disks[name] = disk{types.BoolValue(d.Replicated), attribute.OrNull(d.DatastoreID), attribute.OrNull(d.PolicyID)}
	}
}

// attributes returns the attributes of a replication.
func attributes() map[string]schema.Attribute {
	const unread = "; null without `read_disks`."
	all := map[string]schema.Attribute{
		"network_compression": attribute.Truth("Whether traffic is compressed."),
		"network_encryption":  attribute.Truth("Whether traffic is encrypted."),
		"enhanced_replication": attribute.Truth("Whether it is an enhanced one; null where the release does not report " +
			"it."),
		"quiesce_guest":            attribute.Truth("Whether the guest is quiesced for each sync."),
		"auto_replicate_new_disks": attribute.Truth("Whether disks that are added to the VM are replicated."),
		"replicate_vm_data_sets":   attribute.Truth("Whether the VM's data sets are replicated."),
		"paused":                   attribute.Truth("Whether the replication is paused."),
		"point_in_time": attribute.Object("Point in time instances to keep; null for none.", map[string]schema.Attribute{
			"instances_per_day": attribute.Whole("Instances a day; with `days = 0` the number of instances."),
			"days":              attribute.Whole("Days to keep them; 0 for no limit of days."),
		}),
		"target_datastore_id": attribute.Text("Id of the datastore of the replica's home folder" + unread),
		"target_storage_policy_id": attribute.Text(
			"Id of the storage policy of the replica's home folder; null for that of the datastore" + unread,
		),
		"disks": attribute.Objects("The disks that are not replicated, or that have another datastore or storage policy "+
			"than the home folder, by device key; null without such a disk"+unread, map[string]schema.Attribute{
			"enabled":             attribute.Truth("Whether the disk is replicated."),
			"target_datastore_id": attribute.Text("Id of its datastore; null for that of the home folder."),
			"storage_policy_id":   attribute.Text("Id of its storage policy; null for that of the home folder."),
		}),
	}
	maps.Copy(all, status.Attributes())
	return all
}
