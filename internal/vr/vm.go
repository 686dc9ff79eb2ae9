package vr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// VMID returns the ID of a VM in vSphere Replication: the object type, the managed object ID and the vCenter's instance
// UUID.
func VMID(moid, vcenter string) string { return "VirtualMachine:" + moid + ":" + vcenter }

// VCenterOf returns the vCenter instance UUID at the end of an object ID, or "".
func VCenterOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	_, vcenter, _ := strings.Cut(rest, ":")
	return vcenter
}

// MOIDOf returns the managed object ID in the middle of an object ID, or "".
func MOIDOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	moid, _, _ := strings.Cut(rest, ":")
	return moid
}

// VM is a VM as listed by the gateway.
type VM struct {
	ID   string
	Name string
	// PowerState and ConnectionState are API values, or empty if unknown. Later releases may add values.
	PowerState      string
	ConnectionState string
	Template        bool
	Disks           []Disk
}

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

type wireVM struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	PowerState      string `json:"power_state"`
	ConnectionState string `json:"connection_state"`
	Template        bool   `json:"template"`
	Disks           []Disk `json:"disks"`
}

func (w wireVM) domain() VM {
	return VM(w)
}

const vmsTemplate = "/pairings/{pairing_id}/vcenters/{vcenter_id}/vms"

// VMsByProperty lists the VMs of a vCenter whose property ("name" or "id") equals value. Names are not unique in a
// vCenter.
func (c *Client) VMsByProperty(ctx context.Context, pairing, vcenter, property, value string) ([]VM, error) {
	r := request{
		template: vmsTemplate,
		ids:      []string{pairing, vcenter},
		pairing:  pairing,
		query:    url.Values{"filter_property": {property}, "filter": {value}, "suitable_for_replication": {"false"}},
	}
	found, err := listFiltered(ctx, c, r, "id", func(w wireVM) string { return w.ID })
	if err != nil {
		return nil, err
	}
	var vms []VM
	for _, w := range found {
		// The semantics of the gateway's filter are undocumented. It might match substrings.
		hasName := property == "name" && w.Name == value
		hasID := property == "id" && w.ID == value
		if hasName || hasID {
			vms = append(vms, w.domain())
		}
	}
	return vms, nil
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
		if len(group) > 1 && !c.noDiskBatches.Load() {
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
	for _, include := range []bool{c.includeDisks.Load(), true} {
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
			c.includeDisks.Store(include)
			return disks
		}
		if err != nil || include {
			break
		}
	}
	c.noDiskBatches.Store(true)
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

// Capability describes the replication features that a VM supports.
type Capability struct {
	// Status is OK, ALREADY_CONFIGURED if the VM is already replicated, or the reason why the VM cannot be replicated.
	Status  string
	Reasons []string
	// MinRPOMinutes is the shortest supported RPO, or 0 if the gateway does not report it.
	MinRPOMinutes int64
	// Each feature is true unless the gateway reports that it is not supported.
	Quiescing        bool
	Compression      bool
	PointInTime      bool
	Encryption       bool
	AutoReplicate    bool
	DatastoreCluster bool
	ReconfigureDisks bool
	// Encrypted reports whether the VM, and therefore its replication, is encrypted.
	Encrypted bool
}

// Capability reads the replication features that a VM supports. All callers share one read. Errors: ErrNotFound.
func (c *Client) Capability(ctx context.Context, pairing, vcenter, vm string) (Capability, error) {
	return c.capabilities.Get(
		ctx,
		strings.Join([]string{pairing, vcenter, vm}, " "),
		func(ctx context.Context) (Capability, error) {
			return c.readCapability(ctx, pairing, vcenter, vm)
		},
	)
}

func (c *Client) readCapability(ctx context.Context, pairing, vcenter, vm string) (Capability, error) {
	r := request{
		method:   http.MethodGet,
		template: vmsTemplate + "/{vm_id}/capability",
		ids:      []string{pairing, vcenter, vm},
		pairing:  pairing,
	}
	var w struct {
		Status           string   `json:"vm_validation_status"`
		Reasons          []string `json:"replication_not_supported_reasons"`
		MinRPO           int64    `json:"min_rpo_mins"`
		Quiescing        *bool    `json:"quiescing_supported"`
		Compression      *bool    `json:"network_compression_supported"`
		PointInTime      *bool    `json:"mpit_supported"`
		Encryption       *bool    `json:"lwd_encryption_supported"`
		AutoReplicate    *bool    `json:"auto_replicate_new_disks_supported"`
		DatastoreCluster *bool    `json:"ds_cluster_as_target_supported"`
		ReconfigureDisks *bool    `json:"reconfigure_vm_disks_supported"`
		Encrypted        bool     `json:"vm_encrypted"`
	}
	if err := c.call(ctx, r, &w); err != nil {
		return Capability{}, err
	}
	isSupported := func(reported *bool) bool { return reported == nil || *reported }
	return Capability{
		Status:           w.Status,
		Reasons:          w.Reasons,
		MinRPOMinutes:    w.MinRPO,
		Quiescing:        isSupported(w.Quiescing),
		Compression:      isSupported(w.Compression),
		PointInTime:      isSupported(w.PointInTime),
		Encryption:       isSupported(w.Encryption),
		AutoReplicate:    isSupported(w.AutoReplicate),
		DatastoreCluster: isSupported(w.DatastoreCluster),
		ReconfigureDisks: isSupported(w.ReconfigureDisks),
		Encrypted:        w.Encrypted,
	}, nil
}

func groupByVCenter(keys []vmKey) [][]vmKey {
	slices.SortFunc(keys, func(a, b vmKey) int {
		return cmp.Or(cmp.Compare(a.pairing, b.pairing), cmp.Compare(a.vcenter, b.vcenter), cmp.Compare(a.vm, b.vm))
	})
	var all [][]vmKey
	for len(keys) > 0 {
		first := keys[0]
		n := slices.IndexFunc(keys, func(k vmKey) bool {
			return k.pairing != first.pairing || k.vcenter != first.vcenter
		})
		if n < 0 {
			n = len(keys)
		}
		n = min(n, vmBatchSize)
		all = append(all, keys[:n])
		keys = keys[n:]
	}
	return all
}

// IsSuitable reports whether the gateway lists a VM as suitable for replication. If it does not, Capability returns the
// reason. Callers that arrive while a request is in progress share the next one.
func (c *Client) IsSuitable(ctx context.Context, pairing, vcenter, vm string) (bool, error) {
	return c.suitability.Get(ctx, vmKey{pairing, vcenter, vm}, c.readSuitable)
}
