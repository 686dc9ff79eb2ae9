package vr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Disk is a virtual disk, or the pseudo-disk that represents the VM's home folder.
type Disk struct {
	// Key is the vSphere device key, or 0 for the home folder.
	Key           int64
	Home          bool
	CapacityBytes int64
	Label         string
	Format        string
	DatastoreID   string
	Path          string
	// Supported is false if the disk cannot be replicated.
	Supported bool
	// Encrypted reports whether the VM's storage policy encrypts the disk.
	Encrypted bool
	// raw is the original JSON of the disk. It is sent back unchanged to preserve fields added by later releases.
	raw json.RawMessage
}

// Name returns the name of the disk in a configuration: "home", or the device key.
func (d Disk) Name() string {
	if d.Home {
		return HomeDisk
	}
	return strconv.FormatInt(d.Key, 10)
}

// HomeDisk is the name of the pseudo-disk that represents the home folder.
const HomeDisk = "home"

type wireDatastorePath struct {
	DatastoreID   string `json:"datastore_id"`
	DatastoreName string `json:"datastore_name"`
	Path          string `json:"path"`
	Filename      string `json:"filename"`
}

// UnmarshalJSON also stores the original JSON of the disk.
func (d *Disk) UnmarshalJSON(body []byte) error {
	var w struct {
		Key       *int64            `json:"device_key"`
		Home      bool              `json:"is_vm_home"`
		Capacity  int64             `json:"capacity"`
		Label     string            `json:"label"`
		Format    string            `json:"source_disk_format"`
		Source    wireDatastorePath `json:"source_path"`
		Supported *bool             `json:"supported_for_replication"`
		Encrypted bool              `json:"encrypted"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return err
	}
	if w.Key == nil {
		if !w.Home {
			return fmt.Errorf("disk %q has no device_key", w.Label)
		}
		w.Key = new(int64)
	}
	*d = Disk{
		Key:           *w.Key,
		Home:          w.Home,
		CapacityBytes: kilobytesToBytes(w.Capacity),
		Label:         w.Label,
		Format:        w.Format,
		DatastoreID:   w.Source.DatastoreID,
		Path:          w.Source.join(),
		Supported:     w.Supported == nil || *w.Supported,
		Encrypted:     w.Encrypted,
		raw:           append(json.RawMessage(nil), body...),
	}
	return nil
}

func kilobytesToBytes(n int64) (bytes int64) { return n * 1024 }

// MarshalJSON returns the original JSON of the disk.
func (d Disk) MarshalJSON() ([]byte, error) {
	if len(d.raw) == 0 {
		return nil, errors.New("the disk was not read from the gateway and cannot be sent")
	}
	return d.raw, nil
}

func (w wireDatastorePath) join() string {
	return strings.TrimLeft(strings.TrimRight(w.Path, "/")+"/"+w.Filename, "/")
}

type vmKey struct{ pairing, vcenter, vm string }

type diskResult struct {
	disks []Disk
	err   error
}

const (
	// vmBatchSize is the number of VMs per request. It is limited because the VM IDs are part of the URL.
	vmBatchSize = 30
)

// Disks reads the disks of a VM, including the home folder. Callers that arrive while a request is in progress share
// the next one. Errors: ErrNotFound.
func (c *Client) Disks(ctx context.Context, pairing, vcenter, vm string) ([]Disk, error) {
	a, err := c.disks.Get(ctx, vmKey{pairing, vcenter, vm}, c.readDisks)
	if err != nil {
		return nil, err
	}
	return a.disks, a.err
}

// readDisks reads the disks of several VMs with one list request. If the list lacks a VM or its home folder, the VM is
// read separately, because the semantics of the gateway's filter are undocumented.
func (c *Client) readDisks(ctx context.Context, keys []vmKey) (map[vmKey]diskResult, error) {
	results := make(map[vmKey]diskResult, len(keys))
	for _, group := range groupByVCenter(keys) {
		batched := map[string][]Disk{}
		if len(group) > 1 && !c.quirks.noDiskBatches.Load() {
			batched = c.batchedDisks(ctx, group)
		}
		for _, k := range group {
			disks := batched[k.vm]
			err := error(nil)
			if disks == nil {
				disks, err = c.readVMDisks(ctx, k)
			}
			results[k] = diskResult{disks, err}
		}
	}
	return results, nil
}

// batchedDisks reads the disks of several VMs with one list request and omits VMs whose home folder is missing from the
// list. The newest API may leave out the disks unless they are asked for. If no VM remains, for example because the
// gateway rejects the request, each VM is read separately from then on.
func (c *Client) batchedDisks(ctx context.Context, keys []vmKey) map[string][]Disk {
	disks := make(map[string][]Disk, len(keys))
	for _, include := range []bool{c.quirks.includeDisks.Load(), true} {
		query := url.Values{"suitable_for_replication": {"false"}}
		if include {
			query.Set("include_disks", "true")
		}
		found, err := c.vmsByID(ctx, keys, query)
		for _, w := range found {
			if err == nil && slices.ContainsFunc(w.Disks, func(d Disk) bool { return d.Home }) {
				disks[w.ID] = w.Disks
			}
		}
		if len(disks) > 0 {
			c.quirks.includeDisks.Store(include)
			return disks
		}
		if err != nil || include {
			break
		}
	}
	c.quirks.noDiskBatches.Store(true)
	return disks
}

func (c *Client) readVMDisks(ctx context.Context, k vmKey) ([]Disk, error) {
	r := request{
		template: vmsTemplate + "/{vm_id}/disks",
		ids:      []string{k.pairing, k.vcenter, k.vm},
		pairing:  k.pairing,
	}
	disks, err := list(ctx, c, r, "", Disk.Name)
	if err != nil {
		return nil, err
	}
	if len(disks) == 0 {
		return nil, fmt.Errorf("GET %s: %w: the VM has no disks and no home folder", r.template, ErrPartial)
	}
	return disks, nil
}
