// The data source vsla_replication_storage_policies.

package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type policies struct {
	PairingID types.String `tfsdk:"pairing_id"`
	VCenterID types.String `tfsdk:"vcenter_id"`
	Policies  []policy     `tfsdk:"storage_policies"`
}

type policy struct {
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	Encryption types.Bool   `tfsdk:"vm_encryption_supported"`
}

// NewStoragePolicies returns the data source vsla_replication_storage_policies.
func NewStoragePolicies() datasource.DataSource {
	return &targets{
		DataSource: base.DataSource{TypeName: "vsla_replication_storage_policies"},
		summary:    "Unable to List Storage Policies",
		schema:     policiesSchema,
		read:       readPolicies,
	}
}

func policiesSchema() schema.Schema {
	return where("Storage policies of a site.", "storage_policies", map[string]schema.Attribute{
		"id":                      attribute.Text("Id, for `target_storage_policy_id`."),
		"name":                    attribute.Text("Name."),
		"vm_encryption_supported": attribute.Truth("Whether it can hold encrypted VMs."),
	}, nil)
}

func readPolicies(ctx context.Context, c *vr.Client, req datasource.ReadRequest, resp *datasource.ReadResponse) error {
	var config policies
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	at, err := site(ctx, c, config.PairingID, config.VCenterID)
	if err != nil {
		return err
	}
	found, err := c.StoragePolicies(ctx, config.PairingID.ValueString(), at.VCenterID)
	if err != nil {
		return err
	}
	config.VCenterID, config.Policies = types.StringValue(at.VCenterID), make([]policy, 0, len(found))
	for _, p := range found {
		config.Policies = append(
			config.Policies,
			policy{ID: types.StringValue(p.ID), Name: types.StringValue(p.Name), Encryption: types.BoolValue(p.VMEncryption)},
		)
	}
	return set(ctx, resp, config)
}
