// The plan of promises of a tiers file.

package estate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Plan returns the promises of the file to the VMs of an inventory that was read with Columns. A VM of unknown size is
// in its tier, whose promise is unknown then. Errors about the file are *TiersError.
func (t *Tiers) Plan(found inventoryfile.Inventory) (promise.Plan, error) {
	arguments, err := t.Arguments(found)
	if err != nil {
		return promise.Plan{}, err
	}
	p, err := onlink.Decode(arguments)
	return p, t.Place(err)
}

// Arguments returns the arguments of vsla_sla_plan.
func (t *Tiers) Arguments(found inventoryfile.Inventory) (map[string]any, error) {
	all := t.assign(found)
	names := make(map[string]int, len(found.VMs))
	for _, vm := range found.VMs {
		names[vm.Name]++
	}
	tiers, members := make([]onlink.Tier, len(t.tiers)), make([][]onlink.Member, len(t.tiers))
	for i, one := range t.tiers {
		tiers[i].Name = one.name
		tiers[i].Inputs, tiers[i].Ranges = onlink.Likely(one.inputs)
		for _, m := range all.tiers[i] {
			member := onlink.Member{Name: m.vm.Name}
			if names[m.vm.Name] > 1 {
				member.Name += " (" + m.vm.Key + ")"
			}
			if m.known {
				member.SizeGiB = new(quantity.Size(m.bytes).GiB())
			}
			var err error
			if member.DailyChangePercent, err = t.changeOf(one, i, m, found.Kept); err != nil {
				return nil, err
			}
			members[i] = append(members[i], member)
		}
	}
	return onlink.Arguments(t.document.values, tiers, members), nil
}

// changeOf returns the change of a VM by the column of its tier; nil for an empty cell and without a column.
func (t *Tiers) changeOf(one tier, index int, m sized, columns []string) (*float64, error) {
	if one.change.column == "" {
		return nil, nil //nolint:nilnil // the tier has it
	}
	text := strings.TrimSpace(m.vm.Kept[slices.Index(columns, one.change.column)])
	if text == "" {
		return nil, nil //nolint:nilnil // the tier has it
	}
	at := t.inTier(index, plan.Attr(keyChange).Attr("column"))
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(text, ",", "."), "%"), 64)
	if err != nil {
		return nil, t.document.problem(at, "must have numbers, got %q for the VM %s", text, m.vm.Name)
	}
	if one.change.gib {
		if !m.known || m.bytes == 0 {
			return nil, nil //nolint:nilnil // it is not known of what
		}
		v *= quantity.Percent / quantity.Size(m.bytes).GiB()
	}
	return &v, nil
}

// change is the column with the daily change of each VM.
type change struct {
	column string
	gib    bool
}

// readChange reads where the change of each VM is in the inventory.
func (d *document) readChange(values map[string]any, at plan.Path) (change, error) {
	members, err := d.object(values, keyChange, at)
	if err != nil || members == nil {
		return change{}, err
	}
	at = at.Attr(keyChange)
	if err := d.checkKeys(members, at, []string{"column", "unit"}); err != nil {
		return change{}, err
	}
	column, ok := members["column"].(string)
	if !ok || column == "" {
		return change{}, d.problem(at.Attr("column"), "must be the header of a column of the inventory")
	}
	unit, given := members["unit"]
	if !slices.Contains([]any{"percent", "gib", nil}, unit) || (given && unit == nil) {
		return change{}, d.problem(at.Attr("unit"), "must be percent or gib, of a day, got %q", fmt.Sprint(unit))
	}
	return change{column, unit == "gib"}, nil
}

// Place returns the error of a plan at its place in the file; other errors, and nil, as they are.
func (t *Tiers) Place(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok || len(problems) == 0 {
		return err
	}
	return t.document.problem(t.placeOf(problems[0].Path), "%s", problems[0].Reason)
}

// placeOf returns where an argument of the plan is in the file.
func (t *Tiers) placeOf(p plan.Path) plan.Path {
	if len(p) > 1 && p[0].Name == keyTiers {
		i := slices.IndexFunc(t.tiers, func(one tier) bool { return one.name == p[1].Name })
		if len(p) > 2 && p[2].Name == "virtual_machines" {
			return plan.Attr(keyTiers).Index(max(i, 0)).Attr(keyMatch)
		}
		return t.inTier(max(i, 0), p[2:])
	}
	at := slices.Clone(p)
	for i := range at {
		at[i].Kind = plan.StepAttribute
	}
	candidates := []plan.Path{at, join(plan.Attr(keySchedule), at)}
	if len(at) > 2 && t.document.values[keyLinks] == nil {
		candidates = []plan.Path{at[2:], join(plan.Attr(keySchedule), at[2:]), join(plan.Attr(keyLink), at[min(3, len(at)):])}
	}
	for _, candidate := range candidates {
		if len(candidate) > 0 && t.document.lines[candidate.String()] > 0 {
			return candidate
		}
	}
	return candidates[0]
}
