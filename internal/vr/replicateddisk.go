package vr

import (
	"context"
)

// ReplicatedDisk is a disk of a replicated VM together with its replica.
type ReplicatedDisk struct {
	Disk Disk
	// Replicated is also true if the release does not report it. Unreported is then true.
	Replicated bool
	Unreported bool

	DatastoreID   string
	DatastoreName string
	// Path is the path of the replica on its datastore.
	Path       string
	PolicyID   string
	PolicyName string
	// UsedBytes is the size of the replica. The API does not document the unit, which is assumed to be bytes.
	UsedBytes int64
	// Format is the replica's disk format, or empty if the release does not report it.
	Format string
}

// ReplicatedDisks reads the disks of a replication, including the home folder, sorted by disk name.
func (c *Client) ReplicatedDisks(ctx context.Context, pairing, id string) ([]ReplicatedDisk, error) {
	type wire struct {
		Disk        Disk              `json:"vm_disk"`
		Replicated  *bool             `json:"replicated"`
		Destination wireDatastorePath `json:"destination_path"`
		PolicyID    string            `json:"destination_storage_policy_id"`
		PolicyName  string            `json:"destination_storage_policy_name"`
		UsedBytes   int64             `json:"replica_disk_usage"`
		Format      string            `json:"destination_disk_format"`
	}
	r := request{template: replicationTemplate + "/disks", ids: []string{pairing, id}, pairing: pairing}
	return sortedList(ctx, c, r, "", func(w wire) string { return w.Disk.Name() }, func(w wire) ReplicatedDisk {
		return ReplicatedDisk{
			Disk:          w.Disk,
			Replicated:    w.Replicated == nil || *w.Replicated,
			Unreported:    w.Replicated == nil,
			DatastoreID:   w.Destination.DatastoreID,
			DatastoreName: w.Destination.DatastoreName,
			Path:          w.Destination.join(),
			PolicyID:      w.PolicyID,
			PolicyName:    w.PolicyName,
			UsedBytes:     w.UsedBytes,
			Format:        w.Format,
		}
	})
}
