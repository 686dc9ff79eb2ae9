package vsphere

import (
	"context"
	"regexp"
	"slices"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// VMFilter selects VMs. A VM must match all non-empty fields.
type VMFilter struct {
	// IDs are managed object IDs. If nil, all VMs are selected. Unknown IDs are ignored.
	IDs []string
	// Folder and Cluster are inventory paths or unique names.
	Folder, Cluster string
	// Name can match any part of the VM name.
	Name *regexp.Regexp
	// PowerState is "poweredOn", "poweredOff" or "suspended".
	PowerState string
}

// VirtualMachine contains the properties of a VM. Sizes are in bytes.
type VirtualMachine struct {
	ID           string
	Name         string
	InstanceUUID string
	PowerState   string
	HostID       string
	// Path is the inventory path, for example "/DC0/vm/prod/web-01". It is empty unless VMParts.Paths is set.
	Path             string
	CPUCount         int32
	MemoryBytes      int64
	ProvisionedBytes int64
	// UsedBytes is the size of the VM's disk files. It includes snapshots, but not swap files, other files or mirror
	// copies on vSAN. It is 0 unless VMParts.Sizes or VMParts.DiskUse is set.
	UsedBytes int64
	// UsedIsCommitted is true if vCenter does not report the disk files. UsedBytes is then the committed storage, which
	// is larger.
	UsedIsCommitted      bool
	DiskBytes            int64    // sum of the disk capacities; 0 unless VMParts.Disks or VMParts.DiskUse is set
	Disks                []VMDisk // nil unless VMParts.DiskUse is set
	DatastoreIDs         []string
	ChangedBlockTracking bool
	// ReplicatedDisks contains the device keys of the replicated disks. It is nil if the VM is not replicated or its
	// settings list no disks.
	ReplicatedDisks []int32

	folder    string // ID of the VM folder
	committed int64
}

// VMParts selects VM properties that are expensive to read.
type VMParts struct {
	// Sizes reads the file layout for UsedBytes. It needs no additional request but transfers several times as much
	// data.
	Sizes bool
	// Disks reads the device lists for DiskBytes. It needs one additional request per 1,000 VMs and accounts for most
	// of the run time.
	Disks bool
	// DiskUse reads the device lists, the file layout and the replication settings for VirtualMachine.Disks, DiskBytes
	// and UsedBytes. It needs as many requests as Disks, or no additional ones if VMs are selected by ID.
	DiskUse bool
	// Paths reads the parent folders of the VMs for Path. It needs three additional requests.
	Paths bool
}

// VMReference identifies a VM by ID and name.
type VMReference struct{ ID, Name string }

// String returns the ID followed by the name in parentheses.
func (r VMReference) String() string { return r.ID + " (" + r.Name + ")" }

// Inventory contains the VMs selected by a filter. All lists are sorted by ID.
type Inventory struct {
	VMs []VirtualMachine
	// Templates contains the VM templates, which cannot be run, replicated or moved.
	Templates []VMReference
	// Inaccessible contains disconnected, inaccessible, orphaned and invalid VMs, for which vCenter reports outdated
	// sizes or none. It also contains VMs with an unreadable property, whose names can be empty. The PowerState filter
	// does not apply to these VMs, because their power state is also unknown.
	Inaccessible []VMReference
}

// VirtualMachines lists the VMs that match the filter. It sends three requests for up to 1,000 VMs and one for each
// further 1,000, or only one request per 1,000 VMs if they are selected by ID. VMParts documents the additional
// requests. Only one page of vCenter's response is kept in memory. Errors: *transport.NameError for an unknown or
// ambiguous folder or cluster, ErrPermission.
func (c *Client) VirtualMachines(ctx context.Context, filter VMFilter, parts VMParts) (Inventory, error) {
	var found Inventory
	if filter.IDs != nil && len(filter.IDs) == 0 && filter.Folder == "" && filter.Cluster == "" {
		return found, nil // there is nothing to read, so do not log in
	}
	err := c.withSOAP(ctx, "list VMs", func(ctx context.Context, vim *vim25.Client) error {
		var err error
		found, err = inventory{vim: vim}.vms(ctx, filter, parts)
		return err
	})
	return found, err
}

type inventory struct{ vim *vim25.Client }

// Reading these properties of 3,200 VMs takes less than a second. Device lists take many times longer, so they are read
// separately.
var vmProperties = []string{
	"name", "parent", "datastore",
	"summary.config.instanceUuid", "summary.config.numCpu", "summary.config.memorySizeMB", "summary.config.template",
	"summary.storage", "runtime.powerState", "runtime.connectionState", "runtime.host",
	"config.changeTrackingEnabled", "config.repConfig",
}

func (i inventory) vms(ctx context.Context, filter VMFilter, parts VMParts) (Inventory, error) {
	// If VMs are selected by ID, few of them are filtered out later, so read everything in one pass.
	onePass := parts.DiskUse && filter.IDs != nil
	sizes := onePass || (parts.Sizes && !parts.DiskUse)
	properties := vmProperties
	if onePass {
		properties = slices.Concat(properties, deviceProperties)
	}
	if sizes {
		properties = slices.Concat(properties, layoutProperties)
	}
	collector := newVMCollector(filter, sizes, onePass)
	if err := i.candidates(ctx, filter, properties, collector.add); err != nil {
		return Inventory{}, err
	}
	found := collector.inventory()
	if len(found.VMs) == 0 {
		return found, nil
	}
	if parts.Paths {
		if err := i.setPaths(ctx, found.VMs); err != nil {
			return Inventory{}, err
		}
	}
	if (parts.Disks || parts.DiskUse) && !onePass {
		kept, unreadable, err := i.addDisks(ctx, found.VMs, parts.DiskUse)
		if err != nil {
			return Inventory{}, err
		}
		found.VMs, found.Inaccessible = kept, append(found.Inaccessible, unreadable...)
		slices.SortFunc(found.Inaccessible, compareByID)
	}
	return found, nil
}

// candidates reads the VMs that match the filter's IDs, folder and cluster. It can pass a VM to onPage twice.
func (i inventory) candidates(
	ctx context.Context,
	filter VMFilter,
	properties []string,
	onPage func([]types.ObjectContent) error,
) error {
	var containers []types.ManagedObjectReference
	for _, container := range []struct{ kind, name string }{{"folder", filter.Folder}, {"cluster", filter.Cluster}} {
		if container.name == "" {
			continue
		}
		ref, err := i.find(ctx, container.kind, container.name)
		if err != nil {
			return err
		}
		containers = append(containers, ref)
	}
	if filter.IDs == nil {
		switch len(containers) {
		case 0:
			return i.readBelow(ctx, i.vim.ServiceContent.RootFolder, vmSpec(properties), onPage)
		case 1:
			return i.readBelow(ctx, containers[0], vmSpec(properties), onPage)
		}
	}
	var sets [][]types.ManagedObjectReference
	if filter.IDs != nil {
		set := make([]types.ManagedObjectReference, 0, len(filter.IDs))
		for _, id := range filter.IDs {
			set = append(set, types.ManagedObjectReference{Type: vmType, Value: id})
		}
		sets = append(sets, set)
	}
	for _, container := range containers {
		set, err := i.vmsBelow(ctx, container)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	return i.readVMs(ctx, intersect(sets), properties, onPage)
}

// namesOf returns the names of all objects of an inventory type by ID.
func (i inventory) namesOf(ctx context.Context, objectType string) (map[string]string, error) {
	names := make(map[string]string)
	specs := []types.PropertySpec{{Type: objectType, PathSet: []string{"name"}}}
	err := i.readBelow(ctx, i.vim.ServiceContent.RootFolder, specs, func(page []types.ObjectContent) error {
		var entities []mo.ManagedEntity
		if err := mo.LoadObjectContent(page, &entities); err != nil {
			return err
		}
		for _, e := range entities {
			names[e.Self.Value] = nameUnescaper.Replace(e.Name)
		}
		return nil
	})
	return names, err
}

func intersect(sets [][]types.ManagedObjectReference) []types.ManagedObjectReference {
	kept := sets[0]
	for _, set := range sets[1:] {
		in := make(map[types.ManagedObjectReference]bool, len(set))
		for _, ref := range set {
			in[types.ManagedObjectReference{Type: ref.Type, Value: ref.Value}] = true
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(ref types.ManagedObjectReference) bool {
			return !in[types.ManagedObjectReference{Type: ref.Type, Value: ref.Value}]
		})
	}
	return kept
}
