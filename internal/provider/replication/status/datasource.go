// Package status implements the data source vsla_replication_status, which reads the status of a replication from the
// shared list of its pairing's replications. Other data sources use this package's model and schema.
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
	all["replication_id"] = attribute.OptionalComputedString("ID of the replication. Specify either this or `vm_id`.",
		stringvalidator.ExactlyOneOf(path.MatchRoot("replication_id"), path.MatchRoot("vm_id")),
		stringvalidator.LengthAtLeast(1))
	all["vm_id"] = attribute.OptionalComputedString("ID of the VM. Specify either this or "+
		"`replication_id`.", stringvalidator.LengthAtLeast(1))
	all["issues"] = attribute.ObjectList("Issues that vSphere Replication reports for this replication, oldest first.",
		map[string]schema.Attribute{
			"entity":      attribute.String("ID of the affected entity."),
			"entity_name": attribute.String("Name of the affected entity."),
			"description": attribute.String("Description of the issue."),
			"status":      attribute.String("Severity of the issue: `WARNING` or `ERROR`."),
			"type":        attribute.String("Type of the issue: `VC`, `VRS`, `VRMS` or `UNKNOWN`."),
		})
	return schema.Schema{
		MarkdownDescription: "Returns the status of a replication, with the age of the replica, the progress of the sync " +
			"and errors. All instances of this data source share one list of replications, and each instance reads the list " +
			"of issues. The data source does not return the size of the replica (`replica_disk_usage` in the API), because " +
			"reading it takes one request per replication, and the API does not document its unit.",
		Attributes: all,
	}
}

// PairingAttribute returns the pairing_id attribute.
func PairingAttribute() schema.StringAttribute {
	return attribute.RequiredString("UUID of the pairing.", stringvalidator.LengthAtLeast(1))
}

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
	return c.ReplicationOf(ctx, pairing, config.VMID.ValueString(), vr.Shared)
}
