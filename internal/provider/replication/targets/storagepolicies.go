package targets

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type policy struct {
	ID           string `tfsdk:"id"`
	Name         string `tfsdk:"name"`
	VMEncryption bool   `tfsdk:"vm_encryption_supported"`
}

func policyAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.String("ID of the policy, for `target_storage_policy_id` of " +
			"`vsla_replication`."),
		"name":                    attribute.String("Name of the policy."),
		"vm_encryption_supported": attribute.Bool("Whether the policy supports encrypted VMs."),
	}
}

func (m *model) readPolicies(ctx context.Context, c *vr.Client, site vr.Site, _ *diag.Diagnostics) error {
	found, err := c.StoragePolicies(ctx, m.PairingID.ValueString(), site.VCenterID)
	if err != nil {
		return err
	}
	m.Policies = make([]policy, 0, len(found))
	for _, p := range found {
		m.Policies = append(m.Policies, policy(p))
	}
	return nil
}
