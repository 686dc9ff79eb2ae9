package replication

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

// firstTotal is the number of deleted replicas for the first warning about their total size. Each further warning
// doubles it, because Terraform does not signal the last resource.
const firstTotal = 10

// destroyed counts the replicas to delete in this run. The zero value is ready for use.
type destroyed struct {
	mu    sync.Mutex
	bytes map[string]int64
	total int64
}

// add counts a replica once. reached reports whether a warning about the total is due.
func (d *destroyed) add(key string, bytes int64) (number int, total int64, reached bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes == nil {
		d.bytes = make(map[string]int64)
	}
	if _, counted := d.bytes[key]; counted {
		return 0, 0, false
	}
	d.bytes[key] = bytes
	d.total += bytes
	number = len(d.bytes)
	limit := firstTotal
	for limit < number {
		limit *= 2
	}
	return number, d.total, number == limit
}

// warnDestroyed warns that the plan ends a replication and deletes the replica unless its disks are retained.
// Terraform groups warnings with the same summary.
func (r *replicationResource) warnDestroyed(ctx context.Context, state model, diags *diag.Diagnostics) {
	name, bytes := state.Name.ValueString(), state.replicaBytes(ctx, diags)
	if name == "" {
		name = state.VMID.ValueString()
	}
	if state.RetainDisks.ValueBool() {
		diags.AddWarning("Replication Is Destroyed", fmt.Sprintf(
			"The replication of %s ends. Its replica keeps its disks (%s) and gets no further data.", name, size(bytes)))
		return
	}
	diags.AddWarning("Replica Is Deleted", fmt.Sprintf(
		"The replica of %s (%s) is deleted, and a new replication of the VM begins with an initial sync. Where only the "+
			"tier of a VM changes, one resource with for_each over the VMs of all tiers keeps the replication and changes its "+
			"RPO. retain_replica_disks_on_destroy, applied before, keeps the disks as seeds.", name, size(bytes)))
	if r.Clients == nil {
		return
	}
	number, total, reached := connection.State[destroyed](r.Clients).add(state.workKey(), bytes)
	if reached {
		diags.AddWarning(fmt.Sprintf("%d Replicas or More Are Deleted", number),
			fmt.Sprintf("The plan deletes at least %d replicas (%s).", number, size(total)))
	}
}

// replicaBytes returns the capacity of the replicated disks in state.
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

// size formats a capacity. It is unknown while the replication is being configured.
func size(bytes int64) string {
	const gib = 1 << 30
	if bytes == 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
}
