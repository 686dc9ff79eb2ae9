package vr

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
)

// VMDisk identifies a disk of a VM by its device key.
type VMDisk struct {
	VM  string
	Key int64
}

const seedBatchSize = 100

// FindSeeds returns, for each disk, the sorted paths of the files on a datastore that can be used as seeds for the
// initial sync. If folder is not empty, it searches only that folder. vcenter is the datastore's vCenter. Errors:
// ErrNotFound if the datastore does not exist, ErrPartial if a disk is missing from the response.
func (c *Client) FindSeeds(
	ctx context.Context,
	pairing, vcenter, datastore, folder string,
	disks []VMDisk,
) (map[VMDisk][]string, error) {
	disks = slices.SortedFunc(slices.Values(disks), func(a, b VMDisk) int {
		return cmp.Or(cmp.Compare(a.VM, b.VM), cmp.Compare(a.Key, b.Key))
	})
	found := make(map[VMDisk][]string, len(disks))
	for batch := range slices.Chunk(disks, seedBatchSize) {
		if err := c.findSeedsBatch(ctx, pairing, vcenter, datastore, folder, batch, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (c *Client) findSeedsBatch(
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
		method:   http.MethodPost,
		readOnly: true,
		template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/datastores/{datastore_id}/actions/find-seeds",
		ids:      []string{pairing, vcenter, datastore},
		pairing:  pairing,
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
	var result struct {
		List []struct {
			Disk  wireDisk  `json:"vm_disk"`
			Found []*string `json:"found_seeds"`
		} `json:"list"`
	}
	if err := c.call(ctx, r, &result); err != nil {
		return err
	}
	for _, item := range result.List {
		paths := []string{}
		for _, path := range item.Found {
			if path != nil {
				paths = append(paths, *path)
			}
		}
		slices.Sort(paths)
		found[VMDisk(item.Disk)] = paths
	}
	for _, d := range disks {
		if _, ok := found[d]; !ok {
			return fmt.Errorf("%s: %w: disk %d of %s is missing from the response", r, ErrPartial, d.Key, d.VM)
		}
	}
	return nil
}
