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
	keys, taken := map[*VM]string{}, map[string]bool{}
	for _, of := range []func(vm *VM) string{
		func(vm *VM) string { return vm.ID },
		func(vm *VM) string { return vm.InstanceUUID },
		func(vm *VM) string { return vm.UUID },
		func(vm *VM) string { return vm.Name + "\n" + vm.Cluster },
	} {
		i.match(later, of, keys, taken)
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

// match adds the keys of the VMs with the same value in both files.
func (i *Inventory) match(later *Inventory, of func(vm *VM) string, keys map[*VM]string, taken map[string]bool) {
	candidates := map[string][]*VM{}
	for vm := range later.All() {
		if value := of(vm); value != "" && !taken[vm.Key] {
			candidates[value] = append(candidates[value], vm)
		}
	}
	for vm := range i.All() {
		if keys[vm] != "" {
			continue
		}
		same := candidates[of(vm)]
		at := slices.IndexFunc(same, func(other *VM) bool { return !taken[other.Key] && isSame(vm, other) })
		if at >= 0 {
			keys[vm] = same[at].Key
			taken[keys[vm]] = true
		}
	}
}

// isSame reports whether nothing tells two VMs apart: neither a UUID nor the datacenter.
func isSame(a, b *VM) bool {
	return !differ(a.InstanceUUID, b.InstanceUUID) && !differ(a.UUID, b.UUID) && !differ(a.Datacenter, b.Datacenter)
}
