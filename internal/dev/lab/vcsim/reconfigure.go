package vcsim

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Reconfigure changes the configuration of a VM outside Terraform.
func (v *VCenter) Reconfigure(id string, change func(*types.VirtualMachineConfigInfo)) error {
	ctx := v.reader()
	vm, ok := find(ctx, id)
	if !ok || vm.Config == nil {
		return fmt.Errorf("there is no VM %s with a configuration", id)
	}
	ctx.WithLock(vm, func() {
		config := *vm.Config
		config.ExtraConfig = slices.Clone(config.ExtraConfig)
		change(&config)
		vm.Config = &config
		vm.Summary.Config.ManagedBy = config.ManagedBy
	})
	return nil
}

// AddDisk adds a disk with the size of the last one to a VM, and returns its key.
func (v *VCenter) AddDisk(id string) (key int32, err error) {
	err = v.Reconfigure(id, func(config *types.VirtualMachineConfigInfo) {
		for _, device := range slices.Backward(config.Hardware.Device) {
			if disk, ok := device.(*types.VirtualDisk); ok {
				added := *disk
				key = disk.Key + 1
				added.Key, added.DeviceInfo = key, &types.Description{Label: fmt.Sprintf("Hard disk %d", key-firstDisk+1)}
				config.Hardware.Device = slices.Concat(config.Hardware.Device, []types.BaseVirtualDevice{&added})
				return
			}
		}
	})
	return key, err
}

// Rename sets the name of a VM as in SOAP: /, \ and % must be escaped.
func (v *VCenter) Rename(id, name string) {
	ctx := v.reader()
	if vm, ok := find(ctx, id); ok {
		ctx.WithLock(vm, func() { vm.Name = name })
	}
}

// RenameFolder is Rename of a folder of VMs.
func (v *VCenter) RenameFolder(from, to string) {
	ctx := v.reader()
	for _, e := range ctx.Map.All("Folder") {
		if folder, ok := e.(*simulator.Folder); ok && folder.Name == from {
			ctx.WithLock(folder, func() { folder.Name = to })
		}
	}
}
