// What is read of a VM and how vCenter's properties become vsla's: the one place that knows their shape.

package vsphere

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// vmProperties are cheap: 3,200 VMs take less than a second. Device lists take many times as long and are
// read apart.
var vmProperties = []string{
	"name", "parent", "datastore",
	"summary.config.instanceUuid", "summary.config.numCpu", "summary.config.memorySizeMB", "summary.config.template",
	"summary.storage", "runtime.powerState", "runtime.connectionState", "runtime.host",
	"config.changeTrackingEnabled",
}

// sorter gathers what fits a filter, by id, so that a VM that comes twice counts once.
type sorter struct {
	filter                  VMFilter
	vms                     map[string]VirtualMachine
	templates, inaccessible map[string]VMReference
}

func newSorter(filter VMFilter) *sorter {
	return &sorter{
		filter: filter, vms: make(map[string]VirtualMachine),
		templates: make(map[string]VMReference), inaccessible: make(map[string]VMReference),
	}
}

// add takes a page. It applies what the property collector cannot filter by.
func (s *sorter) add(page []types.ObjectContent) error {
	var found []mo.VirtualMachine
	if err := mo.LoadObjectContent(page, &found); err != nil {
		return err
	}
	for _, vm := range found {
		ref := VMReference{ID: vm.Self.Value, Name: vm.Name}
		switch {
		case s.filter.Name != nil && !s.filter.Name.MatchString(vm.Name):
		case vm.Runtime.ConnectionState != types.VirtualMachineConnectionStateConnected:
			s.inaccessible[ref.ID] = ref
		case s.filter.PowerState != "" && string(vm.Runtime.PowerState) != s.filter.PowerState:
		case vm.Summary.Config.Template:
			s.templates[ref.ID] = ref
		default:
			s.vms[ref.ID] = newVM(vm)
		}
	}
	return nil
}

func (s *sorter) inventory() Inventory {
	byID := func(a, b VMReference) int { return cmp.Compare(a.ID, b.ID) }
	return Inventory{
		VMs: slices.SortedFunc(
			maps.Values(s.vms),
			func(a, b VirtualMachine) int { return cmp.Compare(a.ID, b.ID) },
		),
		Templates:    slices.SortedFunc(maps.Values(s.templates), byID),
		Inaccessible: slices.SortedFunc(maps.Values(s.inaccessible), byID),
	}
}

func newVM(vm mo.VirtualMachine) VirtualMachine {
	m := VirtualMachine{
		ID:           vm.Self.Value,
		Name:         vm.Name,
		InstanceUUID: vm.Summary.Config.InstanceUuid,
		PowerState:   string(vm.Runtime.PowerState),
		CPUCount:     vm.Summary.Config.NumCpu,
		MemoryBytes:  int64(vm.Summary.Config.MemorySizeMB) << 20,
	}
	if s := vm.Summary.Storage; s != nil {
		m.UsedBytes = s.Committed
		m.ProvisionedBytes = s.Committed + s.Uncommitted
	}
	if vm.Parent != nil {
		m.folder = vm.Parent.Value
	}
	if vm.Runtime.Host != nil {
		m.HostID = vm.Runtime.Host.Value
	}
	for _, ds := range vm.Datastore {
		m.DatastoreIDs = append(m.DatastoreIDs, ds.Value)
	}
	slices.Sort(m.DatastoreIDs)
	if vm.Config != nil && vm.Config.ChangeTrackingEnabled != nil {
		m.ChangedBlockTracking = *vm.Config.ChangeTrackingEnabled
	}
	return m
}

// withDisks adds up the capacities of each VM's virtual disks. A VM that is gone since is left out.
func (i inventory) withDisks(ctx context.Context, vms []VirtualMachine) ([]VirtualMachine, error) {
	refs := make([]types.ManagedObjectReference, 0, len(vms))
	for _, vm := range vms {
		refs = append(refs, types.ManagedObjectReference{Type: vmType, Value: vm.ID})
	}
	capacity := make(map[string]int64, len(vms))
	err := i.readVMs(ctx, refs, []string{"config.hardware.device"}, func(page []types.ObjectContent) error {
		var found []mo.VirtualMachine
		if err := mo.LoadObjectContent(page, &found); err != nil {
			return err
		}
		for _, vm := range found {
			capacity[vm.Self.Value] = disksBytes(vm)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	kept := vms[:0]
	for _, vm := range vms {
		if sum, ok := capacity[vm.ID]; ok {
			vm.DiskBytes = sum
			kept = append(kept, vm)
		}
	}
	return kept, nil
}

func disksBytes(vm mo.VirtualMachine) int64 {
	if vm.Config == nil {
		return 0
	}
	var sum int64
	for _, device := range vm.Config.Hardware.Device {
		if disk, ok := device.(*types.VirtualDisk); ok {
			sum += diskBytes(disk)
		}
	}
	return sum
}

// diskBytes prefers the exact capacity; old hosts give kibibytes only.
func diskBytes(disk *types.VirtualDisk) int64 {
	if disk.CapacityInBytes > 0 {
		return disk.CapacityInBytes
	}
	return disk.CapacityInKB << 10
}
