package difference

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

// compareVMs returns the changes to the VMs of a promise.
func compareVMs(before, after *object) []Change {
	was, promised := assess.As[*assess.Promise](before.Assessment)
	is, still := assess.As[*assess.Promise](after.Assessment)
	if !promised || !still {
		return nil
	}
	var changes []Change
	vms := func(p *assess.Promise) []string {
		return slices.SortedFunc(maps.Keys(p.Tier.VirtualMachines), wording.Natural)
	}
	if detail := describeElements(subtract(vms(is), vms(was)), subtract(vms(was), vms(is))); detail != "" {
		changes = append(changes, Change{Name: "virtual_machines", Label: "VMs", Input: true, Detail: detail})
	}
	changed := 0
	for _, name := range vms(is) {
		vm, common := was.Tier.VirtualMachines[name]
		if !common || reflect.DeepEqual(vm, is.Tier.VirtualMachines[name]) {
			continue
		}
		if changed++; changed > maxMembers {
			continue
		}
		former := assess.Member{Key: name, Facts: before.VMInputs(name)}
		latter := assess.Member{Key: name, Facts: after.VMInputs(name)}
		changes = append(changes, compareMember("virtual_machines", former, latter)...)
	}
	if more := changed - maxMembers; more > 0 {
		changes = append(changes, Change{
			Name:   "virtual_machines",
			Label:  "VMs",
			Input:  true,
			Detail: wording.Count(more, "other") + " changed",
		})
	}
	return changes
}

// lostVMs returns the changes for VMs that a promise no longer contains: the weaker values of their new tier, or that
// they are no longer checked. It ignores VMs that are in a tier with the same or a stronger promise.
func (p pair) lostVMs() []Change {
	if !p.before.HasVerdict() || p.isDeferred() {
		return nil
	}
	var changes []Change
	before := p.before.tiers()
	after := p.after.tiers()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name].isUnnamed(len(before[name].vms)) {
			continue
		}
		for _, c := range p.roster.lostFrom(before[name], after[name], name == "") {
			if p.before.Kind != assess.KindPromise && name != "" {
				c = c.inMember("tiers", assess.Member{Key: name})
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// isDeferred reports whether a promise before or after the change is not known yet.
func (p pair) isDeferred() bool {
	return p.before.Deferred != "" || p.after != nil && p.after.Deferred != ""
}

// lostFrom returns the changes for the VMs that a tier no longer contains.
func (r *roster) lostFrom(was, is tier, moves bool) []Change {
	lost := make(map[Change][]string)
	for vm := range was.vms {
		for _, c := range r.lost(vm, was, is, moves) {
			lost[c] = append(lost[c], vm)
		}
	}
	return namedChanges(lost)
}

// namedChanges adds the names of the affected VMs to the labels of changes.
func namedChanges(lost map[Change][]string) []Change {
	changes := slices.SortedFunc(maps.Keys(lost), func(a, b Change) int {
		return cmp.Or(cmp.Compare(position(a.Name), position(b.Name)), strings.Compare(a.Name+a.After, b.Name+b.After))
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
