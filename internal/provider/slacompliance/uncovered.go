// What no tier covers, as Terraform sees it.

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

// scope converts the configuration, once.
func (m *model) scope() audit.Scope {
	s := audit.Scope{
		PairingID: m.PairingID.ValueString(), ProtectionClusters: stringset.Strings(m.Clusters),
		Tiers:  make(map[string]audit.Tier, len(m.Tiers)),
		Folder: m.Folder.ValueString(), Cluster: m.Cluster.ValueString(),
	}
	for name, tier := range m.Tiers {
		s.Tiers[name] = audit.Tier{TagID: tier.TagID.ValueString(), RPOMinutes: tier.RPOMinutes.ValueInt64()}
	}
	return s
}

func (m *model) fillUncovered(u audit.Uncovered, diags *diag.Diagnostics) {
	m.Uncovered = attribute.Strings(audit.IDs(u.VMs))
	m.ReplicatedElsewhere = attribute.Strings(audit.IDs(u.ReplicatedElsewhere))
	m.UncoveredUnknown = attribute.Strings(audit.IDs(u.Unknown))
	if u.Unproven != "" {
		if m.Compliant.ValueBool() {
			m.Compliant = types.BoolNull()
			m.Summary = types.StringValue(m.Summary.ValueString() +
				" Whether there are other VMs with a tier's tag is not known.")
		}
		diags.AddWarning("VMs May Be Missing", "vCenter lists only VMs that the account may read, so whether the VMs of the "+
			"tiers and uncovered are complete is not known: "+u.Unproven+". "+guard.ReadEverything)
	}
}

// uncoveredAttributes are the filters and the lists of what no tier covers.
func uncoveredAttributes() map[string]schema.Attribute {
	container := func(doc string) schema.StringAttribute {
		return attribute.OptionalText(doc, stringvalidator.LengthAtLeast(1))
	}
	ids := attribute.Texts
	return map[string]schema.Attribute{
		"folder": container("Only VMs in this folder or below it are in `uncovered`, `uncovered_unknown` and " +
			"`replicated_elsewhere`: an inventory path (`/DC0/vm/prod`), or a path below the VM folder of the only " +
			"datacenter that has it (`prod`). Tiers are judged wherever their VMs are."),
		"cluster": container("Only VMs of this cluster are in these lists: an inventory path (`/DC0/host/cluster-1`), or " +
			"a name that is unique in the vCenter. With `folder`, both must hold."),
		"uncovered": ids("Managed object ids of the VMs that are powered on, carry no tier's tag and are not replicated, " +
			"sorted. This breaks no promise, because nothing was promised: `compliant` does not depend on it. Templates, " +
			"placeholders of Site Recovery Manager and the VMs of vSphere Cluster Services (vCLS) are not in it, and " +
			"neither is a VM that is off or suspended."),
		"replicated_elsewhere": ids("Managed object ids of the VMs that are powered on and carry no tier's tag, and that " +
			"another pairing or appliance replicates: the pairing does not know them, but their configuration in vCenter " +
			"names a destination (`repConfig`), and no other VM has the same replication id, sorted. Whether that " +
			"replication works is not known here."),
		"uncovered_unknown": ids("Managed object ids of the VMs without a tier and a replication of the pairing that " +
			"vCenter cannot reach or describe at present (`inaccessible` of `vsla_virtual_machines`), or of which only " +
			"the extra configuration (`hbr_filter.destination`) marks them as replicated, which clones keep, sorted."),
	}
}
