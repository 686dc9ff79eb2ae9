package vcsim

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// VM contains the expected properties of a VM. Sizes are in bytes.
type VM struct {
	// Position is the index passed to vmAt.
	Position     int
	ID           string
	Name         string
	InstanceUUID string
	PowerState   string
	// Folder is the inventory path of the VM's folder. Path is the inventory path of the VM.
	Folder       string
	Path         string
	Cluster      string
	HostID       string
	DatastoreIDs []string
	CPUCount     int32
	MemoryBytes  int64
	// Disks and DiskUse contain the capacity and the used size of each disk.
	Disks                       []int64
	DiskUse                     []int64
	DiskBytes                   int64 // sum of Disks
	UsedBytes, ProvisionedBytes int64
	ChangedBlockTracking        bool
	Template                    bool
	// ConnectionState is "connected", or the reason why the VM is inaccessible.
	ConnectionState string
}

const (
	gib = 1 << 30
	mib = 1 << 20
)

// folders and roles are assigned in rotation.
var (
	folders = []string{"prod", "test", "dev"}
	roles   = []string{"web", "app", "db", "batch"}
)

func (vm VM) swap() int64 {
	if vm.PowerState != "poweredOn" {
		return 0
	}
	return vm.MemoryBytes
}

// vmAt returns the VM with index i, starting at 0. All properties are derived from i, so that tests can calculate sums:
//
//	name         roles[i mod 4], then i + 1
//	CPUs         1, 2, 4 or 8, depending on i mod 4
//	memory       2 GiB * (1 + i mod 8)
//	disks        1 + i mod 3; disk j has 20 + 10 * ((i + j) mod 7) GiB
//	used         30 + 5 * (i mod 10) percent of each disk, which is a whole number of MiB
//	provisioned  capacity of the disks plus the memory size for the swap file
//	power        off if i mod 11 is 10
//	CBT          on if i is even
func vmAt(i int) VM {
	vm := VM{
		Position:             i,
		Name:                 fmt.Sprintf("%s-%04d", roles[i%len(roles)], i+1),
		InstanceUUID:         fmt.Sprintf("50000000-0000-4000-8000-%012x", i+1),
		PowerState:           "poweredOn",
		ConnectionState:      "connected",
		Folder:               "/DC0/vm/" + folders[i%len(folders)],
		CPUCount:             1 << (i % 4),
		MemoryBytes:          2 * gib * int64(1+i%8),
		ChangedBlockTracking: i%2 == 0,
	}
	vm.Path = vm.Folder + "/" + vm.Name
	if i%11 == 10 {
		vm.PowerState = "poweredOff"
	}
	for j := range 1 + i%3 {
		capacity := gib * int64(20+10*((i+j)%7))
		vm.Disks = append(vm.Disks, capacity)
		vm.DiskBytes += capacity
		vm.DiskUse = append(vm.DiskUse, capacity*int64(30+5*(i%10))/100)
		vm.UsedBytes += vm.DiskUse[j]
	}
	vm.ProvisionedBytes = vm.DiskBytes + vm.MemoryBytes
	return vm
}

// AddFiles adds count log files to every VM. In a real vCenter, a VM has 10 to 15 files in addition to its disks.
func (v *VCenter) AddFiles(count int) {
	ctx := v.reader()
	for _, vm := range vmsOf(ctx) {
		ctx.WithLock(vm, func() {
			files := *vm.LayoutEx
			files.File = slices.Clone(files.File)
			for i := range count {
				files.File = append(files.File, types.VirtualMachineFileLayoutExFileInfo{
					Key:        int32(1000 + i),
					Name:       fmt.Sprintf("[LocalDS_0] %s/vmware-%d.log", vm.Name, i+1),
					Type:       string(types.VirtualMachineFileLayoutExFileTypeLog),
					Size:       300_000,
					UniqueSize: 300_000,
				})
			}
			vm.LayoutEx = &files
		})
	}
}

// AddDisk adds a disk to a VM and returns its device key. The new disk is as large as the VM's last disk.
func (v *VCenter) AddDisk(id string) (key int32, err error) {
	err = v.Reconfigure(id, func(config *types.VirtualMachineConfigInfo) {
		for _, device := range slices.Backward(config.Hardware.Device) {
			if disk, ok := device.(*types.VirtualDisk); ok {
				added := *disk
				key = disk.Key + 1
				added.Key = key
				added.DeviceInfo = &types.Description{Label: fmt.Sprintf("Hard disk %d", key-firstDisk+1)}
				config.Hardware.Device = slices.Concat(config.Hardware.Device, []types.BaseVirtualDevice{&added})
				return
			}
		}
	})
	return key, err
}

// Rename sets the name of a VM. As in the SOAP API, the characters /, \ and % in name must be escaped.
func (v *VCenter) Rename(id, name string) {
	_ = v.edit(id, func(vm *simulator.VirtualMachine) { vm.Name = name })
}

// RenameFolder renames every folder that has the old name. The new name must be escaped as in Rename.
func (v *VCenter) RenameFolder(from, to string) {
	ctx := v.reader()
	for _, folder := range all[*simulator.Folder](ctx, "Folder") {
		if folder.Name == from {
			ctx.WithLock(folder, func() { folder.Name = to })
		}
	}
}
