package report

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

const (
	// maxRows limits the number of rows in a table, and maxBars limits the number of bars in a chart.
	// Omitted rows and bars are counted. After equalBars bars beyond the scale, a list names the others.
	maxRows = 500
	maxBars = 16
)

func levelCell(l plan.Level) Cell { return Cell{Text: wording.LevelWord(l), Level: l} }

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

func (t *Table) truncate(limit int, what string) {
	all := len(t.Rows)
	t.Rows = t.Rows[:min(limit, all)]
	t.noteOmitted(all, what)
}

func (t *Table) noteOmitted(all int, what string) {
	if n := len(t.Rows); n < all {
		t.Note = strings.TrimSpace(
			"The first " + plan.Thousands(float64(n), 0) + " of " + wording.Count(all, what) + ". " + t.Note)
	}
}

// dropEmptyColumns removes the columns without any text, and marks the empty cells of the others.
func (t *Table) dropEmptyColumns() {
	kept := Table{Numeric: map[int]bool{}}
	rows := make([][]Cell, len(t.Rows))
	for i, title := range t.Columns {
		if i > 0 && !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" }) {
			continue
		}
		kept.Numeric[len(kept.Columns)] = t.Numeric[i]
		kept.Columns = append(kept.Columns, title)
		for n, row := range t.Rows {
			row[i].Text = cmp.Or(row[i].Text, wording.None)
			rows[n] = append(rows[n], row[i])
		}
	}
	t.Columns = kept.Columns
	t.Numeric = kept.Numeric
	t.Rows = rows
}

func (t *Table) limitToWorst(what string) {
	if len(t.Rows) > maxPromises {
		t.Note = "The worst " + plan.Thousands(maxPromises, 0) + " of " + wording.Count(len(t.Rows), what) +
			". The sections below contain all of them."
		t.Rows = t.Rows[:maxPromises]
	}
}

func withinRPOText(percent *float64) string {
	if percent == nil {
		return ""
	}
	return wording.Value("within_rpo_percent", *percent)
}

func pluralVerb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func valueOrNone(name string, v *float64) string {
	if v == nil {
		return wording.None
	}
	return wording.Value(name, *v)
}
