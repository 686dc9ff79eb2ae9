package estate

import (
	"maps"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Plan returns the SLA plan for an inventory that was read with Columns. If the size of a VM is unknown, the result of
// its tier is also unknown. Errors in the file are *TiersError.
func (t *Tiers) Plan(found inventoryfile.Inventory) (promise.Plan, error) {
	all, err := t.assign(found)
	if err != nil {
		return promise.Plan{}, err
	}
	arguments, err := t.arguments(all)
	if err != nil {
		return promise.Plan{}, err
	}
	return t.decode(arguments)
}

func (t *Tiers) decode(arguments map[string]any) (promise.Plan, error) {
	p, err := promise.Definition.Decode(arguments)
	if err == nil {
		err = p.Check()
	}
	return p, t.LocateError(err)
}

// arguments returns the arguments of vsla_sla_plan. VMs that cannot be replicated are in no promise.
func (t *Tiers) arguments(all assignment) (map[string]any, error) {
	arguments := selectKeys(t.schedule, planKeys())
	maps.Copy(arguments, selectKeys(t.document.values, planKeys()))
	if arguments[keyLinks] == nil {
		arguments[keyLinks] = map[string]any{promise.DefaultLinkName: t.singleLink()}
	}
	if links, ok := arguments[keyLinks].(map[string]any); ok {
		links = maps.Clone(links)
		for name, of := range links {
			if one, ok := of.(map[string]any); ok {
				links[name] = extractRanges(maps.Clone(one))
			}
		}
		if err := t.reserveLinkShare(links); err != nil {
			return nil, err
		}
		arguments[keyLinks] = links
	}
	tiers := make(map[string]any, len(t.tiers))
	for i, one := range t.tiers {
		inputs := selectKeys(t.schedule, tierScheduleKeys)
		maps.Copy(inputs, one.inputs)
		inputs = extractRanges(inputs)
		inputs[keyVMs] = replicated(all.tiers[i])
		tiers[one.name] = inputs
	}
	arguments[keyTiers] = tiers
	return arguments, nil
}

// replicated returns the sizes and changes of the VMs that can be replicated, by name.
func replicated(members []assignedVM) map[string]any {
	vms := make(map[string]any, len(members))
	for _, m := range members {
		if len(m.vm.Blockers) > 0 {
			continue
		}
		vm := make(map[string]any)
		if m.isKnown() {
			vm["size_gib"] = quantity.Size(*m.bytes).GiB()
		}
		if m.changePercent != nil {
			vm[keyDaily] = *m.changePercent
		}
		vms[m.name] = vm
	}
	return vms
}

// singleLink returns the link defined by the short form: either a throughput or the network path that determines it.
func (t *Tiers) singleLink() map[string]any {
	one := selectKeys(t.schedule, inputFieldNames(inputFields("plan", keyLinks), keyNetwork))
	maps.Copy(one, selectKeys(t.document.values, []string{keyThroughput, keyEfficiency, keyBasis}))
	path := t.document.values[keyLink]
	if one[keyHourly] != nil {
		delete(one, keyThroughput)
	} else if path != nil {
		one[keyNetwork] = path
	}
	return extractRanges(one)
}
