package vr

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// Datastore is a datastore or datastore cluster that replications can use.
type Datastore struct {
	ID                       string
	Name                     string
	ParentID                 string
	ParentName               string
	CapacityBytes, FreeBytes int64
	// FileSystem (VMFS, NFS, VSAN, ...), Health (GREEN, ...), Type (DATASTORE, STORAGE_POD) and MaintenanceMode are API
	// values. Later releases may add values.
	FileSystem                    string
	Health                        string
	Type                          string
	MaintenanceMode               string
	Accessible, NativeKeyProvider bool
}

// Datastores lists the datastores of a vCenter in the pairing, sorted by ID.
func (c *Client) Datastores(ctx context.Context, pairing, vcenter string) ([]Datastore, error) {
	type wire struct {
		ID                string `json:"id"`
		Name              string `json:"name"`
		ParentID          string `json:"parent"`
		ParentName        string `json:"parent_name"`
		CapacityBytes     int64  `json:"capacity"`
		FreeBytes         int64  `json:"free_space"`
		FileSystem        string `json:"file_system_type"`
		Health            string `json:"overall_status"`
		Type              string `json:"type"`
		MaintenanceMode   string `json:"maintenance_mode"`
		Accessible        bool   `json:"accessible"`
		NativeKeyProvider bool   `json:"nkp_supported"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/datastores",
			ids:      []string{pairing, vcenter},
			pairing:  pairing,
		},
		"id",
		func(w wire) string { return w.ID },
		func(w wire) Datastore { return Datastore(w) },
	)
}

// FindDatastore returns a datastore of a vCenter in the pairing. All callers share one list, which is read once more
// for a datastore that it does not contain. Errors: *transport.NameError with ErrNotFound and the existing names.
func (c *Client) FindDatastore(ctx context.Context, pairing, vcenter, id string) (Datastore, error) {
	is := func(d Datastore) bool { return strings.EqualFold(d.ID, id) }
	accept := func(list []Datastore) bool {
		_, gone := c.gone.Load(id)
		return gone || slices.ContainsFunc(list, is)
	}
	list, err := c.datastores.GetIf(ctx, pairing+" "+vcenter, func(ctx context.Context) ([]Datastore, error) {
		return c.Datastores(ctx, pairing, vcenter)
	}, accept)
	if err != nil {
		return Datastore{}, err
	}
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], nil
	}
	c.gone.Store(id, true)
	missing := &transport.NameError{What: "datastore", Name: id, Err: ErrNotFound}
	for _, d := range list {
		missing.Names = append(missing.Names, d.Name+" ("+d.ID+")")
	}
	return Datastore{}, missing
}

// StoragePolicy is a storage policy of a vCenter.
type StoragePolicy struct {
	ID, Name string
	// VMEncryption reports whether the policy supports encrypted VMs.
	VMEncryption bool
}

// StoragePolicies lists the storage policies of a vCenter in the pairing, sorted by ID.
func (c *Client) StoragePolicies(ctx context.Context, pairing, vcenter string) ([]StoragePolicy, error) {
	type wire struct {
		ID           string `json:"storage_policy_id"`
		Name         string `json:"storage_policy_name"`
		VMEncryption bool   `json:"vm_encryption_supported"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/storage-policies",
			ids:      []string{pairing, vcenter},
			pairing:  pairing,
		},
		"storage_policy_id",
		func(w wire) string { return w.ID },
		func(w wire) StoragePolicy { return StoragePolicy(w) },
	)
}

// Compliance is the result of checking a datastore against a storage policy.
type Compliance struct {
	Compliant bool
	// Message is the reason for non-compliance. It can be empty.
	Message string
}

// CheckCompliance checks whether a datastore complies with a storage policy. The result is cached for all callers.
// Errors: ErrNotFound if the policy does not exist.
func (c *Client) CheckCompliance(ctx context.Context, pairing, vcenter, policy, datastore string) (Compliance, error) {
	key := strings.Join([]string{pairing, vcenter, policy, datastore}, " ")
	return c.compliance.Get(ctx, key, func(ctx context.Context) (Compliance, error) {
		r := request{
			method:   http.MethodPost,
			readOnly: true,
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/storage-policies/{storage_policy_id}" +
				"/actions/check-compliance",
			ids:     []string{pairing, vcenter, policy},
			pairing: pairing,
			body:    []string{datastore},
		}
		var result struct {
			List []struct {
				Datastore string `json:"datastore"`
				Compliant bool   `json:"compliant"`
				Message   string `json:"not_compliant_detailed_message"`
			} `json:"list"`
		}
		if err := c.call(ctx, r, &result); err != nil {
			return Compliance{}, err
		}
		for _, item := range result.List {
			if item.Datastore == datastore {
				return Compliance{Compliant: item.Compliant, Message: item.Message}, nil
			}
		}
		return Compliance{}, fmt.Errorf("%s: %w: the datastore is missing from the response", r, ErrPartial)
	})
}

// ReplicationServer is a server that receives replication data. Requests identify it by ID, but replications identify
// it by UUID.
type ReplicationServer struct {
	ID                                           string
	UUID                                         string
	Name                                         string
	Hostname                                     string
	Replications                                 int64
	Connected, Decommissioned, InternallyManaged bool
	// Fault is the fault code reported by the gateway, or empty.
	Fault string
}

// ReplicationServers lists the replication servers of a vSphere Replication Management Server in the pairing, sorted by
// ID.
func (c *Client) ReplicationServers(ctx context.Context, pairing, vrms string) ([]ReplicationServer, error) {
	type wire struct {
		ID                string `json:"id"`
		UUID              string `json:"uuid"`
		Name              string `json:"name"`
		Hostname          string `json:"hostname"`
		Replications      int64  `json:"replication_count"`
		Connected         bool   `json:"connected"`
		Decommissioned    bool   `json:"decommissioned"`
		InternallyManaged bool   `json:"internally_managed"`
		Fault             string `json:"fault"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vrs/{vr_id}/replication-servers",
			ids:      []string{pairing, vrms},
			pairing:  pairing,
		},
		"id",
		func(w wire) string { return w.ID },
		func(w wire) ReplicationServer { return ReplicationServer(w) },
	)
}

// ServerByUUID returns the ID of the replication server with the given UUID, or "". All callers share one read of the
// servers.
func (c *Client) ServerByUUID(ctx context.Context, pairing, vrms, uuid string) (string, error) {
	all, err := c.servers.Get(ctx, pairing+" "+vrms, func(ctx context.Context) ([]ReplicationServer, error) {
		return c.ReplicationServers(ctx, pairing, vrms)
	})
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.UUID == uuid && uuid != "" {
			return s.ID, nil
		}
	}
	return "", nil
}

func sortedList[W, D any](
	ctx context.Context,
	c *Client,
	r request,
	property string,
	id func(W) string,
	domain func(W) D,
) ([]D, error) {
	found, err := list(ctx, c, r, property, id)
	if err != nil {
		return nil, err
	}
	sortByID(found, id)
	all := make([]D, 0, len(found))
	for _, w := range found {
		all = append(all, domain(w))
	}
	return all, nil
}

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
