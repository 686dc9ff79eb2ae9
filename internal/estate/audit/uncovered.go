// What no tier covers.

package audit

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
)

const poweredOn = "poweredOn"

// Uncovered are the VMs that carry no tier's tag and that the pairing does not replicate. All lists are sorted by id.
type Uncovered struct {
	// VMs are powered on, and nothing replicates them.
	VMs []vsphere.VMReference
	// ReplicatedElsewhere are powered on, and replicated by their own configuration: by another pairing or appliance.
	ReplicatedElsewhere []vsphere.VMReference
	// Unknown are VMs that vCenter cannot reach: neither power state nor configuration is known.
	Unknown []vsphere.VMReference
}

// uncovered reads the configuration of the powered-on VMs that nothing covers so far: one request for each 1,000.
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
	ids := make([]string, len(candidates))
	for i, vm := range candidates {
		ids[i] = vm.ID
	}
	marks, err := r.VSphere.VMMarks(ctx, ids)
	if err != nil {
		return Uncovered{}, err
	}
	for _, vm := range candidates {
		mark, exists := marks[vm.ID]
		switch {
		case !exists || mark.Placeholder || mark.ClusterService: // removed meanwhile, or nothing to protect
		case mark.ReplicationDestination != "":
			found.ReplicatedElsewhere = append(found.ReplicatedElsewhere, vm)
		default:
			found.VMs = append(found.VMs, vm)
		}
	}
	return found, nil
}

// IDs returns the ids of VMs.
func IDs(vms []vsphere.VMReference) []string {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	return ids
}
