package vcsim

import "fmt"

// VM holds the expected properties of a VM. Sizes are in bytes.
type VM struct {
	// Position is i in the arithmetic of vmAt.
	Position                           int
	ID, Name, InstanceUUID, PowerState string
	// Folder is the inventory path of the VM's folder, Path that of the VM.
	Folder, Path, Cluster string
	HostID                string
	DatastoreIDs          []string
	CPUCount              int32
	MemoryBytes           int64
	// Disks are the capacities, DiskUse the used space of each disk.
	Disks, DiskUse              []int64
	DiskBytes                   int64 // sum of Disks
	UsedBytes, ProvisionedBytes int64
	ChangedBlockTracking        bool
	Template                    bool
	// ConnectionState is "connected", or why the VM is inaccessible.
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

// swap returns the size of the swap file of a running VM.
func (vm VM) swap() int64 {
	if vm.PowerState != "poweredOn" {
		return 0
	}
	return vm.MemoryBytes
}

// vmAt returns VM i, counted from 0. All numbers follow from i, so that tests can calculate sums:
//
//	name         role i mod 4, and i + 1
//	CPUs         1, 2, 4, 8 by i mod 4
//	memory       2 GiB * (1 + i mod 8)
//	disks        1 + i mod 3 of them, the j-th of 20 + 10 * ((i + j) mod 7) GiB
//	used         30 + 5 * (i mod 10) percent of each disk, which are whole MiB
//	provisioned  the disks and as much swap as there is memory
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
