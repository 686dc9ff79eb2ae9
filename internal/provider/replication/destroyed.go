// The replicas that a plan deletes, in words.

package replication

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

// firstTotal is the first number of deleted replicas that is worth a warning about their sum; the next ones are twice
// as many each. Terraform does not announce the last one.
const firstTotal = 10

// destroyed counts the replicas that this run of Terraform deletes. The zero value is ready for use.
type destroyed struct {
	mu    sync.Mutex
	bytes map[string]int64
	total int64
}

// add counts a replica, once, and returns the sums when their number has just reached one that is worth a warning.
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

// warnDestroyed warns that the plan ends a replication, and deletes the replica unless its disks are kept. Terraform
// shows warnings with the same summary once, with their number.
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
		diags.AddWarning(
			fmt.Sprintf("%d Replicas or More Are Deleted", number),
			fmt.Sprintf("The plan deletes at least %d replicas (%s).", number, size(total)),
		)
	}
}

// replicaBytes is the capacity of the replicated disks in state.
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

// size writes a capacity; state does not record that of a replication that is still being configured.
func size(bytes int64) string {
	const gib = 1 << 30
	if bytes == 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
}
