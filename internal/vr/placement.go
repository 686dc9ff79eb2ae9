package vr

import (
	"slices"
)

// Placement describes where the replicas of a VM's disks are placed by default, and which disks are exceptions.
type Placement struct {
	// DatastoreID and PolicyID are those of the home folder, or of the first disk if there is no home folder. PolicyID
	// is empty for the datastore's default policy.
	DatastoreID string
	PolicyID    string
	// Format is the disk format of the first disk that reports one, or empty.
	Format string
	// Disks contains the exceptions, by disk name.
	Disks map[string]DiskPlacement
}

// DiskPlacement describes a disk that is not replicated or is placed elsewhere. Empty IDs default to those of the
// Placement.
type DiskPlacement struct {
	Replicated  bool
	DatastoreID string
	PolicyID    string
	Format      string
}

// PlacementOf derives the placement from the replicas of a VM.
func PlacementOf(replicas []ReplicatedDisk) Placement {
	if len(replicas) == 0 {
		return Placement{}
	}
	first := max(0, slices.IndexFunc(replicas, func(r ReplicatedDisk) bool { return r.Disk.Home }))
	p := Placement{
		DatastoreID: replicas[first].DatastoreID,
		PolicyID:    NormalizePolicyID(replicas[first].PolicyID),
		Disks:       make(map[string]DiskPlacement),
	}
	reported := func(r ReplicatedDisk) bool { return r.Format != "" && !r.Disk.Home }
	if i := slices.IndexFunc(replicas, reported); i >= 0 {
		p.Format = replicas[i].Format
	}
	for _, replica := range replicas {
		d := DiskPlacement{Replicated: replica.Replicated || replica.Disk.Home}
		if replica.DatastoreID != p.DatastoreID {
			d.DatastoreID = replica.DatastoreID
		}
		if policy := NormalizePolicyID(replica.PolicyID); policy != p.PolicyID {
			d.PolicyID = policy
		}
		if replica.Format != p.Format && !replica.Disk.Home {
			d.Format = replica.Format
		}
		if d != (DiskPlacement{Replicated: true}) {
			p.Disks[replica.Disk.Name()] = d
		}
	}
	return p
}
