package vcsim

import (
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

const firstDisk = 2000

func layout(truth VM) *types.VirtualMachineFileLayoutEx {
	l := &types.VirtualMachineFileLayoutEx{}
	for i, bytes := range truth.DiskUse {
		descriptor := int32(2 * i)
		name := fmt.Sprintf("[LocalDS_0] %s/disk%d", truth.Name, i+1)
		l.File = append(l.File,
			types.VirtualMachineFileLayoutExFileInfo{
				Key:  descriptor,
				Name: name + ".vmdk",
				Type: string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor),
			},
			types.VirtualMachineFileLayoutExFileInfo{
				Key:  descriptor + 1,
				Name: name + "-flat.vmdk",
				Size: bytes,
				Type: string(types.VirtualMachineFileLayoutExFileTypeDiskExtent),
			})
		l.Disk = append(l.Disk, types.VirtualMachineFileLayoutExDiskLayout{
			Key:   int32(firstDisk + i),
			Chain: []types.VirtualMachineFileLayoutExDiskUnit{{FileKey: []int32{descriptor, descriptor + 1}}},
		})
	}
	if swap := truth.swap(); swap > 0 {
		l.File = append(l.File, types.VirtualMachineFileLayoutExFileInfo{
			Key:  int32(2 * len(truth.DiskUse)), //nolint:gosec // a VM has few disks
			Name: fmt.Sprintf("[LocalDS_0] %s/%s.vswp", truth.Name, truth.Name),
			Type: string(types.VirtualMachineFileLayoutExFileTypeSwap),
			Size: swap,
		})
	}
	return l
}

// SetLayout replaces the disk files of a VM outside of Terraform. nil removes the list, as in releases that do not
// report disk files.
func (v *VCenter) SetLayout(id string, l *types.VirtualMachineFileLayoutEx) error {
	return v.edit(id, func(vm *simulator.VirtualMachine) { vm.LayoutEx = l })
}

// ReplicationID returns the ID of a VM's replication, as used in the VM's configuration.
func ReplicationID(vmID string) string { return "GID-" + vmID }

// CloneSettings copies a VM's extra configuration to another VM, as cloning the VM would. The copy includes replication
// settings.
func (v *VCenter) CloneSettings(from, to string) error {
	var settings []types.BaseOptionValue
	if err := v.edit(from, func(vm *simulator.VirtualMachine) { settings = vm.Config.ExtraConfig }); err != nil {
		return err
	}
	return v.Reconfigure(to, func(config *types.VirtualMachineConfigInfo) { config.ExtraConfig = settings })
}

// SetReplicated sets which disks of a VM are replicated, as its host would. keys are the device keys of the disks. If
// there are none, the replication ends. Unknown VMs are ignored.
func (v *VCenter) SetReplicated(id string, rpoMinutes int64, keys ...int32) {
	_ = v.Reconfigure(id, func(config *types.VirtualMachineConfigInfo) {
		config.RepConfig = nil
		if len(keys) > 0 {
			config.RepConfig = &types.ReplicationConfigSpec{
				VmReplicationId: ReplicationID(id),
				Destination:     "192.0.2.1",
				Port:            31031,
				Rpo:             rpoMinutes,
			}
			for _, key := range keys {
				config.RepConfig.Disk = append(config.RepConfig.Disk, types.ReplicationInfoDiskSettings{
					Key:               key,
					DiskReplicationId: fmt.Sprintf("RDID-%s-%d", id, key),
				})
			}
		}
	})
}

const sparseSwap = 36 * mib

// StoreOnVSAN converts every datastore to vSAN with the given number of copies. As in vCenter 8.0.3, each disk is a
// single descriptor file that has the size of the disk object without copies. The swap file is as large as the memory
// but uses little space. Committed storage includes all copies.
func (v *VCenter) StoreOnVSAN(copies int64) {
	ctx := v.reader()
	for _, ds := range all[*simulator.Datastore](ctx, "Datastore") {
		ctx.WithLock(ds, func() { ds.Summary.Type = "vsan" })
	}
	for _, vm := range vmsOf(ctx) {
		ctx.WithLock(vm, func() {
			files := types.VirtualMachineFileLayoutEx{}
			storage := *vm.Summary.Storage
			storage.Committed = 0
			for _, file := range vm.LayoutEx.File {
				kind := types.VirtualMachineFileLayoutExFileType(file.Type)
				switch kind { //nolint:exhaustive // the others are unchanged
				case types.VirtualMachineFileLayoutExFileTypeDiskExtent:
					file.Key--
					file.Type = string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor)
					file.BackingObjectId = fmt.Sprintf("52%030x", file.Key)
					file.UniqueSize = file.Size
					storage.Committed += copies * file.Size
				case types.VirtualMachineFileLayoutExFileTypeSwap:
					file.UniqueSize = sparseSwap
					storage.Committed += sparseSwap
				case types.VirtualMachineFileLayoutExFileTypeDiskDescriptor:
					continue
				}
				files.File = append(files.File, file)
			}
			for _, disk := range vm.LayoutEx.Disk {
				disk.Chain = []types.VirtualMachineFileLayoutExDiskUnit{{FileKey: disk.Chain[0].FileKey[:1]}}
				files.Disk = append(files.Disk, disk)
			}
			vm.LayoutEx = &files
			vm.Summary.Storage = &storage
		})
	}
}
