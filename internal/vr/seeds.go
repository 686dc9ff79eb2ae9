// Files from which an initial sync can start.

package vr

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
)

// VMDisk names a disk of a VM by its device key.
type VMDisk struct {
	VM  string
	Key int64
}

// seedBatch is how many disks one request asks about.
const seedBatch = 100

// Seeds returns, for each disk, the paths of the files on a datastore that can seed its initial sync, sorted. folder
// limits the search to a folder of the datastore; empty is the whole datastore. vcenter is the datastore's. Errors:
// ErrNotFound for an unknown datastore, ErrPartial for an answer without one of the disks.
func (c *Client) Seeds(
	ctx context.Context,
	pairing, vcenter, datastore, folder string,
	disks []VMDisk,
) (map[VMDisk][]string, error) {
	disks = slices.SortedFunc(slices.Values(disks), func(a, b VMDisk) int {
		return cmp.Or(cmp.Compare(a.VM, b.VM), cmp.Compare(a.Key, b.Key))
	})
	found := make(map[VMDisk][]string, len(disks))
	for batch := range slices.Chunk(disks, seedBatch) {
		if err := c.findSeeds(ctx, pairing, vcenter, datastore, folder, batch, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (c *Client) findSeeds(
	ctx context.Context,
	pairing, vcenter, datastore, folder string,
	disks []VMDisk,
	found map[VMDisk][]string,
) error {
	type wireDisk struct {
		VM  string `json:"vm_id"`
		Key int64  `json:"device_key"`
	}
	type wireSpec struct {
		Disk   wireDisk `json:"vm_disk"`
		Folder *string  `json:"destination_path,omitempty"`
	}
	r := request{
		method: http.MethodPost, reads: true,
		template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/datastores/{datastore_id}/actions/find-seeds",
		ids:      []string{pairing, vcenter, datastore}, pairing: pairing,
	}
	specs := make([]wireSpec, 0, len(disks))
	for _, d := range disks {
		spec := wireSpec{Disk: wireDisk(d)}
		if folder != "" {
			spec.Folder = &folder
		}
		specs = append(specs, spec)
	}
	r.body = specs
	var answer struct {
		List []struct {
			Disk  wireDisk  `json:"vm_disk"`
			Found []*string `json:"found_seeds"`
		} `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return err
	}
	for _, one := range answer.List {
		paths := []string{}
		for _, path := range one.Found {
			if path != nil {
				paths = append(paths, *path)
			}
		}
		slices.Sort(paths)
		found[VMDisk(one.Disk)] = paths
	}
	for _, d := range disks {
		if _, ok := found[d]; !ok {
			return fmt.Errorf("%s: %w: disk %d of %s is not in the answer", r, ErrPartial, d.Key, d.VM)
		}
	}
	return nil
}
