// When VMs were synced.

package audit

import (
	"time"

	"terraform-provider-vsla/internal/vr"
)

// LastSyncs returns the time of the last sync of each replicated VM, by id: of several replications the oldest, and
// nothing for a VM with one that has never been synced.
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
