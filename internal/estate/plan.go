package estate

import (
	"maps"

	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// readPlan reads the SLA plan.
func (t *Tiers) readPlan() (err error) {
	arguments := selectKeys(t.schedule, planKeys())
	maps.Copy(arguments, selectKeys(t.document.values, planKeys()))
	links, _ := t.document.values[keyLinks].(map[string]any)
	links = maps.Clone(links)
	for name, of := range links {
		if one, ok := of.(map[string]any); ok {
			links[name] = extractRanges(maps.Clone(one))
		}
	}
	if links == nil {
		links = map[string]any{promise.DefaultLinkName: t.singleLink()}
	}
	tiers := make(map[string]any, len(t.tiers))
	for _, one := range t.tiers {
		inputs := selectKeys(t.schedule, tierScheduleKeys)
		maps.Copy(inputs, one.inputs)
		inputs = extractRanges(inputs)
		inputs[keyVMs] = map[string]any{}
		tiers[one.name] = inputs
	}
	arguments[keyLinks], arguments[keyTiers] = links, tiers
	t.plan, err = promise.Definition.Given(arguments)
	return t.LocateError(err)
}

// planFor returns the SLA plan for the assigned VMs. VMs that cannot be replicated are in no promise. If the size of a
// VM is unknown, the result of its tier is also unknown. Errors are *TiersError.
func (t *Tiers) planFor(all assignment) (promise.Plan, error) {
	p := t.plan
	p.Tiers = maps.Clone(p.Tiers)
	for i, one := range t.tiers {
		of := p.Tiers[one.name]
		of.VirtualMachines = replicated(all.tiers[i])
		p.Tiers[one.name] = of
	}
	return p, t.LocateError(p.Check())
}

// replicated returns the VMs that can be replicated, by name.
func replicated(members []assignedVM) map[string]promise.VM {
	vms := make(map[string]promise.VM, len(members))
	for _, m := range members {
		if len(m.vm.Blockers) > 0 {
			continue
		}
		vm := promise.VM{DailyChangePercent: m.changePercent}
		if m.isKnown() {
			vm.SizeGiB = new(quantity.Size(*m.bytes).GiB())
		}
		vms[m.name] = vm
	}
	return vms
}
