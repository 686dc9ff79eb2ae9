package estate

import (
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// assign assigns the VMs to the tiers.
func (t *Tiers) assign(found inventoryfile.Inventory) (assignment, error) {
	all := assignment{tiers: make([][]assignedVM, len(t.tiers))}
	names := make(map[string]int, len(found.VMs))
	for vm := range found.All() {
		names[vm.Name]++
	}
	for vm := range found.All() {
		name := vm.Name
		if names[name] > 1 {
			for names[name] > 0 {
				name += " (" + vm.Key + ")"
			}
			names[name]++
		}
		matches := func(m match) bool { return m.matches(vm, found.KeptColumns) }
		if slices.ContainsFunc(t.exclude, matches) {
			all.excluded++
			continue
		}
		at := slices.IndexFunc(t.tiers, func(one tier) bool { return matches(one.match) })
		if at < 0 {
			all.unassigned = append(all.unassigned, vm.Name)
			continue
		}
		m := assignedVM{vm: vm, name: name}
		m.size, m.bytes = sizeOf(vm, t.tiers[at].sizes)
		all.tiers[at] = append(all.tiers[at], m)
	}
	for i := range t.tiers {
		if err := t.readChanges(i, all.tiers[i], found); err != nil {
			return all, err
		}
	}
	return all, nil
}
