package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

const (
	// maxRows and maxGeneric are how many rows a table has, maxBars how many a chart has; omitted ones are counted.
	maxRows    = 500
	maxGeneric = 50
	maxBars    = 16
)

func levelCell(l wording.Level) Cell { return Cell{Text: l.Word(), Level: l} }

func newTable(caption string, columns ...string) Table {
	t := Table{Caption: caption, Numeric: map[int]bool{}, Rows: [][]Cell{}}
	for i, title := range columns {
		if title[0] == '#' {
			t.Numeric[i] = true
			title = title[1:]
		}
		t.Columns = append(t.Columns, title)
	}
	return t
}

func (t *Table) add(texts ...string) {
	row := make([]Cell, 0, len(texts))
	for _, text := range texts {
		row = append(row, Cell{Text: text})
	}
	t.Rows = append(t.Rows, row)
}

func (t *Table) keep(limit int, what string) {
	all := len(t.Rows)
	t.Rows = t.Rows[:min(limit, all)]
	t.omitted(all, what)
}

func (t *Table) omitted(all int, what string) {
	if n := len(t.Rows); n < all {
		t.Note = strings.TrimSpace(
			"The first " + plan.Thousands(float64(n), 0) + " of " + wording.Count(all, what) + ". " + t.Note)
	}
}

// worst returns the elements with the greatest weights, in the order in which they were, and a note when some are
// left out.
func worst[E any](all []E, limit int, what string, weight func(E) float64) ([]E, string) {
	if len(all) <= limit {
		return all, ""
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(all[b]), weight(all[a])) })
	order = order[:limit]
	slices.Sort(order)
	kept := make([]E, 0, limit)
	for _, i := range order {
		kept = append(kept, all[i])
	}
	return kept, fmt.Sprintf("The %s that %s most, of %s.",
		wording.Count(limit, what), verb(limit, "matters", "matter"), plan.Thousands(float64(len(all)), 0))
}
