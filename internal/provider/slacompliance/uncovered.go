package slacompliance

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/guard"
)

func (m *model) scope() audit.Scope {
	s := audit.Scope{
		PairingID:          m.PairingID.ValueString(),
		ProtectionClusters: stringset.Strings(m.Clusters),
		Tiers:              make(map[string]audit.Tier, len(m.Tiers)),
		Folder:             m.Folder.ValueString(),
		Cluster:            m.Cluster.ValueString(),
	}
	for name, tier := range m.Tiers {
		s.Tiers[name] = audit.Tier{
			TagID:                tier.TagID.ValueString(),
			RPOMinutes:           tier.RPOMinutes.ValueInt64(),
			ConfiguredRPOMinutes: tier.ConfiguredRPO.ValueInt64(),
		}
	}
	return s
}

func (m *model) fillUncovered(u audit.Uncovered, diags *diag.Diagnostics) {
	m.Uncovered = stringset.ListValue(audit.IDs(u.VMs))
	m.ReplicatedElsewhere = stringset.ListValue(audit.IDs(u.ReplicatedElsewhere))
	m.UncoveredUnknown = stringset.ListValue(audit.IDs(u.Unknown))
	if u.UnprovenReason != "" {
		if m.Compliant.ValueBool() {
			m.Compliant = types.BoolNull()
			m.Summary = types.StringValue(m.Summary.ValueString() +
				" It is unknown whether other VMs have the tag of a tier.")
		}
		diags.AddWarning("VMs May Be Missing", "The VMs of the tiers and the list uncovered may be incomplete, "+
			"because vCenter lists only VMs that the account can read: "+u.UnprovenReason+". "+guard.ReadAllAdvice)
	}
}

func uncoveredAttributes() map[string]schema.Attribute {
	filter := func(doc string) schema.StringAttribute {
		return attribute.OptionalString(doc, stringvalidator.LengthAtLeast(1))
	}
	ids := attribute.StringList
	return map[string]schema.Attribute{
		"folder": filter("Folder of the VMs in `uncovered`, `uncovered_unknown` and `replicated_elsewhere`, " +
			"including its subfolders. Specify an inventory path (`/DC0/vm/prod`), or a path below the VM folder " +
			"that is unique across datacenters (`prod`). Tiers are not limited to this folder."),
		"cluster": filter("Cluster of the VMs in `uncovered`, `uncovered_unknown` and `replicated_elsewhere`. " +
			"Specify an inventory path (`/DC0/host/cluster-1`), or a name that is unique in the vCenter. If `folder` " +
			"is also set, VMs must match both."),
		"uncovered": ids("Managed object IDs of the powered-on VMs that have no tag of a tier and are not " +
			"replicated, sorted. They do not affect `compliant`. Excludes templates, placeholders of Site Recovery " +
			"Manager, and VMs of vSphere Cluster Services (vCLS)."),
		"replicated_elsewhere": ids("Managed object IDs of the powered-on VMs that have no tag of a tier and are " +
			"replicated by another pairing or appliance, sorted. The pairing does not contain these VMs, but their " +
			"configuration in vCenter has a destination (`repConfig`), and no other VM has the same replication ID. " +
			"The data source does not check whether that replication works."),
		"uncovered_unknown": ids("Managed object IDs of other VMs without a tier for which it is unknown whether " +
			"they are replicated, sorted. These are VMs that vCenter currently cannot access (`inaccessible` of " +
			"`vsla_virtual_machines`), and VMs for which only the extra configuration (`hbr_filter.destination`) " +
			"indicates a replication. Clones keep this setting."),
	}
}
