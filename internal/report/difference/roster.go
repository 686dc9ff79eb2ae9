package difference

import (
	"slices"

	"terraform-provider-vsla/internal/assess/document"
)

// roster finds the VMs of the earlier document in the later one. gains contains the tiers to which VMs are added.
// before and after are the VMs of the inventory files, if both documents are inventory files.
type roster struct {
	before, after *inventory
	gains         map[member][]tier
}

// member is a VM of a plan or, if moves is set, of a migration plan.
type member struct {
	vm    string
	moves bool
}

func newRoster(before, after *document.Document, pairs []pair) *roster {
	r := &roster{gains: make(map[member][]tier)}
	if before.Source().Kind == document.Inventory && after.Source().Kind == document.Inventory {
		r.before = newInventory(before)
		r.after = newInventory(after)
	}
	for _, p := range pairs {
		r.addGains(p)
	}
	return r
}

// addGains adds the tiers of a result to which VMs are added.
func (r *roster) addGains(p pair) {
	was := p.before.tiers()
	for name, is := range p.after.tiers() {
		for vm := range is.vms {
			if was[name].vms[vm] {
				continue
			}
			key := member{vm: vm, moves: name == ""}
			r.gains[key] = append(r.gains[key], is)
		}
	}
}

// later returns the names that the later document can use for a VM. It returns nothing if the VM is no longer in the
// inventory file.
func (r *roster) later(vm string) []string {
	if r.after == nil {
		return []string{vm}
	}
	id, exists := r.after.ids[vm]
	if id == "" {
		id = r.before.ids[vm]
	}
	if name, ok := r.after.names[id]; ok && id != "" {
		return []string{vm, name, qualified(name, id)}
	}
	if exists {
		return []string{vm}
	}
	return nil
}

// lost returns the changes for a VM of a tier. It returns nothing if the VM is still in the tier or no longer exists.
func (r *roster) lost(vm string, was, is tier, moves bool) []Change {
	names := r.later(vm)
	if len(names) == 0 || slices.ContainsFunc(names, func(now string) bool { return is.vms[now] }) {
		return nil
	}
	return r.weakest(was, names, moves)
}

// weakest returns what the new tier of a VM that promises most promises less than its former tier, or that the VM is no
// longer checked if it has no new tier.
func (r *roster) weakest(was tier, names []string, moves bool) []Change {
	var least []Change
	isChecked := false
	for _, name := range names {
		for _, is := range r.gains[member{vm: name, moves: moves}] {
			changes := weakenedFacts(was.inputs, is.inputs)
			if len(changes) == 0 {
				return nil
			}
			if !isChecked {
				least = changes
			}
			isChecked = true
		}
	}
	if !isChecked {
		return []Change{{Name: "virtual_machines", Input: true, After: "no longer checked"}}
	}
	return least
}
