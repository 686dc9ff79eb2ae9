package audit

import (
	"context"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
)

const poweredOn = "poweredOn"

// Uncovered contains the VMs that have no tier and are not replicated by the pairing. All lists are sorted by ID.
type Uncovered struct {
	// VMs contains powered-on VMs that are not replicated.
	VMs []vsphere.VMReference
	// ReplicatedElsewhere contains powered-on VMs that, according to their configuration, are replicated by another
	// pairing or appliance.
	ReplicatedElsewhere []vsphere.VMReference
	// Unknown contains inaccessible or unreadable VMs. It also contains VMs for which only the extra configuration
	// indicates a replication, because clones inherit the extra configuration.
	Unknown []vsphere.VMReference
	// UnprovenReason explains why the lists might be incomplete. It is empty if the account can read all objects.
	UnprovenReason string
}

// readUncovered classifies the VMs without a tier. replicated contains the IDs of the VMs that the pairing replicates.
func (r Reader) readUncovered(
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
	if len(candidates) > 0 { // a clone has its source VM's replication ID
		ids = slices.AppendSeq(ids, maps.Keys(replicated))
	}
	flagsByVM, err := r.VSphere.VMFlags(ctx, ids)
	if err != nil {
		return Uncovered{}, err
	}
	access, err := r.VSphere.InventoryAccess(ctx)
	if err != nil {
		return Uncovered{}, err
	}
	found.UnprovenReason = access.UnprovenReason
	found.classify(candidates, flagsByVM)
	return found, nil
}

// classify adds powered-on VMs that the pairing does not replicate to the lists.
func (found *Uncovered) classify(candidates []vsphere.VMReference, flagsByVM map[string]vsphere.VMFlags) {
	vmCountByReplication := make(map[string]int, len(flagsByVM))
	for _, flags := range flagsByVM {
		vmCountByReplication[flags.ReplicationID]++
	}
	for _, vm := range candidates {
		flags, exists := flagsByVM[vm.ID]
		switch {
		case !exists || flags.Placeholder || flags.ClusterService: // deleted in the meantime, or nothing to protect
		case flags.Unreadable:
			found.Unknown = append(found.Unknown, vm)
		case flags.ReplicationID != "" && vmCountByReplication[flags.ReplicationID] > 1: // a clone
			found.VMs = append(found.VMs, vm)
		case flags.ExtraConfigOnly:
			found.Unknown = append(found.Unknown, vm)
		case flags.ReplicationDestination != "":
			found.ReplicatedElsewhere = append(found.ReplicatedElsewhere, vm)
		default:
			found.VMs = append(found.VMs, vm)
		}
	}
}

// IDs returns the VM IDs, sorted.
func IDs(vms []vsphere.VMReference) []string {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	return ids
}
