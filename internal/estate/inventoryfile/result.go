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
	for sum, of := range map[**int64]func(vm *VM) *int64{
		&i.MemoryBytes:      func(vm *VM) *int64 { return vm.MemoryBytes },
		&i.ProvisionedBytes: func(vm *VM) *int64 { return vm.ProvisionedBytes },
		&i.UsedBytes:        func(vm *VM) *int64 { return vm.UsedBytes },
		&i.DiskBytes:        func(vm *VM) *int64 { return vm.DiskBytes },
		&i.GuestUsedBytes:   func(vm *VM) *int64 { return vm.GuestUsedBytes },
	} {
		total, known, err := sumOf(i.VMs, of)
		if err != nil {
			return err
		}
		if known == len(i.VMs) || known > 0 && sum == &i.UsedBytes {
			*sum = &total
		}
	}
	return nil
}

// MeanUsedBytes returns the mean of the known used sizes, or nil if none is known.
func (i *Inventory) MeanUsedBytes() *int64 {
	if len(i.VMs) == 0 {
		return i.UsedBytes
	}
	known := 0
	for _, vm := range i.VMs {
		if vm.UsedBytes != nil {
			known++
		}
	}
	if known == 0 {
		return nil
	}
	return new(*i.UsedBytes / int64(known))
}

// sumOf returns the sum of the known values and their number.
func sumOf(vms []VM, of func(vm *VM) *int64) (sum int64, known int, err error) {
	for i := range vms {
		bytes := of(&vms[i])
		if bytes == nil {
			continue
		}
		if sum > math.MaxInt64-*bytes {
			return 0, 0, fileError("the sizes in the file add up to more than 8 EiB")
		}
		sum += *bytes
		known++
	}
	return sum, known, nil
}
