package audit

import (
	"time"

	"terraform-provider-vsla/internal/vr"
)

// LastSyncs returns the last sync time by VM ID. If a VM has several replications, the oldest sync counts. A VM is
// omitted if any of its replications has never been synced.
func (r Reading) LastSyncs() map[string]time.Time {
	last := make(map[string]time.Time, len(r.outgoing))
	never := make(map[string]bool)
	for _, replication := range r.outgoing {
		id, at := vr.MOIDOf(replication.VMID), replication.Status.LastSync
		if before, ok := last[id]; !ok || at.Before(before) {
			last[id] = at
		}
		never[id] = never[id] || at.IsZero()
	}
	for id, yes := range never {
		if yes || id == "" {
			delete(last, id)
		}
	}
	return last
}
