// What the file as a whole has: filters, keys and sums.

package inventoryfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

type filter struct {
	name, wanted, has string
	matches           bool
}

func (o *Options) filters(vm *VM) [4]filter {
	return [...]filter{
		{"power state", o.PowerState, vm.PowerState, o.PowerState == vm.PowerState},
		{"cluster", o.Cluster, vm.Cluster, o.Cluster == vm.Cluster},
		{"datacenter", o.Datacenter, vm.Datacenter, o.Datacenter == vm.Datacenter},
		{"folder", o.Folder, vm.Folder, Below(vm.Folder, o.Folder)},
	}
}

// match applies the filters, and keeps what VMs have where a filter has not matched yet.
func (b *builder) match(vm *VM) bool {
	all := b.options.Name == nil || b.options.Name.MatchString(vm.Name)
	for i, f := range b.options.filters(vm) {
		switch {
		case f.wanted == "":
		case f.matches:
			b.matched[i] = true
		default:
			all = false
			if f.has != "" && !b.matched[i] {
				if b.existing[i] == nil {
					b.existing[i] = map[string]struct{}{}
				}
				b.existing[i][f.has] = struct{}{}
			}
		}
	}
	return all
}

// unmatched returns an error about the first filter that matches no VM of the file; nil without one.
func (b *builder) unmatched() error {
	for i, f := range b.options.filters(&VM{}) {
		if f.wanted != "" && !b.matched[i] {
			names := slices.AppendSeq([]string{}, maps.Keys(b.existing[i]))
			return &FilterError{What: f.name, Name: f.wanted, Names: names}
		}
	}
	return nil
}

// Below reports whether a folder is another one or in it.
func Below(folder, other string) bool {
	folder, other = strings.Trim(folder, "/"), strings.Trim(other, "/")
	return folder == other || strings.HasPrefix(folder, other+"/")
}

// name sorts VMs and makes their keys unique: the second "web" is "web#2".
func name(vms []VM) {
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

// total adds up in bytes, so that sums do not depend on the order of the rows.
func (i *Inventory) total() error {
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

// sumOf adds up what every VM has; nil where one does not have it.
func sumOf(vms []VM, of func(vm *VM) *int64) (*int64, error) {
	var sum int64
	for i := range vms {
		bytes := of(&vms[i])
		if bytes == nil {
			return nil, nil //nolint:nilnil // the sum is not known
		}
		if sum > math.MaxInt64-*bytes {
			return nil, fileError("the sizes of the file add up to more than 8 EiB")
		}
		sum += *bytes
	}
	return &sum, nil
}
