package difference

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/assess"
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
	if one, ok := newTier(inputs); ok {
		all[""] = one
	}
	if f := findFact(inputs, "tiers"); f != nil {
		for _, m := range f.Members {
			if one, ok := newTier(m.Facts); ok {
				all[m.Key] = one
			}
		}
	}
	if p, ok := assess.As[*assess.Promise](t.Assessment); ok {
		all[t.Key] = tier{
			inputs: inputs,
			vms:    setOf(slices.Collect(maps.Keys(p.Tier.VirtualMachines))),
		}
	}
	return all
}

// newTier returns the set of VMs among the inputs. ok is false if they contain none.
func newTier(inputs []assess.Fact) (one tier, ok bool) {
	vms := findFact(inputs, "virtual_machines")
	if vms == nil || !vms.Input {
		return tier{}, false
	}
	one.vms = setOf(elements(vms))
	one.inputs = slices.DeleteFunc(slices.Clone(inputs), func(f assess.Fact) bool { return f.Members != nil })
	return one, true
}

// isUnnamed reports whether the tier has a number of VMs, at least the given one, in place of their names.
func (t tier) isUnnamed(least int) bool {
	n := findFact(t.inputs, "vm_count")
	if n == nil || !n.Input {
		return false
	}
	count, ok := n.Value.(float64)
	return ok && count >= float64(least)
}
