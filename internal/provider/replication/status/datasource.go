// Package status implements the data source vsla_replication_status. It also provides the model and schema of a status
// for other data sources. The status is read from a list shared by all replications of a pairing.
package status

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	PairingID types.String `tfsdk:"pairing_id"`
	Model

	Issues []issue `tfsdk:"issues"`
}

type issue struct {
	Entity      string `tfsdk:"entity"`
	EntityName  string `tfsdk:"entity_name"`
	Description string `tfsdk:"description"`
	Status      string `tfsdk:"status"`
	Type        string `tfsdk:"type"`
}

// NewDataSource returns the data source vsla_replication_status.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replication_status", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	all := Attributes()
	all["pairing_id"] = PairingAttribute()
	all["replication_id"] = attribute.EitherText("Id of the replication. Give this or `vm_id`.",
		stringvalidator.ExactlyOneOf(path.MatchRoot("replication_id"), path.MatchRoot("vm_id")),
		stringvalidator.LengthAtLeast(1))
	all["vm_id"] = attribute.EitherText("Id of the VM. Give this or `replication_id`.", stringvalidator.LengthAtLeast(1))
	all["issues"] = attribute.ObjectList("Issues that the gateway lists for this replication, oldest first.",
		map[string]schema.Attribute{
			"entity":      attribute.Text("Id of what it is about."),
			"entity_name": attribute.Text("Name of what it is about."),
			"description": attribute.Text("What is wrong."),
			"status":      attribute.Text("`WARNING` or `ERROR`."),
			"type":        attribute.Text("`VC`, `VRS`, `VRMS` or `UNKNOWN`."),
		})
	return schema.Schema{
		MarkdownDescription: "The status of one replication: state, age, progress, errors. Its configuration is in " +
			"`vsla_replication`. All of these data sources share one listing; each reads the list of issues. " +
			"The size of a replica (`replica_disk_usage` of the API) is not shown, here or in `replicated_disks` of " +
			"`vsla_replication`: it changes with each sync, needs a request for each replication, and has no documented unit.",
		Attributes: all,
	}
}

// PairingAttribute returns the schema of pairing_id.
func PairingAttribute() schema.StringAttribute {
	return attribute.RequiredText("UUID of the pairing.", stringvalidator.LengthAtLeast(1))
}

// read reads the status. A missing replication is an error.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	r, err := find(ctx, c, *config)
	var issues []vr.Issue
	if err == nil {
		issues, err = c.Issues(ctx, config.PairingID.ValueString())
	}
	if err != nil {
		explain.AddError(diags,
			fmt.Sprintf("Unable to Read Status of Replication %q",
				config.ReplicationID.ValueString()+config.VMID.ValueString()), "", err)
		return
	}
	config.Model, config.Issues = From(r, c.Now()), []issue{}
	for _, i := range issues {
		if i.Entity == r.ID || (r.VMID != "" && i.Entity == r.VMID) {
			config.Issues = append(config.Issues, issue{i.Entity, i.EntityName, i.Description, i.Status, i.Type})
		}
	}
}

func find(ctx context.Context, c *vr.Client, config model) (vr.Replication, error) {
	pairing := config.PairingID.ValueString()
	if !config.ReplicationID.IsNull() {
		return c.Replication(ctx, pairing, config.ReplicationID.ValueString(), vr.Shared)
	}
	of, err := c.Replications(ctx, pairing, config.VMID.ValueString(), vr.Shared)
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
