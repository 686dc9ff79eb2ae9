// Package status holds the data sources vsla_replication_status and vsla_replications: what changes while nobody
// changes anything. Both read the listing that all replications of a pairing share.
package status

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/vr"
)

var (
	_ datasource.DataSourceWithConfigure = (*statusDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*listDataSource)(nil)
)

type statusDataSource struct{ clients *connection.Set }

type oneModel struct {
	PairingID types.String `tfsdk:"pairing_id"`
	status

	Issues []issue `tfsdk:"issues"`
}

type issue struct {
	Entity      types.String `tfsdk:"entity"`
	EntityName  types.String `tfsdk:"entity_name"`
	Description types.String `tfsdk:"description"`
	Status      types.String `tfsdk:"status"`
	Type        types.String `tfsdk:"type"`
}

// NewDataSource returns the data source vsla_replication_status.
func NewDataSource() datasource.DataSource { return &statusDataSource{} }

// Metadata names the data source.
func (d *statusDataSource) Metadata(
	_ context.Context,
	_ datasource.MetadataRequest,
	resp *datasource.MetadataResponse,
) {
	resp.TypeName = "vsla_replication_status"
}

// Schema describes the data source.
func (d *statusDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
	}
	all := attributes()
	all["pairing_id"] = pairingAttribute()
	all["replication_id"] = schema.StringAttribute{
		MarkdownDescription: "Id of the replication. Give this or `vm_id`.",
		Optional:            true,
		Computed:            true,
		Validators: []validator.String{
			stringvalidator.ExactlyOneOf(path.MatchRoot("replication_id"), path.MatchRoot("vm_id")),
			stringvalidator.LengthAtLeast(1),
		},
	}
	all["vm_id"] = schema.StringAttribute{
		MarkdownDescription: "Id of the VM. Give this or `replication_id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	all["issues"] = schema.ListNestedAttribute{
		MarkdownDescription: "What the gateway lists as wrong with this replication, oldest first.", Computed: true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"entity":      text("Id of what it is about."),
			"entity_name": text("Name of what it is about."),
			"description": text("What is wrong."),
			"status":      text("`WARNING` or `ERROR`."),
			"type":        text("`VC`, `VRS`, `VRMS` or `UNKNOWN`."),
		}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How one replication stands now: status, age, progress, errors. What it is configured to is in `vsla_replication`. Any number of these share one listing, and one list of issues each. " +
			"The size of a replica (`replica_disk_usage` of the API) is not shown, here or in `replicated_disks` of `vsla_replication`: it changes with each sync, takes a request for each replication, and has no documented unit.",
		Attributes: all,
	}
}

func pairingAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "UUID of the pairing.",
		Required:            true,
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

// Configure takes the clients.
func (d *statusDataSource) Configure(
	_ context.Context,
	req datasource.ConfigureRequest,
	resp *datasource.ConfigureResponse,
) {
	d.clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// Read finds the replication; not to find it is an error.
func (d *statusDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config oneModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := d.clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r, err := find(ctx, c, config)
	var issues []vr.Issue
	if err == nil {
		issues, err = c.Issues(ctx, config.PairingID.ValueString())
	}
	if err != nil {
		connection.Failure{
			Summary: fmt.Sprintf(
				"Unable to Read Status of Replication %q",
				config.ReplicationID.ValueString()+config.VMID.ValueString(),
			),
			Err: err,
		}.AddTo(
			&resp.Diagnostics,
		)
		return
	}
	got := oneModel{PairingID: config.PairingID, status: from(r, c.Now()), Issues: []issue{}}
	for _, i := range issues {
		if i.Entity == r.ID || (r.MachineID != "" && i.Entity == r.MachineID) {
			got.Issues = append(got.Issues, issue{
				Entity: types.StringValue(
					i.Entity,
				),
				EntityName:  types.StringValue(i.EntityName),
				Description: types.StringValue(i.Description),
				Status:      types.StringValue(i.Status),
				Type:        types.StringValue(i.Type),
			})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
}

func find(ctx context.Context, c *vr.Client, config oneModel) (vr.Replication, error) {
	pairing := config.PairingID.ValueString()
	if !config.ReplicationID.IsNull() {
		return c.Replication(ctx, pairing, config.ReplicationID.ValueString())
	}
	of, err := c.KnownOf(ctx, pairing, config.VMID.ValueString())
	switch {
	case err != nil:
		return vr.Replication{}, err
	case len(of) == 0:
		return vr.Replication{}, fmt.Errorf("the VM has no replication in this pairing: %w", vr.ErrNotFound)
	case len(of) > 1:
		return vr.Replication{}, fmt.Errorf("the VM has %d replications in this pairing: %w", len(of), vr.ErrAmbiguous)
	}
	return of[0], nil
}

type listDataSource struct{ clients *connection.Set }

type listModel struct {
	PairingID    types.String `tfsdk:"pairing_id"`
	Direction    types.String `tfsdk:"direction"`
	Status       types.String `tfsdk:"status"`
	RPOViolation types.Bool   `tfsdk:"rpo_violation"`
	Count        types.Int64  `tfsdk:"replication_count"`
	Replications []status     `tfsdk:"replications"`
}

// NewListDataSource returns the data source vsla_replications.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

// Metadata names the data source.
func (d *listDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "vsla_replications"
}

// Schema describes the data source.
func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := map[string]schema.Attribute{
		"pairing_id": pairingAttribute(),
		"direction": schema.StringAttribute{
			MarkdownDescription: "Only those that leave (`outgoing`) or reach (`incoming`) the gateway's site.", Optional: true,
			Validators: []validator.String{stringvalidator.OneOf("outgoing", "incoming")},
		},
		"status": schema.StringAttribute{
			MarkdownDescription: "Only those with exactly this status.",
			Optional:            true,
		},
		"rpo_violation": schema.BoolAttribute{
			MarkdownDescription: "Only those whose replica is, or is not, older than the RPO allows.",
			Optional:            true,
		},
		"replication_count": schema.Int64Attribute{MarkdownDescription: "Number of replications.", Computed: true},
	}
	element := make(map[string]schema.Attribute)
	maps.Copy(element, attributes())
	all["replications"] = schema.ListNestedAttribute{
		MarkdownDescription: "The replications, sorted by id.",
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: element},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How the replications of a pairing stand now. Filters are optional, and all that are given must hold. One request for each 200 replications.",
		Attributes:          all,
	}
}

// Configure takes the clients.
func (d *listDataSource) Configure(
	_ context.Context,
	req datasource.ConfigureRequest,
	resp *datasource.ConfigureResponse,
) {
	d.clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// Read lists the replications. No match is an empty list.
func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := d.clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	all, err := c.Replications(ctx, config.PairingID.ValueString())
	var p vr.Pairing
	if err == nil {
		p, err = c.Pairing(ctx, config.PairingID.ValueString())
	}
	if err != nil {
		connection.Failure{Summary: "Unable to List Replications", Err: err}.AddTo(&resp.Diagnostics)
		return
	}
	config.Replications = []status{}
	now := c.Now()
	for _, r := range all {
		if config.fits(r, p) {
			config.Replications = append(config.Replications, from(r, now))
		}
	}
	config.Count = types.Int64Value(int64(len(config.Replications)))
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

func (m listModel) fits(r vr.Replication, p vr.Pairing) bool {
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
