// The properties read of a VM and their mapping to vsla's: the one place that knows their shape.

package vsphere

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// vmProperties are cheap: 3,200 VMs take less than a second. Device lists take many times as long and are
// read apart.
var vmProperties = []string{
	"name", "parent", "datastore",
	"summary.config.instanceUuid", "summary.config.numCpu", "summary.config.memorySizeMB", "summary.config.template",
	"summary.storage", "runtime.powerState", "runtime.connectionState", "runtime.host",
	"config.changeTrackingEnabled", "config.repConfig",
}

// layoutProperties are some kilobytes for each VM: 17 files for one with a disk and its logs.
var layoutProperties = []string{"layoutEx.disk", "layoutEx.file"}

// sorter gathers what fits a filter, by id, so that a VM that comes twice counts once.
type sorter struct {
	filter VMFilter
	// sizes and use report whether the pages contain the properties of VMParts.Sizes and of VMParts.DiskUse.
	sizes, use              bool
	vms                     map[string]VirtualMachine
	templates, inaccessible map[string]VMReference
}

func newSorter(filter VMFilter, sizes, use bool) *sorter {
	return &sorter{
		filter: filter, sizes: sizes, use: use, vms: make(map[string]VirtualMachine),
		templates: make(map[string]VMReference), inaccessible: make(map[string]VMReference),
	}
}

// add takes a page. It applies what the property collector cannot filter by.
func (s *sorter) add(page []types.ObjectContent) error {
	return eachVM(page, func(vm mo.VirtualMachine, readable bool) {
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
				m = m.used(vm.LayoutEx)
			}
			if s.use {
				m.DiskBytes, m.Disks = disksOf(vm, true)
			}
			s.vms[ref.ID] = m
		}
	})
}

// plainName decodes a name: vCenter's SOAP API escapes these three characters, which separate and escape in paths, and
// its REST API and vSphere Replication do not. Paths keep the escapes.
var (
	plainName = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")
	pathName  = strings.NewReplacer("/", "%2f", `\`, "%5c", "%", "%25")
	// escapedPath escapes what is not escaped; / separates names.
	escapedPath = strings.NewReplacer("%2f", "%2f", "%2F", "%2f", "%5c", "%5c", "%5C", "%5c", "%25", "%25",
		`\`, "%5c", "%", "%25")
)

// eachVM decodes the VMs of a page. A VM that was deleted in between is left out; one with a property that could not be
// read, for example for lack of a privilege, is not readable, and has the other properties.
func eachVM(page []types.ObjectContent, take func(vm mo.VirtualMachine, readable bool)) error {
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
		vm[0].Name = plainName.Replace(vm[0].Name)
		take(vm[0], readable)
	}
	return nil
}

func (s *sorter) inventory() Inventory {
	return Inventory{
		VMs:          slices.SortedFunc(maps.Values(s.vms), func(a, b VirtualMachine) int { return cmp.Compare(a.ID, b.ID) }),
		Templates:    slices.SortedFunc(maps.Values(s.templates), byID),
		Inaccessible: slices.SortedFunc(maps.Values(s.inaccessible), byID),
	}
}

func byID(a, b VMReference) int { return cmp.Compare(a.ID, b.ID) }

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
