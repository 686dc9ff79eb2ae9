// What is read of a virtual machine and how vCenter's properties become vsla's: the one place that knows their shape.

package vsphere

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// machineProperties are cheap: 3,200 machines take less than a second. Device lists take many times as long and are
// read apart.
var machineProperties = []string{
	"name", "parent", "datastore",
	"summary.config.instanceUuid", "summary.config.numCpu", "summary.config.memorySizeMB", "summary.config.template",
	"summary.storage", "runtime.powerState", "runtime.connectionState", "runtime.host",
	"config.changeTrackingEnabled",
}

// fits applies what the property collector cannot filter by. Templates are no virtual machines to replicate or move, and
// an inaccessible or orphaned machine has no sizes to add up.
func (f VMFilter) fits(vm mo.VirtualMachine) bool {
	if vm.Summary.Config.Template || vm.Runtime.ConnectionState != types.VirtualMachineConnectionStateConnected {
		return false
	}
	if f.Name != nil && !f.Name.MatchString(vm.Name) {
		return false
	}
	return f.PowerState == "" || string(vm.Runtime.PowerState) == f.PowerState
}

func machine(vm mo.VirtualMachine) VirtualMachine {
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

// diskCapacity adds up the capacities of each machine's virtual disks, in bytes, by machine id.
func (i inventory) diskCapacity(ctx context.Context, machines []mo.VirtualMachine) (map[string]int64, error) {
	refs := make([]types.ManagedObjectReference, 0, len(machines))
	for _, vm := range machines {
		refs = append(refs, vm.Self)
	}
	var found []mo.VirtualMachine
	if err := i.read(ctx, refs, []string{"config.hardware.device"}, &found); err != nil {
		return nil, err
	}
	capacity := make(map[string]int64, len(found))
	for _, vm := range found {
		if vm.Config == nil {
			continue
		}
		for _, device := range vm.Config.Hardware.Device {
			if disk, ok := device.(*types.VirtualDisk); ok {
				capacity[vm.Self.Value] += diskBytes(disk)
			}
		}
	}
	return capacity, nil
}

// diskBytes prefers the exact capacity; old hosts give kibibytes only.
func diskBytes(disk *types.VirtualDisk) int64 {
	if disk.CapacityInBytes > 0 {
		return disk.CapacityInBytes
	}
	return disk.CapacityInKB << 10
}
