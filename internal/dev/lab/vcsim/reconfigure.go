package vcsim

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Reconfigure changes a VM's configuration outside of Terraform.
func (v *VCenter) Reconfigure(id string, change func(*types.VirtualMachineConfigInfo)) error {
	return v.edit(id, func(vm *simulator.VirtualMachine) {
		if vm.Config == nil {
			return
		}
		config := *vm.Config
		config.ExtraConfig = slices.Clone(config.ExtraConfig)
		change(&config)
		vm.Config = &config
		vm.Summary.Config.ManagedBy = config.ManagedBy
	})
}
