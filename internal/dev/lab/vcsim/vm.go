// The VMs of the lab: every number follows from the VM's position by the arithmetic below, so that a test can
// work out any sum by itself.

package vcsim

import "fmt"

// VM is the true state of a VM. Sizes are bytes.
type VM struct {
	// Position is i of the arithmetic.
	Position                           int
	ID, Name, InstanceUUID, PowerState string
	// Folder is the inventory path of the folder that the VM is in; Path is the VM's own.
	Folder, Path, Cluster string
	HostID                string
	DatastoreIDs          []string
	CPUCount              int32
	MemoryBytes           int64
	// Disks are the capacities, DiskUse what each of them takes.
	Disks, DiskUse              []int64
	DiskBytes                   int64 // sum of Disks
	UsedBytes, ProvisionedBytes int64
	ChangedBlockTracking        bool
	Template                    bool
	// ConnectionState is "connected", or why vCenter does not reach the VM.
	ConnectionState string
}

const (
	gib = 1 << 30
	mib = 1 << 20
)

// folders and roles are given out in turn.
var (
	folders = []string{"prod", "test", "dev"}
	roles   = []string{"web", "app", "db", "batch"}
)

// swap is the size of the swap file, which a running VM has.
func (vm VM) swap() int64 {
	if vm.PowerState != "poweredOn" {
		return 0
	}
	return vm.MemoryBytes
}

// VM returns VM i, counted from 0, as far as it follows from i:
//
//	name         role i mod 4, and i + 1
//	CPUs         1, 2, 4, 8 by i mod 4
//	memory       2 GiB * (1 + i mod 8)
//	disks        1 + i mod 3 of them, the j-th of 20 + 10 * ((i + j) mod 7) GiB
//	used         30 + 5 * (i mod 10) percent of each disk, which are whole MiB
//	provisioned  the disks and as much swap as there is memory
//	power        off when i mod 11 is 10
//	CBT          on when i is even
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
