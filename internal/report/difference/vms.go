package difference

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// tier is a set of VMs with the same promise: a tier of a plan, or the VMs of a migration plan.
type tier struct {
	inputs []assess.Fact
	vms    map[string]bool
}

// tiers returns the sets of VMs of a result by the name of the tier. The VMs of a migration plan have the name "".
func (t *object) tiers() map[string]tier {
	all := make(map[string]tier)
	if t == nil {
		return all
	}
	inputs := t.inputs()
	add := func(name string, facts []assess.Fact) {
		if f := findFact(facts, "virtual_machines"); f != nil && f.Input {
			scalars := slices.DeleteFunc(slices.Clone(facts), func(f assess.Fact) bool { return f.Members != nil })
			all[name] = tier{scalars, setOf(elements(f))}
		}
	}
	add("", inputs)
	if f := findFact(inputs, "tiers"); f != nil {
		for _, m := range f.Members {
			add(m.Key, m.Facts)
		}
	}
	if p, ok := assess.As[*assess.Promise](t.Assessment); ok {
		all[t.Key] = tier{inputs, setOf(slices.Collect(maps.Keys(p.Tier.VirtualMachines)))}
	}
	return all
}

// count returns vm_count, or -1 if it is not set.
func (t tier) count() float64 {
	if n := findFact(t.inputs, "vm_count"); n != nil && n.Input && n.Value != nil {
		count, _ := n.Value.(float64)
		return count
	}
	return -1
}

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

// inventory maps the names in an inventory file to IDs, and IDs to names. The ID of an ambiguous name is empty.
type inventory struct{ ids, names map[string]string }

func newRoster(before, after *document.Document, pairs []pair) *roster {
	r := &roster{gains: make(map[member][]tier)}
	if before.Source().Kind == document.Inventory && after.Source().Kind == document.Inventory {
		r.before, r.after = newInventory(before), newInventory(after)
	}
	for _, p := range pairs {
		was := p.before.tiers()
		for name, is := range p.after.tiers() {
			for vm := range is.vms {
				if !was[name].vms[vm] {
					key := member{vm, name == ""}
					r.gains[key] = append(r.gains[key], is)
				}
			}
		}
	}
	return r
}

func newInventory(d *document.Document) *inventory {
	v := &inventory{make(map[string]string), make(map[string]string)}
	add := func(row any, id string) {
		values, _ := row.(map[string]any)
		name, _ := values["name"].(string)
		if other, known := v.ids[name]; known && other != id {
			v.ids[name+" ("+other+")"], v.ids[name] = other, ""
		} else {
			v.ids[name] = id
		}
		v.ids[name+" ("+id+")"], v.names[id] = id, name
	}
	for _, a := range d.Results() {
		if a.Type != "vsla_inventory_file" {
			continue
		}
		vms, _ := a.Values["virtual_machines"].(map[string]any)
		for id, vm := range vms {
			add(vm, id)
		}
		skipped, _ := a.Values["skipped"].([]any)
		for _, row := range skipped {
			values, _ := row.(map[string]any)
			if values["reason"] == inventoryfile.SkippedNoSize {
				continue // the VM is in virtual_machines
			}
			id, _ := values["id"].(string)
			add(row, id)
		}
	}
	return v
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
		return []string{vm, name, name + " (" + id + ")"}
	}
	if exists {
		return []string{vm}
	}
	return nil
}

// lostVMs returns the changes for VMs that a promise no longer contains: the weaker values of their new tier, or that
// they are no longer checked. It ignores VMs that are in a tier with the same or a stronger promise.
func (p pair) lostVMs() []Change {
	if !p.before.HasVerdict() || p.before.Deferred != "" ||
		p.after != nil && p.after.Deferred != "" {
		return nil // there is no promise, or it is not known
	}
	var changes []Change
	before, after := p.before.tiers(), p.after.tiers()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, lost := before[name], make(map[Change][]string)
		if after[name].count() >= float64(len(was.vms)) {
			continue // the VMs no longer have names
		}
		for vm := range was.vms {
			for _, c := range p.roster.lost(vm, was, after[name], name == "") {
				lost[c] = append(lost[c], vm)
			}
		}
		for _, c := range namedChanges(lost) {
			if p.before.Kind != assess.KindPromise && name != "" {
				c = c.inMember("tiers", assess.Member{Key: name})
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// namedChanges adds the names of the affected VMs to the labels of changes.
func namedChanges(lost map[Change][]string) []Change {
	changes := slices.SortedFunc(maps.Keys(lost), func(a, b Change) int {
		return strings.Compare(a.Name+a.After, b.Name+b.After)
	})
	for i, c := range changes {
		vms := listSorted(lost[c])
		if c.Label == "" {
			changes[i].Label, changes[i].Before = "VMs", vms
		} else {
			changes[i].Label += " of " + vms
		}
	}
	return changes
}

// lost returns the changes for a VM of a tier. It returns nothing if the VM is still in the tier or no longer exists.
func (r *roster) lost(vm string, was, is tier, moves bool) []Change {
	names := r.later(vm)
	if len(names) == 0 || slices.ContainsFunc(names, func(now string) bool { return is.vms[now] }) {
		return nil
	}
	return r.weakest(was, names, moves)
}

// weakest returns what the best of the new tiers of a VM promises less than its former tier.
func (r *roster) weakest(was tier, names []string, moves bool) []Change {
	least := []Change{{Name: "virtual_machines", Input: true, After: "no longer checked"}}
	for _, name := range names {
		for _, is := range r.gains[member{name, moves}] {
			if changes := weakenedFacts(was.inputs, is.inputs); len(changes) == 0 || least[0].Label == "" {
				least = changes
			}
			if len(least) == 0 {
				return nil
			}
		}
	}
	return least
}
