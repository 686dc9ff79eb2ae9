package estate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
)

// Plan returns the SLA plan for an inventory that was read with Columns. If the size of a VM is unknown, the result of
// its tier is also unknown. Errors in the file are *TiersError.
func (t *Tiers) Plan(found inventoryfile.Inventory) (promise.Plan, error) {
	arguments, err := t.Arguments(found)
	if err != nil {
		return promise.Plan{}, err
	}
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

// Arguments returns the arguments of vsla_sla_plan.
func (t *Tiers) Arguments(found inventoryfile.Inventory) (map[string]any, error) {
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
	all := t.assign(found)
	tiers := make(map[string]any, len(t.tiers))
	for i, one := range t.tiers {
		vms, percents := make(map[string]any, len(all.tiers[i])), t.vmChangePercents(one, i, found)
		for _, m := range all.tiers[i] {
			vm := make(map[string]any)
			if m.sizeKnown {
				vm["size_gib"] = quantity.Size(m.bytes).GiB()
			}
			change, err := percents(m)
			if err != nil {
				return nil, err
			}
			if change != nil {
				vm[keyDaily] = *change
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

// vmChangePercents returns a function that reads a VM's daily change rate from the column of its tier. The rate is nil
// if the tier has no column, the cell is empty, or the rate is in GiB and the VM's size is unknown.
func (t *Tiers) vmChangePercents(
	one tier, index int, found inventoryfile.Inventory,
) func(m sizedVM) (*float64, error) {
	if one.change.column == "" {
		return func(sizedVM) (*float64, error) { return nil, nil } //nolint:nilnil // the tier's value applies
	}
	unit, suffix := "percent", "%"
	if one.change.inGiB {
		unit, suffix = "GiB", ""
	}
	numbers := found.KeptNumbers(one.change.column, suffix)
	return func(m sizedVM) (*float64, error) {
		v, err := numbers(m.vm)
		if err != nil {
			at := t.tierPath(index, plan.Attr(keyChange).Attr("column"))
			return nil, t.document.problem(at, "must contain numbers in %s: %v", unit, err)
		}
		if v == nil || !one.change.inGiB {
			return v, nil
		}
		if !m.sizeKnown || m.bytes == 0 {
			return nil, nil //nolint:nilnil // the VM's size is unknown
		}
		*v *= quantity.Percent / quantity.Size(m.bytes).GiB()
		return v, nil
	}
}

type changeColumn struct {
	column string
	inGiB  bool
}

func (d *document) readChange(values map[string]any, at plan.Path) (changeColumn, error) {
	members, err := d.mappingValue(values, keyChange, at)
	if err != nil || members == nil {
		return changeColumn{}, err
	}
	at = at.Attr(keyChange)
	if err := d.checkKeys(members, at, []string{"column", "unit"}); err != nil {
		return changeColumn{}, err
	}
	column, ok := members["column"].(string)
	if !ok || column == "" {
		return changeColumn{}, d.problem(at.Attr("column"), "must be the header of an inventory column")
	}
	unit, given := members["unit"]
	if !slices.Contains([]any{"percent", "gib", nil}, unit) || (given && unit == nil) {
		return changeColumn{}, d.problem(at.Attr("unit"), "must be percent or gib (per day), got %q", fmt.Sprint(unit))
	}
	return changeColumn{column, unit == "gib"}, nil
}

// LocateError converts an error in the plan to an error that states the position of the first problem in the tiers
// file. It returns other errors unchanged.
func (t *Tiers) LocateError(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok || len(problems) == 0 {
		return err
	}
	return t.document.problem(t.locate(problems[0].Path), "%s", problems[0].Reason)
}

func (t *Tiers) locate(p plan.Path) plan.Path {
	if len(p) > 1 && p[0].Name == keyTiers {
		i := slices.IndexFunc(t.tiers, func(one tier) bool { return one.name == p[1].Name })
		if len(p) > 2 && p[2].Name == "virtual_machines" {
			return plan.Attr(keyTiers).Index(max(i, 0)).Attr(keyMatch)
		}
		return t.tierPath(max(i, 0), p[2:])
	}
	at := slices.Clone(p)
	for i := range at {
		at[i].Kind = plan.StepAttribute
	}
	candidates := []plan.Path{at, joinPath(plan.Attr(keySchedule), at)}
	if len(at) > 2 && t.document.values[keyLinks] == nil {
		candidates = []plan.Path{
			at[2:], joinPath(plan.Attr(keySchedule), at[2:]), joinPath(plan.Attr(keyLink), at[min(3, len(at)):]),
		}
	}
	for _, candidate := range candidates {
		if len(candidate) > 0 && t.document.lines[candidate.String()] > 0 {
			return candidate
		}
	}
	return candidates[0]
}
