// Package replications implements the data source vsla_replications, which returns the status and settings of all
// replications of a pairing.
package replications

import (
	"context"
	"time"

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
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	PairingID    types.String `tfsdk:"pairing_id"`
	VMID         types.String `tfsdk:"vm_id"`
	Direction    types.String `tfsdk:"direction"`
	Status       types.String `tfsdk:"status"`
	RPOViolation types.Bool   `tfsdk:"rpo_violation"`
	ReadDisks    types.Bool   `tfsdk:"read_disks"`
	ReadIssues   types.Bool   `tfsdk:"read_issues"`
	Count        types.Int64  `tfsdk:"replication_count"`

	StatusCounts map[string]int64 `tfsdk:"status_counts"`
	Replications []replication    `tfsdk:"replications"`
}

// NewDataSource returns the data source vsla_replications.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replications", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	all := map[string]schema.Attribute{
		"pairing_id": attribute.RequiredString("UUID of the pairing.", stringvalidator.LengthAtLeast(1)),
		"vm_id": attribute.OptionalString("Only return the replications of the VM with this ID (`id` of "+
			"`vsla_replication_vm`).", stringvalidator.LengthAtLeast(1)),
		"direction": attribute.OptionalString("Only return replications that are `outgoing` from or `incoming` to "+
			"the local site (`local` of `vsla_replication_pairing`).",
			stringvalidator.OneOf("outgoing", "incoming")),
		"status": attribute.OptionalString("Only return replications with exactly this status."),
		"rpo_violation": attribute.OptionalBool("Only return replications that violate their RPO (`true`) or meet it " +
			"(`false`)."),
		"read_disks": attribute.OptionalBool("Whether to read the datastores and storage policies of the replicas. " +
			"Takes one request per replication. Defaults to `false`."),
		"read_issues": attribute.OptionalBool("Whether to read the issues of the replications. Takes one request per " +
			"200 issues of the pairing. Defaults to `false`."),
		"replication_count": attribute.Int64("Number of replications."),
		"status_counts": schema.MapAttribute{
			MarkdownDescription: "Number of replications with each status, by status, such as `INITIAL_FULL_SYNC`.",
			ElementType:         types.Int64Type,
			Computed:            true,
		},
	}
	all["replications"] = attribute.ObjectList("Replications, sorted by ID.", attributes())
	return schema.Schema{
		MarkdownDescription: "Returns the status and settings of the replications of a pairing. If several filters " +
			"are set, a replication must match all of them. All instances of this data source share one list, which " +
			"takes one request per 200 replications. The data source does not return the size of a replica " +
			"(`replica_disk_usage` in the API), because reading it takes one request per replication, and the API " +
			"does not document its unit.",
		Attributes: all,
	}
}

// read lists the replications. The list can be empty.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	all, err := c.Replications(ctx, config.PairingID.ValueString(), config.VMID.ValueString(), vr.Shared)
	var p vr.Pairing
	if err == nil {
		p, err = c.Pairing(ctx, config.PairingID.ValueString())
	}
	if err != nil {
		explain.AddError(diags, "Unable to List Replications", "", err)
		return
	}
	config.Replications = []replication{}
	config.StatusCounts = make(map[string]int64)
	now := c.Now()
	for _, r := range all {
		if config.matches(r, p) {
			config.Replications = append(config.Replications, newReplication(r, now))
			config.StatusCounts[r.Status.Code]++
		}
	}
	if config.ReadDisks.ValueBool() {
		if err := readPlacements(ctx, c, config.PairingID.ValueString(), config.Replications); err != nil {
			explain.AddError(diags, "Unable to Read the Disks of Replications", "", err)
			return
		}
	}
	if config.ReadIssues.ValueBool() {
		if err := readIssues(ctx, c, config.PairingID.ValueString(), config.Replications); err != nil {
			explain.AddError(diags, "Unable to Read the Issues of Replications", "", err)
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

func newReplication(r vr.Replication, now time.Time) replication {
	got := replication{
		status:                newStatus(r, now),
		NetworkCompression:    types.BoolValue(r.Compression),
		NetworkEncryption:     types.BoolPointerValue(r.Encryption.Ptr()),
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

// concurrency is the maximum number of concurrent requests for replicas. The client limits their rate.
const concurrency = 10

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

// readIssues adds the issues of the pairing to its replications.
func readIssues(ctx context.Context, c *vr.Client, pairing string, all []replication) error {
	issues, err := c.Issues(ctx, pairing)
	if err != nil {
		return err
	}
	for i := range all {
		r := &all[i]
		r.Issues = []issue{}
		for _, reported := range issues {
			isOfVM := !r.VMID.IsNull() && reported.Entity == r.VMID.ValueString()
			if isOfVM || reported.Entity == r.ReplicationID.ValueString() {
				r.Issues = append(r.Issues, issue{
					reported.Entity,
					reported.EntityName,
					reported.Description,
					reported.Status,
					reported.Type,
				})
			}
		}
	}
	return nil
}

func (r *replication) setPlacement(p vr.Placement) {
	r.DatastoreID = attribute.OrNull(p.DatastoreID)
	r.PolicyID = attribute.OrNull(p.PolicyID)
	for name, d := range p.Disks {
		if r.Disks == nil {
			r.Disks = make(map[string]disk)
		}
		r.Disks[name] = disk{
			types.BoolValue(d.Replicated),
			attribute.OrNull(d.DatastoreID),
			attribute.OrNull(d.PolicyID),
		}
	}
}
