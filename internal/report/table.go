// Tables that several kinds have alike.

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

const (
	// maxRows and maxGeneric are how many rows a table has, maxBars how many a chart has; omitted ones are counted.
	maxRows    = 500
	maxGeneric = 50
	maxBars    = 16
)

// column is a column of an overview: an attribute, or what cell makes.
type column struct {
	title   string
	name    string
	cell    func(known) Cell
	numeric bool
}

// numeric is the column of an attribute that is a number.
func numeric(title, name string) column { return column{title: title, name: name, numeric: true} }

// verdictColumn shows the level.
var verdictColumn = column{title: "Verdict", cell: func(k known) Cell { return levelCell(k.subject.Level) }}

func levelCell(l Level) Cell { return Cell{Text: l.Word(), Level: l} }

// overview makes a table with a row for each subject.
func overview(caption string, subjects []known, columns ...column) Table {
	t := newTable(caption, "Result")
	for _, c := range columns {
		if c.numeric {
			t.Numeric[len(t.Columns)] = true
		}
		t.Columns = append(t.Columns, c.title)
	}
	for _, k := range subjects {
		row := []Cell{{Text: k.subject.Name, Link: k.link()}}
		for _, c := range columns {
			if c.cell != nil {
				row = append(row, c.cell(k))
			} else {
				row = append(row, Cell{Text: k.format(c.name)})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// newTable makes an empty table. A title that begins with "#" is a column of numbers.
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

// add appends a row of texts.
func (t *Table) add(texts ...string) {
	row := make([]Cell, 0, len(texts))
	for _, text := range texts {
		row = append(row, Cell{Text: text})
	}
	t.Rows = append(t.Rows, row)
}

// keep cuts the table to a number of rows and notes it.
func (t *Table) keep(limit int, what string) {
	if len(t.Rows) > limit {
		t.Note = strings.TrimSpace(
			"The first " + plan.Thousands(float64(limit), 0) + " of " + count(len(t.Rows), what) + ". " + t.Note,
		)
		t.Rows = t.Rows[:limit]
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
		count(limit, what), verb(limit, "matters", "matter"), plan.Thousands(float64(len(all)), 0))
}
