package vsphere

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// VMDisk is a virtual disk. Sizes are in bytes.
type VMDisk struct {
	// Key is the device key, for example 2000.
	Key           int32
	Label         string
	CapacityBytes int64
	// UsedBytes is the size of the disk's files, including snapshots, but at most the capacity. It is valid only if
	// UsedKnown is set.
	UsedBytes int64
	UsedKnown bool
	// Excluded is true if the VM is replicated without this disk.
	Excluded bool
}

// ReplicatedBytes returns UsedBytes minus the used size of the disks excluded from replication. Excluded disks of
// unknown size are not subtracted. If VMParts.DiskUse is not set, the result equals UsedBytes.
func (vm VirtualMachine) ReplicatedBytes() int64 {
	left := vm.UsedBytes
	for _, d := range vm.Disks {
		if d.Excluded {
			left -= d.UsedBytes
		}
	}
	return max(0, left)
}

var deviceProperties = []string{"config.hardware.device"}

// addDisks reads the disks of VMs. It drops VMs that were deleted in the meantime and returns VMs with unreadable disks
// separately.
func (i inventory) addDisks(
	ctx context.Context, vms []VirtualMachine, diskUse bool,
) (kept []VirtualMachine, unreadable []VMReference, err error) {
	refs := make([]types.ManagedObjectReference, 0, len(vms))
	for _, vm := range vms {
		refs = append(refs, types.ManagedObjectReference{Type: vmType, Value: vm.ID})
	}
	properties := deviceProperties
	if diskUse {
		properties = slices.Concat(deviceProperties, layoutProperties, []string{"config.repConfig"})
	}
	type vmDisks struct {
		bytes    int64
		disks    []VMDisk
		layout   *types.VirtualMachineFileLayoutEx
		readable bool
	}
	read := make(map[string]vmDisks, len(vms))
	err = i.readVMs(ctx, refs, properties, func(page []types.ObjectContent) error {
		return visitVMs(page, func(vm mo.VirtualMachine, readable bool) {
			bytes, disks := parseDisks(vm, diskUse)
			read[vm.Self.Value] = vmDisks{bytes, disks, vm.LayoutEx, readable}
		})
	})
	if err != nil {
		return nil, nil, err
	}
	kept = vms[:0]
	for _, vm := range vms {
		switch a, ok := read[vm.ID]; {
		case ok && a.readable:
			vm.DiskBytes, vm.Disks = a.bytes, a.disks
			if diskUse {
				vm = vm.withUsedBytes(a.layout)
			}
			kept = append(kept, vm)
		case ok:
			unreadable = append(unreadable, VMReference{ID: vm.ID, Name: vm.Name})
		}
	}
	return kept, unreadable, nil
}

func parseDisks(vm mo.VirtualMachine, diskUse bool) (total int64, disks []VMDisk) {
	if vm.Config == nil {
		return 0, nil
	}
	replicated := replicatedKeys(vm.Config.RepConfig)
	for _, device := range vm.Config.Hardware.Device {
		disk, ok := device.(*types.VirtualDisk)
		if !ok {
			continue
		}
		capacity := diskCapacity(disk)
		total += capacity
		if !diskUse {
			continue
		}
		d := VMDisk{Key: disk.Key, CapacityBytes: capacity}
		if disk.DeviceInfo != nil {
			d.Label = disk.DeviceInfo.GetDescription().Label
		}
		d.UsedBytes, d.UsedKnown = diskBytes(vm.LayoutEx, disk.Key, make(map[int32]bool))
		d.UsedBytes = min(d.UsedBytes, capacity)
		d.Excluded = replicated != nil && !slices.Contains(replicated, disk.Key)
		disks = append(disks, d)
	}
	return total, disks
}

// diskCapacity returns the capacity in bytes. Old hosts report it only in KiB.
func diskCapacity(disk *types.VirtualDisk) int64 {
	if disk.CapacityInBytes > 0 {
		return disk.CapacityInBytes
	}
	return disk.CapacityInKB << 10
}

// replicatedKeys returns nil if the VM is not replicated or its settings list no disks.
func replicatedKeys(config *types.ReplicationConfigSpec) []int32 {
	if config == nil {
		return nil
	}
	var keys []int32
	for _, d := range config.Disk {
		keys = append(keys, d.Key)
	}
	return keys
}

// minDataSize is the size in bytes above which a descriptor file is assumed to contain the disk's data. A descriptor
// that only refers to a data file is smaller than 1 KB.
const minDataSize = 1 << 20

// withUsedBytes sets UsedBytes to the size of the VM's disk files, or to the committed storage if vCenter does not
// report the files.
func (vm VirtualMachine) withUsedBytes(layout *types.VirtualMachineFileLayoutEx) VirtualMachine {
	vm.UsedBytes, vm.UsedIsCommitted = vm.committed, true
	if layout == nil || len(layout.Disk) == 0 {
		return vm
	}
	counted := make(map[int32]bool)
	total := int64(0)
	for _, disk := range layout.Disk {
		bytes, known := diskBytes(layout, disk.Key, counted)
		if !known {
			return vm
		}
		total += bytes
	}
	vm.UsedBytes, vm.UsedIsCommitted = total, false
	return vm
}

// diskBytes sums the file sizes of a disk and its snapshots, skipping files that were already counted. On vSAN and
// vVols, the descriptor represents the object that contains the data. The size is unknown if the layout lacks the disk,
// if one of its files is missing or inaccessible, or if there are only descriptors that refer to other files.
func diskBytes(layout *types.VirtualMachineFileLayoutEx, key int32, counted map[int32]bool) (bytes int64, known bool) {
	if layout == nil {
		return 0, false
	}
	i := slices.IndexFunc(layout.Disk, func(d types.VirtualMachineFileLayoutExDiskLayout) bool { return d.Key == key })
	if i < 0 {
		return 0, false
	}
	for _, unit := range layout.Disk[i].Chain {
		for _, fileKey := range unit.FileKey {
			f := slices.IndexFunc(
				layout.File,
				func(f types.VirtualMachineFileLayoutExFileInfo) bool { return f.Key == fileKey },
			)
			if f < 0 || layout.File[f].Accessible != nil && !*layout.File[f].Accessible {
				return 0, false
			}
			file := layout.File[f]
			known = known || file.Type != string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor) ||
				file.BackingObjectId != "" || file.Size > minDataSize
			if !counted[fileKey] {
				counted[fileKey] = true
				bytes += file.Size
			}
		}
	}
	if !known {
		return 0, false
	}
	return bytes, true
}

// layoutProperties take a few kilobytes per VM, because even a VM with one disk has 17 files, including logs.
var layoutProperties = []string{"layoutEx.disk", "layoutEx.file"}
