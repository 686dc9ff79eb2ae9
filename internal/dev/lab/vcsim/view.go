package vcsim

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// VMState is the current state of a VM.
type VMState struct {
	ID, Name string
	// PowerState and ConnectionState are vSphere values, such as poweredOn and connected.
	PowerState      string
	ConnectionState string
	Template        bool
	// DatastoreID, DatastoreName and Folder locate the VM's home folder.
	DatastoreID   string
	DatastoreName string
	Folder        string
	Disks         []Disk
	// UsedBytes is the total number of bytes used by the disks.
	UsedBytes int64
}

// Disk is a virtual disk of a VM.
type Disk struct {
	Key, ControllerKey int32
	Label, Controller  string
	CapacityBytes      int64
	Thin               bool
	DatastoreID        string
	DatastoreName      string
	Folder             string
	File               string
}

// Datastore is the current state of a datastore. Sizes are in bytes.
type Datastore struct {
	ID                       string
	Name                     string
	Type                     string
	URL                      string
	MaintenanceMode          string
	CapacityBytes, FreeBytes int64
	Accessible               bool
	OverallStatus            string
	ParentID, ParentName     string
}

// VMStates returns all VMs, sorted by the number in their ID. It reads them in process, so it does not affect request
// and session counts.
func (v *VCenter) VMStates() []VMState {
	ctx := v.reader()
	var list []VMState
	for _, vm := range vmsOf(ctx) {
		list = append(list, view(ctx, vm))
	}
	slices.SortFunc(list, func(a, b VMState) int { return compareIDs(a.ID, b.ID) })
	return list
}

// VMState returns the VM with the given ID, such as "vm-42".
func (v *VCenter) VMState(id string) (VMState, bool) {
	ctx := v.reader()
	vm, ok := find(ctx, id)
	if !ok {
		return VMState{}, false
	}
	return view(ctx, vm), true
}

// Datastores returns all datastores, sorted by the number in their ID.
func (v *VCenter) Datastores() []Datastore {
	ctx := v.reader()
	var list []Datastore
	for _, ds := range all[*simulator.Datastore](ctx, "Datastore") {
		var d Datastore
		ctx.WithLock(ds, func() {
			d = Datastore{
				ID:              ds.Self.Value,
				Name:            ds.Name,
				Type:            ds.Summary.Type,
				URL:             ds.Summary.Url,
				MaintenanceMode: ds.Summary.MaintenanceMode,
				CapacityBytes:   ds.Summary.Capacity,
				FreeBytes:       ds.Summary.FreeSpace,
				Accessible:      ds.Summary.Accessible,
				OverallStatus:   string(ds.OverallStatus),
			}
			if ds.Parent != nil {
				d.ParentID = ds.Parent.String()
			}
		})
		if ds.Parent != nil {
			if parent, ok := ctx.Map.Get(*ds.Parent).(mo.Entity); ok {
				d.ParentName = parent.Entity().Name
			}
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Datastore) int { return compareIDs(a.ID, b.ID) })
	return list
}

// SetPower sets a VM's power state to poweredOn, poweredOff or suspended, outside of Terraform.
func (v *VCenter) SetPower(id string, state types.VirtualMachinePowerState) error {
	return v.edit(id, func(vm *simulator.VirtualMachine) {
		vm.Runtime.PowerState = state
		vm.Summary.Runtime.PowerState = state
	})
}

func (v *VCenter) edit(id string, change func(*simulator.VirtualMachine)) error {
	ctx := v.reader()
	vm, ok := find(ctx, id)
	if !ok {
		return fmt.Errorf("there is no VM %s", id)
	}
	ctx.WithLock(vm, func() { change(vm) })
	return nil
}

// SetExtraConfig sets keys in a VM's extra configuration. Keys with empty values are removed.
func (v *VCenter) SetExtraConfig(id string, settings map[string]string) error {
	return v.Reconfigure(id, func(config *types.VirtualMachineConfigInfo) {
		config.ExtraConfig = slices.DeleteFunc(config.ExtraConfig, func(o types.BaseOptionValue) bool {
			_, set := settings[o.GetOptionValue().Key]
			return set
		})
		for _, key := range slices.Sorted(maps.Keys(settings)) {
			if settings[key] != "" {
				config.ExtraConfig = append(config.ExtraConfig, &types.OptionValue{Key: key, Value: settings[key]})
			}
		}
	})
}

func find(ctx *simulator.Context, id string) (*simulator.VirtualMachine, bool) {
	vm, ok := ctx.Map.Get(types.ManagedObjectReference{Type: "VirtualMachine", Value: id}).(*simulator.VirtualMachine)
	return vm, ok
}

// reader returns a new context. The simulator's locks belong to a context, so callers must not share one.
func (v *VCenter) reader() *simulator.Context {
	ctx := *v.model.Service.Context
	return &ctx
}

func view(ctx *simulator.Context, vm *simulator.VirtualMachine) VMState {
	var m VMState
	ctx.WithLock(vm, func() {
		m = VMState{
			ID:              vm.Self.Value,
			Name:            vm.Name,
			PowerState:      string(vm.Runtime.PowerState),
			ConnectionState: string(vm.Runtime.ConnectionState),
		}
		m.UsedBytes = usedBytes(vm)
		if vm.Config == nil {
			return
		}
		m.Template = vm.Config.Template
		m.DatastoreName, m.Folder, _ = place(vm.Config.Files.VmPathName)
		devices := object.VirtualDeviceList(vm.Config.Hardware.Device)
		for _, device := range devices {
			if disk, ok := device.(*types.VirtualDisk); ok {
				m.Disks = append(m.Disks, viewDisk(devices, disk))
			}
		}
		for _, ref := range vm.Datastore {
			m.DatastoreID = cmp.Or(m.DatastoreID, ref.Value)
		}
	})
	for i := range m.Disks {
		m.Disks[i].DatastoreID = cmp.Or(m.Disks[i].DatastoreID, m.DatastoreID)
	}
	return m
}

func usedBytes(vm *simulator.VirtualMachine) int64 {
	var used int64
	if vm.Summary.Storage != nil {
		used = vm.Summary.Storage.Committed
	}
	if vm.LayoutEx == nil {
		return used
	}
	for _, file := range vm.LayoutEx.File {
		if file.Type == string(types.VirtualMachineFileLayoutExFileTypeSwap) {
			used -= file.Size
		}
	}
	return used
}

func viewDisk(devices object.VirtualDeviceList, disk *types.VirtualDisk) Disk {
	d := Disk{Key: disk.Key, ControllerKey: disk.ControllerKey, CapacityBytes: disk.CapacityInBytes}
	if d.CapacityBytes == 0 {
		d.CapacityBytes = disk.CapacityInKB << 10
	}
	if info := disk.DeviceInfo; info != nil {
		d.Label = info.GetDescription().Label
	}
	if controller := devices.FindByKey(disk.ControllerKey); controller != nil {
		if info := controller.GetVirtualDevice().DeviceInfo; info != nil {
			d.Controller = info.GetDescription().Label
		}
	}
	if backing, ok := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok {
		d.Thin = backing.ThinProvisioned != nil && *backing.ThinProvisioned
		if backing.Datastore != nil {
			d.DatastoreID = backing.Datastore.Value
		}
		d.DatastoreName, d.Folder, d.File = place(backing.FileName)
	}
	return d
}

func place(name string) (store, folder, file string) {
	var p object.DatastorePath
	if !p.FromString(name) {
		return "", "", ""
	}
	folder, file = path.Split(p.Path)
	return p.Datastore, strings.TrimSuffix(folder, "/"), file
}

func compareIDs(a, b string) int {
	number := func(id string) int {
		_, digits, _ := strings.Cut(id, "-")
		n, _ := strconv.Atoi(digits)
		return n
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}
