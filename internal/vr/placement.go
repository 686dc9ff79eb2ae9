// The place of a VM's replicas, as a configuration expresses it.

package vr

import "slices"

// Placement is the place of most replicas, and the disks that differ from it.
type Placement struct {
	// DatastoreID and PolicyID are those of the home folder, or of the first disk where there is no home folder. PolicyID
	// is empty for the policy of the datastore.
	DatastoreID, PolicyID string
	// Disks are the disks that differ, by name.
	Disks map[string]DiskPlacement
}

// DiskPlacement is a disk that is not replicated, or whose replica is elsewhere. Empty ids are those of the Placement.
type DiskPlacement struct {
	Replicated            bool
	DatastoreID, PolicyID string
}

// PlacementOf returns the place of a VM's replicas.
func PlacementOf(replicas []ReplicatedDisk) Placement {
	if len(replicas) == 0 {
		return Placement{}
	}
	first := max(0, slices.IndexFunc(replicas, func(r ReplicatedDisk) bool { return r.Disk.Home }))
	p := Placement{
		DatastoreID: replicas[first].DatastoreID,
		PolicyID:    PolicyOf(replicas[first].PolicyID),
		Disks:       make(map[string]DiskPlacement),
	}
	for _, replica := range replicas {
		d := DiskPlacement{Replicated: replica.Replicated || replica.Disk.Home}
		if replica.DatastoreID != p.DatastoreID {
			d.DatastoreID = replica.DatastoreID
		}
		if policy := PolicyOf(replica.PolicyID); policy != p.PolicyID {
			d.PolicyID = policy
		}
		if d != (DiskPlacement{Replicated: true}) {
			p.Disks[replica.Disk.Name()] = d
		}
	}
	return p
}

// PolicyOf returns the id of a storage policy; empty for the id that stands for the policy of the datastore.
func PolicyOf(id string) string {
	if id == "dsbrowser.defaultStoragePolicy" {
		return ""
	}
	return id
}
