package audit

import (
	"context"
	"maps"
	"slices"
	"time"

	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

const poweredOn = "poweredOn"

// Uncovered are the VMs without tier and without replication by the pairing. All lists are sorted by ID.
type Uncovered struct {
	// VMs are powered on and not replicated.
	VMs []vsphere.VMReference
	// ReplicatedElsewhere are powered on and replicated by another pairing or appliance, according to their
	// configuration.
	ReplicatedElsewhere []vsphere.VMReference
	// Unknown are inaccessible or unreadable VMs, and VMs with only traces of a replication in their extra
	// configuration, which clones keep.
	Unknown []vsphere.VMReference
	// Unproven explains why VMs may be missing in the lists; empty if the account can read all objects.
	Unproven string
}

// uncovered reads the configuration of powered-on VMs that are not covered yet, with one request per 1,000 VMs.
func (r Reader) uncovered(
	ctx context.Context, others vsphere.Inventory, replicated map[string]bool,
) (Uncovered, error) {
	var found Uncovered
	for _, vm := range others.Inaccessible {
		if !replicated[vm.ID] {
			found.Unknown = append(found.Unknown, vm)
		}
	}
	var candidates []vsphere.VMReference
	for _, vm := range others.VMs {
		if vm.PowerState == poweredOn && !replicated[vm.ID] {
			candidates = append(candidates, vsphere.VMReference{ID: vm.ID, Name: vm.Name})
		}
	}
	ids := make([]string, 0, len(candidates)+len(replicated))
	for _, vm := range candidates {
		ids = append(ids, vm.ID)
	}
	if len(candidates) > 0 { // a clone has the replication ID of its source VM
		ids = slices.AppendSeq(ids, maps.Keys(replicated))
	}
	marks, err := r.VSphere.VMMarks(ctx, ids)
	if err != nil {
		return Uncovered{}, err
	}
	reach, err := r.VSphere.Reach(ctx)
	if err != nil {
		return Uncovered{}, err
	}
	found.Unproven = reach.Unproven
	found.sort(candidates, marks)
	return found, nil
}

func (found *Uncovered) sort(candidates []vsphere.VMReference, marks map[string]vsphere.VMMarks) {
	holders := make(map[string]int, len(marks))
	for _, mark := range marks {
		holders[mark.ReplicationID]++
	}
	for _, vm := range candidates {
		mark, exists := marks[vm.ID]
		switch {
		case !exists || mark.Placeholder || mark.ClusterService: // removed meanwhile, or nothing to protect
		case mark.Unreadable:
			found.Unknown = append(found.Unknown, vm)
		case mark.ReplicationID != "" && holders[mark.ReplicationID] > 1: // a clone
			found.VMs = append(found.VMs, vm)
		case mark.Suspected:
			found.Unknown = append(found.Unknown, vm)
		case mark.ReplicationDestination != "":
			found.ReplicatedElsewhere = append(found.ReplicatedElsewhere, vm)
		default:
			found.VMs = append(found.VMs, vm)
		}
	}
}

// IDs returns the sorted IDs of VMs.
func IDs(vms []vsphere.VMReference) []string {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	return ids
}

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
