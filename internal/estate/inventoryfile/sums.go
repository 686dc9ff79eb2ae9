// Sums of the VMs' sizes.

package inventoryfile

import "math"

// computeTotals computes the sums in whole bytes, so that they do not depend on the order of the rows.
func (i *Inventory) computeTotals() error {
	for _, size := range []struct {
		sum **int64
		of  func(vm *VM) *int64
		// partial is true for a sum of the known sizes. Other sums are known only if all sizes are.
		partial bool
	}{
		{sum: &i.MemoryBytes, of: func(vm *VM) *int64 { return vm.MemoryBytes }},
		{sum: &i.ProvisionedBytes, of: func(vm *VM) *int64 { return vm.ProvisionedBytes }},
		{sum: &i.UsedBytes, of: func(vm *VM) *int64 { return vm.UsedBytes }, partial: true},
		{sum: &i.DiskBytes, of: func(vm *VM) *int64 { return vm.DiskBytes }},
		{sum: &i.GuestUsedBytes, of: func(vm *VM) *int64 { return vm.GuestUsedBytes }},
	} {
		total, known, err := sumOf(i.VMs, size.of)
		if err != nil {
			return err
		}
		if known == len(i.VMs) || size.partial && known > 0 {
			*size.sum = &total
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
