package estate

import (
	"fmt"
	"strconv"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// readChanges reads the daily change rate of each VM of a tier from the column of the tier. The rate is nil if the tier
// has no column, the cell is empty, or the rate is in GiB and the VM's size is unknown.
func (t *Tiers) readChanges(index int, members []assignedVM, found inventoryfile.Inventory) error {
	one := t.tiers[index]
	if one.change.column == "" {
		return nil
	}
	unit, suffix := "percent", "%"
	if one.change.inGiB {
		unit, suffix = "GiB", ""
	}
	numbers := found.KeptNumbers(one.change.column, suffix)
	for i := range members {
		m := &members[i]
		v, err := numbers(m.vm)
		if err != nil {
			at := t.tierPath(index, plan.Attr(keyChange).Attr("column"))
			return t.document.problem(at, "must contain numbers in %s: %v", unit, err)
		}
		if v == nil || one.change.inGiB && m.bytes == nil {
			continue
		}
		given, isLargest := *v, ""
		if one.change.inGiB {
			*v *= quantity.Percent / quantity.Size(*m.bytes).GiB()
			isLargest = " of its size"
		}
		if replication.RangeDailyChangePercent.Check(*v) != nil {
			m.impossible = fmt.Sprintf(
				"row %d, VM %q, column %q: must be from 0 to %s%s per day, got %s",
				m.vm.Row,
				m.vm.Name,
				one.change.column,
				plan.Thousands(replication.RangeDailyChangePercent.Max, 0)+" percent",
				isLargest,
				strconv.FormatFloat(given, 'g', -1, 64),
			)
			continue
		}
		m.changePercent = v
	}
	return nil
}
