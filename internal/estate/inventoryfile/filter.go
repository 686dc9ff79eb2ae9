// Filters of VMs.

package inventoryfile

import (
	"maps"
	"slices"
	"strings"
)

type filter struct {
	name, wanted, value string
	matches             bool
}

func (o *Options) filters(vm *VM) [4]filter {
	return [...]filter{
		{"power state", o.PowerState, vm.PowerState, o.PowerState == vm.PowerState},
		{"cluster", o.Cluster, vm.Cluster, o.Cluster == vm.Cluster},
		{"datacenter", o.Datacenter, vm.Datacenter, o.Datacenter == vm.Datacenter},
		{"folder", o.Folder, vm.Folder, IsBelow(vm.Folder, o.Folder)},
	}
}

// match reports whether a VM passes all filters. For each filter that no VM has passed yet, it records the VM's value.
func (b *builder) match(vm *VM) bool {
	all := b.options.Name == nil || b.options.Name.MatchString(vm.Name)
	for i, f := range b.options.filters(vm) {
		switch {
		case f.wanted == "":
		case f.matches:
			b.matched[i] = true
		default:
			all = false
			if f.value != "" && !b.matched[i] {
				if b.filterValues[i] == nil {
					b.filterValues[i] = map[string]struct{}{}
				}
				b.filterValues[i][f.value] = struct{}{}
			}
		}
	}
	return all
}

func (b *builder) unmatched() error {
	for i, f := range b.options.filters(&VM{}) {
		if f.wanted != "" && !b.matched[i] {
			names := slices.AppendSeq([]string{}, maps.Keys(b.filterValues[i]))
			return &FilterError{What: f.name, Name: f.wanted, Names: names}
		}
	}
	return nil
}

// IsBelow reports whether folder equals other or is below it.
func IsBelow(folder, other string) bool {
	folder, other = strings.Trim(folder, "/"), strings.Trim(other, "/")
	return folder == other || strings.HasPrefix(folder, other+"/")
}
