// Package replications implements the data source vsla_replications, which returns the status and settings of all
// replications of a pairing.
package replications

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/replication/status"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	PairingID    types.String  `tfsdk:"pairing_id"`
	Direction    types.String  `tfsdk:"direction"`
	Status       types.String  `tfsdk:"status"`
	RPOViolation types.Bool    `tfsdk:"rpo_violation"`
	ReadDisks    types.Bool    `tfsdk:"read_disks"`
	Count        types.Int64   `tfsdk:"replication_count"`
	Replications []replication `tfsdk:"replications"`
}

// NewDataSource returns the data source vsla_replications.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replications", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	all := map[string]schema.Attribute{
		"pairing_id": status.PairingAttribute(),
		"direction": attribute.OptionalString("Only return replications that are `outgoing` from or `incoming` to the local "+
			"site (`local` of `vsla_replication_pairing`).",
			stringvalidator.OneOf("outgoing", "incoming")),
		"status": attribute.OptionalString("Only return replications with exactly this status."),
		"rpo_violation": attribute.OptionalBool("Only return replications that violate their RPO (`true`) or meet it " +
			"(`false`)."),
		"read_disks": attribute.OptionalBool("Whether to read the datastores and storage policies of the replicas. Takes " +
			"one request per replication. Defaults to `false`."),
		"replication_count": attribute.Int64("Number of replications."),
	}
	all["replications"] = attribute.ObjectList("Replications, sorted by ID.", attributes())
	return schema.Schema{
		MarkdownDescription: "Returns the status and settings of the replications of a pairing. If several filters are " +
			"set, a replication must match all of them. Takes one request per 200 replications.",
		Attributes: all,
	}
}

// read lists the replications. The list can be empty.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	all, err := c.Replications(ctx, config.PairingID.ValueString(), vr.AnyVM, vr.Shared)
	var p vr.Pairing
	if err == nil {
		p, err = c.Pairing(ctx, config.PairingID.ValueString())
	}
	if err != nil {
		explain.AddError(diags, "Unable to List Replications", "", err)
		return
	}
	config.Replications = []replication{}
	now := c.Now()
	for _, r := range all {
		if config.matches(r, p) {
			config.Replications = append(config.Replications, newReplication(r, status.From(r, now)))
		}
	}
	if config.ReadDisks.ValueBool() {
		if err := readPlacements(ctx, c, config.PairingID.ValueString(), config.Replications); err != nil {
			explain.AddError(diags, "Unable to Read the Disks of Replications", "", err)
			return
		}
	}
	config.Count = types.Int64Value(int64(len(config.Replications)))
}

func (m model) matches(r vr.Replication, p vr.Pairing) bool {
	outgoing := r.SourceVCenterID == p.Local.VCenterID
	incoming := r.TargetVCenterID == p.Local.VCenterID
	switch {
	case m.Direction.ValueString() == "outgoing" && !outgoing, m.Direction.ValueString() == "incoming" && !incoming:
		return false
	case !m.Status.IsNull() && m.Status.ValueString() != r.Status.Code:
		return false
	case !m.RPOViolation.IsNull() && m.RPOViolation.ValueBool() != r.Status.RPOViolation:
		return false
	}
	return true
}

// concurrency is the maximum number of concurrent requests for replicas. The client limits their rate.
const concurrency = 10

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

func newReplication(r vr.Replication, s status.Model) replication {
	got := replication{
		Model: s, NetworkCompression: types.BoolValue(r.Compression), NetworkEncryption: types.BoolValue(r.Encryption),
		EnhancedReplication: types.BoolPointerValue(r.Enhanced.Ptr()), QuiesceGuest: types.BoolValue(r.Quiescing),
		AutoReplicateNewDisks: types.BoolValue(r.AutoReplicate), ReplicateVMDataSets: types.BoolValue(r.DataSets),
		Paused: types.BoolValue(r.Status.Is("PAUSED")),
	}
	if r.PointInTime {
		got.PointInTime = &pointInTime{types.Int64Value(r.InstancesPerDay), types.Int64Value(r.InstanceDays)}
	}
	return got
}

func readPlacements(ctx context.Context, c *vr.Client, pairing string, all []replication) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i := range all {
		replication := &all[i]
		group.Go(func() error {
			replicas, err := c.ReplicatedDisks(ctx, pairing, replication.ReplicationID.ValueString())
			if err == nil {
				replication.setPlacement(vr.PlacementOf(replicas))
			}
			return err
		})
	}
	return group.Wait()
}

func (r *replication) setPlacement(p vr.Placement) {
	r.DatastoreID, r.PolicyID = attribute.OrNull(p.DatastoreID), attribute.OrNull(p.PolicyID)
	for name, d := range p.Disks {
		if r.Disks == nil {
			r.Disks = make(map[string]disk)
		}
		r.Disks[name] = disk{types.BoolValue(d.Replicated), attribute.OrNull(d.DatastoreID), attribute.OrNull(d.PolicyID)}
	}
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
			"instances_per_day": attribute.Int64("Number of instances to keep per day. If `days` is `0`, total number of " +
				"instances to keep."),
			"days": attribute.Int64("Number of days for which instances are kept. `0` if there is no limit."),
		}),
		"target_datastore_id": attribute.String("ID of the datastore of the replica's home folder. Null unless " +
			"`read_disks` is `true`."),
		"target_storage_policy_id": attribute.String("ID of the storage policy of the replica's home folder. Null if it is " +
			"the default policy of the datastore" + orUnread),
		"disks": attribute.Objects("Disks that are not replicated, or whose datastore or storage policy differs from that "+
			"of the home folder, by device key. Null if there are no such disks"+orUnread, map[string]schema.Attribute{
			"enabled": attribute.Bool("Whether the disk is replicated."),
			"target_datastore_id": attribute.String("ID of the datastore of the disk. Null if it is the datastore of the home " +
				"folder."),
			"storage_policy_id": attribute.String("ID of the storage policy of the disk. Null if it is the policy of the " +
				"home folder."),
		}),
	}
	maps.Copy(all, status.Attributes())
	return all
}
