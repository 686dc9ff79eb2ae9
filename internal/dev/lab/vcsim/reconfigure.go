// What others write into a VM's configuration.

package vcsim

import (
	"fmt"
	"slices"

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
