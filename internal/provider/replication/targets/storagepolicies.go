package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type policies struct {
	selection

	Policies []policy `tfsdk:"storage_policies"`
}

type policy struct {
	ID           string `tfsdk:"id"`
	Name         string `tfsdk:"name"`
	VMEncryption bool   `tfsdk:"vm_encryption_supported"`
}

// NewStoragePolicies returns the data source vsla_replication_storage_policies.
func NewStoragePolicies() datasource.DataSource {
	return newDataSource(
		"vsla_replication_storage_policies", "Unable to List Storage Policies", policiesSchema, readPolicies)
}

func policiesSchema() schema.Schema {
	return siteSchema("Returns the storage policies of a site.", "storage_policies",
		"Storage policies, sorted by ID.", map[string]schema.Attribute{
			"id": attribute.String("ID of the policy, for `target_storage_policy_id` of " +
				"`vsla_replication`."),
			"name":                    attribute.String("Name of the policy."),
			"vm_encryption_supported": attribute.Bool("Whether the policy supports encrypted VMs."),
		}, nil)
}

func readPolicies(ctx context.Context, c *vr.Client, config *policies, _ *diag.Diagnostics) error {
	site, err := config.site(ctx, c)
	if err != nil {
		return err
	}
	found, err := c.StoragePolicies(ctx, config.PairingID.ValueString(), site.VCenterID)
	config.Policies = make([]policy, 0, len(found))
	for _, p := range found {
		config.Policies = append(config.Policies, policy(p))
	}
	return err
}
