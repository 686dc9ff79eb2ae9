// Keys and totals of the VMs.

package inventoryfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// assignKeys sorts the VMs and makes their keys unique: the second "web" becomes "web#2".
func assignKeys(vms []VM) {
	for i := range vms {
		vms[i].Key = vms[i].ID
		if vms[i].Key == "" {
			vms[i].Key = vms[i].Name
		}
	}
	slices.SortStableFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
	repeats := false
	for i := 1; i < len(vms); i++ {
		repeats = repeats || vms[i].Key == vms[i-1].Key
	}
	if !repeats {
		return
	}
	taken := make(map[string]bool, len(vms))
	for i := range vms {
		taken[vms[i].Key] = true
	}
	count := map[string]int{}
	for i := range vms {
		key := vms[i].Key
		if count[key]++; count[key] == 1 {
			continue
		}
		for taken[fmt.Sprintf("%s#%d", key, count[key])] {
			count[key]++
		}
		vms[i].Key = fmt.Sprintf("%s#%d", key, count[key])
		taken[vms[i].Key] = true
	}
	slices.SortFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
}

// computeTotals computes the sums in whole bytes, so that they do not depend on the order of the rows.
func (i *Inventory) computeTotals() error {
	used, err := sumOf(i.VMs, func(vm *VM) *int64 { return &vm.UsedBytes })
	if err != nil {
		return err
	}
	i.UsedBytes = *used
	for sum, of := range map[**int64]func(vm *VM) *int64{
		&i.MemoryBytes:      func(vm *VM) *int64 { return vm.MemoryBytes },
		&i.ProvisionedBytes: func(vm *VM) *int64 { return vm.ProvisionedBytes },
		&i.DiskBytes:        func(vm *VM) *int64 { return vm.DiskBytes },
		&i.GuestUsedBytes:   func(vm *VM) *int64 { return vm.GuestUsedBytes },
	} {
		if *sum, err = sumOf(i.VMs, of); err != nil {
			return err
		}
	}
	return nil
}

// sumOf returns the sum of a value over all VMs, or nil if the value is unknown for any VM.
func sumOf(vms []VM, of func(vm *VM) *int64) (*int64, error) {
	var sum int64
	for i := range vms {
		bytes := of(&vms[i])
		if bytes == nil {
			return nil, nil //nolint:nilnil // unknown sum
		}
		if sum > math.MaxInt64-*bytes {
			return nil, fileError("the sizes in the file add up to more than 8 EiB")
		}
		sum += *bytes
	}
	return &sum, nil
}
