// VMs of an earlier file.

package inventoryfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// AlignKeys gives each VM the key that it has in a later file, so that both can be compared. VMs are matched by ID, or
// else by instance or BIOS UUID, or else by name and cluster.
func (i *Inventory) AlignKeys(later *Inventory) {
	finders := []func(vm *VM) string{
		func(vm *VM) string { return vm.ID },
		func(vm *VM) string { return vm.InstanceUUID },
		func(vm *VM) string { return vm.UUID },
		func(vm *VM) string { return vm.Name + "\n" + vm.Cluster },
	}
	keys, taken := map[*VM]string{}, map[string]bool{}
	for _, of := range finders {
		candidates := map[string][]*VM{}
		for vm := range later.All() {
			if value := of(vm); value != "" && !taken[vm.Key] {
				candidates[value] = append(candidates[value], vm)
			}
		}
		for vm := range i.All() {
			if keys[vm] != "" || of(vm) == "" {
				continue
			}
			at := slices.IndexFunc(candidates[of(vm)], func(other *VM) bool { return !taken[other.Key] && isSame(vm, other) })
			if at >= 0 {
				keys[vm] = candidates[of(vm)][at].Key
				taken[keys[vm]] = true
			}
		}
	}
	ids := map[int]string{}
	for vm := range i.All() {
		key := cmp.Or(keys[vm], vm.Key)
		for n := 2; keys[vm] == "" && taken[key]; n++ {
			key = fmt.Sprintf("%s#%d", vm.Key, n)
		}
		taken[key] = true
		vm.Key, ids[vm.Row] = key, key
	}
	for n := range i.Skipped {
		if key, ok := ids[i.Skipped[n].Row]; ok {
			i.Skipped[n].ID = key
		}
	}
	for _, vms := range [][]VM{i.VMs, i.Inaccessible} {
		slices.SortFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
	}
}

// isSame reports whether nothing tells two VMs apart: no UUID and, if one has no ID, no datacenter.
func isSame(a, b *VM) bool {
	return !differ(a.InstanceUUID, b.InstanceUUID) && !differ(a.UUID, b.UUID) && !differ(a.Datacenter, b.Datacenter)
}
