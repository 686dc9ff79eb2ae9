package replication

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
)

// warnDestroyed warns that the plan ends a replication and, unless its disks are retained, deletes the replica.
// Terraform groups warnings that have the same summary.
func (r *replicationResource) warnDestroyed(ctx context.Context, state model, diags *diag.Diagnostics) {
	name := state.Name.ValueString()
	bytes := state.replicaBytes(ctx, diags)
	if name == "" {
		name = state.VMID.ValueString()
	}
	if state.RetainDisks.ValueBool() {
		diags.AddWarning("Replication Will Be Destroyed", fmt.Sprintf(
			"The replication of %s ends. The replica disks (%s) are kept, but receive no further data.",
			name, formatSize(bytes)))
		return
	}
	diags.AddWarning("Replica Will Be Deleted", fmt.Sprintf(
		"The replica of %s (%s) will be deleted. A new replication of the VM starts with an initial sync. If only "+
			"the tier of a VM changes, use one resource with for_each over the VMs of all tiers, which keeps the "+
			"replication and changes its RPO. To keep the disks as seeds, apply retain_replica_disks_on_destroy = "+
			"true first.",
		name, formatSize(bytes)))
	if r.Clients == nil {
		return
	}
	number, total, reached := connection.State[deletionCounter](r.Clients).add(state.workKey(), bytes)
	if reached {
		diags.AddWarning(fmt.Sprintf("%d or More Replicas Will Be Deleted", number),
			fmt.Sprintf("The plan deletes at least %d replicas (%s).", number, formatSize(total)))
	}
}

// formatSize formats a capacity. A capacity of 0 means that it is unknown, because the replication is still being
// configured.
func formatSize(bytes int64) string {
	const gib = 1 << 30
	if bytes == 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
}

func (r *replicationResource) warnMoved(m model, create bool, diags *diag.Diagnostics) {
	if r.Clients != nil && !m.PairingID.IsUnknown() && !m.VMID.IsUnknown() {
		connection.State[resume.Moves](r.Clients).Warn(typeName, m.workKey(),
			fmt.Sprintf("Replication of %q", m.VMID.ValueString()), create, diags)
	}
}

func (m model) replicaBytes(ctx context.Context, diags *diag.Diagnostics) int64 {
	var disks []replicatedDisk
	if !m.ReplicatedDisks.IsNull() {
		diags.Append(m.ReplicatedDisks.ElementsAs(ctx, &disks, false)...)
	}
	var bytes int64
	for _, d := range disks {
		if d.Replicated.ValueBool() {
			bytes += d.CapacityBytes.ValueInt64()
		}
	}
	return bytes
}
