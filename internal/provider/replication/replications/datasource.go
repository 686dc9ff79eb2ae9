// Package replications implements the data source vsla_replications, which returns status and settings of all
// replications of a pairing.
package replications

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		"direction": attribute.OptionalText("Only those that leave (`outgoing`) or reach (`incoming`) the gateway's site.",
			stringvalidator.OneOf("outgoing", "incoming")),
		"status":        attribute.OptionalText("Only those with exactly this status."),
		"rpo_violation": attribute.OptionalTruth("Only those whose replica is, or is not, older than the RPO allows."),
		"read_disks": attribute.OptionalTruth("Read where the replicas are, in one request for each replication. Default " +
			"false."),
		"replication_count": attribute.Whole("Number of replications."),
	}
	all["replications"] = attribute.ObjectList("The replications, sorted by id.", attributes())
	return schema.Schema{
		MarkdownDescription: "Status and settings of the replications of a pairing. Filters are optional and must all " +
			"match. One request for each 200 replications.",
		Attributes: all,
	}
}

// read lists the replications. The list may be empty.
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
		if config.fits(r, p) {
			config.Replications = append(config.Replications, from(r, status.From(r, now)))
		}
	}
	if config.ReadDisks.ValueBool() {
		if err := readPlaces(ctx, c, config.PairingID.ValueString(), config.Replications); err != nil {
			explain.AddError(diags, "Unable to Read the Disks of Replications", "", err)
			return
		}
	}
	config.Count = types.Int64Value(int64(len(config.Replications)))
}

func (m model) fits(r vr.Replication, p vr.Pairing) bool {
	outgoing := r.SourceVCenterID == p.Local.VCenterID
	incoming := r.TargetVCenterID == p.Local.VCenterID
	switch {
	case m.Direction.ValueString() == "outgoing" && !outgoing, m.Direction.ValueString() == "incoming" && !incoming:
		return false
	case !m.Status.IsNull() && m.Status.ValueString() != r.Status.Word:
		return false
	case !m.RPOViolation.IsNull() && m.RPOViolation.ValueBool() != r.Status.RPOViolation:
		return false
	}
	return true
}
