package vsphere

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// vmCollector collects the VMs that match a filter, keyed by ID to remove duplicates.
type vmCollector struct {
	filter VMFilter
	// sizes and diskUse report whether the pages contain the properties for VMParts.Sizes and VMParts.DiskUse.
	sizes        bool
	diskUse      bool
	vms          map[string]VirtualMachine
	templates    map[string]VMReference
	inaccessible map[string]VMReference
}

func newVMCollector(filter VMFilter, sizes, diskUse bool) *vmCollector {
	return &vmCollector{
		filter:       filter,
		sizes:        sizes,
		diskUse:      diskUse,
		vms:          make(map[string]VirtualMachine),
		templates:    make(map[string]VMReference),
		inaccessible: make(map[string]VMReference),
	}
}

// add adds the VMs on a page, applying the filters that the property collector does not support.
func (s *vmCollector) add(page []types.ObjectContent) error {
	return visitVMs(page, func(vm mo.VirtualMachine, readable bool) {
		ref := VMReference{ID: vm.Self.Value, Name: vm.Name}
		switch {
		case s.filter.Name != nil && vm.Name != "" && !s.filter.Name.MatchString(vm.Name):
		case !readable:
			s.inaccessible[ref.ID] = ref
		case vm.Runtime.ConnectionState != types.VirtualMachineConnectionStateConnected:
			s.inaccessible[ref.ID] = ref
		case s.filter.PowerState != "" && string(vm.Runtime.PowerState) != s.filter.PowerState:
		case vm.Summary.Config.Template:
			s.templates[ref.ID] = ref
		default:
			m := newVM(vm)
			if s.sizes {
				m = m.withUsedBytes(vm.LayoutEx)
			}
			if s.diskUse {
				m.DiskBytes, m.Disks = parseDisks(vm, true)
			}
			s.vms[ref.ID] = m
		}
	})
}

func (s *vmCollector) inventory() Inventory {
	return Inventory{
		VMs: slices.SortedFunc(
			maps.Values(s.vms),
			func(a, b VirtualMachine) int { return cmp.Compare(a.ID, b.ID) },
		),
		Templates:    slices.SortedFunc(maps.Values(s.templates), compareByID),
		Inaccessible: slices.SortedFunc(maps.Values(s.inaccessible), compareByID),
	}
}

// visitVMs decodes the VMs on a page and skips VMs deleted in the meantime. If a property cannot be read, for example
// because a privilege is missing, readable is false and the other properties are still set.
func visitVMs(page []types.ObjectContent, visit func(vm mo.VirtualMachine, readable bool)) error {
	for _, object := range page {
		readable := len(object.MissingSet) == 0
		if slices.ContainsFunc(object.MissingSet, func(m types.MissingProperty) bool {
			_, gone := m.Fault.Fault.(*types.ManagedObjectNotFound)
			return gone
		}) {
			continue
		}
		object.MissingSet = nil
		var vm []mo.VirtualMachine
		if err := mo.LoadObjectContent([]types.ObjectContent{object}, &vm); err != nil || len(vm) != 1 {
			return fmt.Errorf("VM %s: %w", object.Obj.Value, cmp.Or(err, ErrInvalid))
		}
		vm[0].Name = nameUnescaper.Replace(vm[0].Name)
		visit(vm[0], readable)
	}
	return nil
}

func compareByID(a, b VMReference) int { return cmp.Compare(a.ID, b.ID) }

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
		m.committed = s.Committed
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
	if vm.Config != nil {
		m.ReplicatedDisks = replicatedKeys(vm.Config.RepConfig)
	}
	if vm.Config != nil && vm.Config.ChangeTrackingEnabled != nil {
		m.ChangedBlockTracking = *vm.Config.ChangeTrackingEnabled
	}
	return m
}
