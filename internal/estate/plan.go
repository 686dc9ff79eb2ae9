package estate

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
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

var tierScheduleKeys = []string{"per_sync_mbps", "target_compliance_percent", "deadline_hours"}

func inputNames(command string, except ...string) []string {
	c, _ := registry.OfCommand(command)
	return inputFieldNames(c.Inputs(), except...)
}

func planKeys() []string { return inputNames("plan", keyTiers) }

func inputFields(command, input string) []calculator.Field {
	c, _ := registry.OfCommand(command)
	f, _ := c.Field(input)
	return f.Fields
}

func inputFieldNames(fields []calculator.Field, except ...string) []string {
	var all []string
	for _, f := range fields {
		if f.Input && !slices.Contains(except, f.Name) {
			all = append(all, f.Name)
		}
	}
	return all
}

func selectKeys(values map[string]any, names []string) map[string]any {
	picked := make(map[string]any)
	for _, name := range names {
		if v := values[name]; v != nil {
			picked[name] = v
		}
	}
	return picked
}

// splitRange splits { low, likely, high } into the likely value and the low and high values. Other values are returned
// unchanged.
func splitRange(v any) (likely any, ends map[string]any) {
	if members, ok := v.(map[string]any); ok && members["likely"] != nil {
		return members["likely"], map[string]any{"low": members["low"], "high": members["high"]}
	}
	return v, nil
}

// extractRanges replaces each { low, likely, high } with its likely value and moves the low and high values to the
// ranges.
func extractRanges(values map[string]any) map[string]any {
	ranges, _ := values[keyRanges].(map[string]any)
	ranges = maps.Clone(ranges)
	for name, v := range values {
		likely, ends := splitRange(v)
		if ends == nil {
			continue
		}
		if ranges == nil {
			ranges = make(map[string]any)
		}
		values[name], ranges[name] = likely, ends
	}
	if ranges != nil {
		values[keyRanges] = ranges
	}
	return values
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
		if err := t.reserveLinkShare(links); err != nil {
			return nil, err
		}
		arguments[keyLinks] = links
	}
	tiers := make(map[string]any, len(t.tiers))
	for i, one := range t.tiers {
		vms := make(map[string]any, len(all.tiers[i]))
		for _, m := range all.tiers[i] {
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
		inputs := selectKeys(t.schedule, tierScheduleKeys)
		maps.Copy(inputs, one.inputs)
		inputs = extractRanges(inputs)
		inputs[keyVMs] = vms
		tiers[one.name] = inputs
	}
	arguments[keyTiers] = tiers
	return arguments, nil
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
