package estate

import (
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

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
