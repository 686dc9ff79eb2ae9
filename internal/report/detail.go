// The space of a page: separate parts and charts for the results that matter most, tables for all.

package report

import (
	"cmp"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

// budget returns how many of n results have a separate part on the page, and how many of those have charts: a page
// with 500 results stays below 200 KB.
func budget(n int) (detailed, drawn int) {
	switch {
	case n <= 24:
		return n, 8
	case n <= manyResults:
		return 16, 6
	}
	return 8, 1
}

// manyResults is from how many results on a page has little but tables.
const manyResults = 100

// detail marks the results that are in tables only, and those without charts: the best ones, where there are many.
func detail(all []*instance) {
	order := slices.Clone(all)
	rank := func(in *instance) int {
		if in.deferred != "" || len(in.sensitive) > 0 {
			return Unknown.Rank()
		}
		level, _ := in.level()
		return level.Rank()
	}
	slices.SortStableFunc(order, func(a, b *instance) int { return cmp.Compare(rank(a), rank(b)) })
	drawn := 0
	detailed, charts := budget(len(all))
	for i, in := range order {
		in.brief = i >= detailed
		if kindOf(in.kind).drawn {
			drawn++
			in.plain = drawn > charts
		}
	}
}

// limit names the results that are in tables only. Where no table has these results, one lists them.
func (s *Section) limit(all []*instance, inTable bool) {
	left, plain := 0, 0
	rest := newTable("More results", "Result", "Verdict", "Summary")
	for i, in := range all {
		if in.plain && !in.brief {
			plain++
		}
		if !in.brief {
			continue
		}
		left++
		one := s.Subjects[i]
		if hidden := in.deferred != "" || len(in.sensitive) > 0; hidden || !inTable {
			rest.Rows = append(rest.Rows, []Cell{{Text: one.Name}, levelCell(one.Level), {Text: one.Summary}})
		}
	}
	if len(rest.Rows) > 0 {
		rest.keep(maxRows, "result")
		s.Tables = append(s.Tables, rest)
	}
	switch {
	case left > 0:
		s.Note = count(left, "result") + " of " + plan.Thousands(float64(len(all)), 0) + " " +
			verb(left, "is", "are") + " in tables only: the others matter more."
	case plain > 0:
		s.Note = count(plain, "result") + " " + verb(plain, "has", "have") + " no charts: those of the others matter more."
	}
}

// inputsTable has the inputs with many values, but for those that the overview has.
func (k kind) inputsTable(all []known) Table {
	var columns []column
	for _, name := range inputsOf(all[0].kind) {
		values := make(map[string]bool)
		for _, one := range all {
			text, _ := inputText(one.instance, name)
			values[text] = true
		}
		if len(values) > maxValues && !slices.Contains(k.shown, name) {
			columns = append(columns, column{title: label(name), cell: func(one known) Cell {
				text, _ := inputText(one.instance, name)
				return Cell{Text: cmp.Or(text, none)}
			}, numeric: inputField(all[0].kind, name).Range != nil})
		}
	}
	if len(columns) == 0 {
		return Table{}
	}
	return overview("Inputs that differ", all, columns...)
}
