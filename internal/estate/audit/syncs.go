package audit

import (
	"time"

	"terraform-provider-vsla/internal/vr"
)

// LastSyncs returns the time of the last sync by VM ID. Of several replications the oldest counts, and VMs with a
// replication that was never synced are missing.
func (r Reading) LastSyncs() map[string]time.Time {
	last := make(map[string]time.Time, len(r.outgoing))
	never := make(map[string]bool)
	for _, one := range r.outgoing {
		id, at := vr.MOIDOf(one.VMID), one.Status.LastSync
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
