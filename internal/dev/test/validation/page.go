// Package validation compares vsla's calculations with published measurements, worked examples and formulas, and
// generates templates/guides/validation.md.
package validation

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

//go:embed intro.md
var intro string

//go:embed unused.md
var unused string

// Page returns the content of templates/guides/validation.md.
func Page() string {
	var tables strings.Builder
	counts := map[string]count{}
	for _, a := range areas() {
		fmt.Fprintf(&tables, "\n## %s\n", a.title)
		for _, s := range a.sources {
			s.write(&tables)
			for _, r := range s.Rows {
				if r.Kind == Measured {
					counts[a.title] = counts[a.title].add(r)
				}
			}
		}
	}
	titles, hold, rows := CountByGroup()
	var page strings.Builder
	page.WriteString(strings.TrimSpace(intro))
	page.WriteString("\n\n## Result\n\n| rows | hold | of | share |\n| --- | ---: | ---: | ---: |\n")
	for _, title := range titles {
		page.WriteString(count{hold[title], rows[title]}.row(title))
	}
	fmt.Fprintf(&page, resultText, countMisses(CauseInput), countAllMisses())
	page.WriteString("\n| measured rows, by section | hold | of | share |\n| --- | ---: | ---: | ---: |\n")
	for _, a := range areas() {
		if c := counts[a.title]; c.rows > 0 {
			page.WriteString(c.row(a.title))
		}
	}
	page.WriteString("\n| cause of a miss | rows |\n| --- | ---: |\n")
	for _, cause := range causes {
		fmt.Fprintf(&page, "| %s | %d |\n", cause, countMisses(cause))
	}
	page.WriteString(bandTable())
	page.WriteString("\n## Intervals\n\n| interval | condition and meaning |\n| --- | --- |\n")
	for _, r := range ruleTexts {
		fmt.Fprintf(&page, "| %s | %s |\n", r.rule, r.text)
	}
	page.WriteString(tables.String())
	page.WriteString("\n" + strings.TrimSpace(unused) + "\n")
	return page.String()
}

func bandTable() string {
	var text strings.Builder
	text.WriteString(bandHead)
	for _, basis := range []string{plan.BasisTransfer, plan.BasisNominal} {
		slowdowns, origins := slowdownsOfBasis(basis)
		fourOfFive, nineOfTen := plan.BandFactors(basis)
		fmt.Fprintf(&text, "| `%s` | %d | %d | %s | %s |\n", basis, len(slowdowns), origins,
			bandCells(slowdowns, fourOfFive), bandCells(slowdowns, nineOfTen))
	}
	text.WriteString(bandText)
	return text.String()
}

const resultText = `
The shares are results, not targets. Rows that are counted separately have an input that the source does not publish
independently. It is from another line of the same table, or it is a result of the same run, such as the data that was
sent. %d of %d misses need an input that the source does not publish. For an upper bound ("at most") that holds, the
table shows the published number in percent of the bound.
`

const (
	groupReplication = "measured: vSphere Replication"
	groupVMotion     = "measured: vMotion"
	groupOthers      = "measured: other systems with the same method"
	groupLine        = "counted separately: an input from another line"
	groupOutcome     = "counted separately: an input from the same run"
	groupWorked      = "arithmetic: worked examples"
	groupFormula     = "arithmetic: formulas"
)

var groups = []string{groupReplication, groupVMotion, groupOthers, groupLine, groupOutcome, groupWorked, groupFormula}

func (s Source) groupOf(r Row) string {
	switch {
	case r.Kind == Worked:
		return groupWorked
	case r.Kind == Formula:
		return groupFormula
	case s.Product != "":
		return "measured: " + s.Product
	case r.InputOrigin == FromLine:
		return groupLine
	case r.InputOrigin == FromOutcome:
		return groupOutcome
	}
	return groupOthers
}

// CountByGroup returns, for each group, the number of rows whose predictions match and the total number of rows. titles
// contains the groups in page order.
func CountByGroup() (titles []string, holding, rows map[string]int) {
	holding, rows = map[string]int{}, map[string]int{}
	for _, a := range areas() {
		for _, s := range a.sources {
			for _, r := range s.Rows {
				rows[s.groupOf(r)]++
				if r.Holds(r.Predicted) {
					holding[s.groupOf(r)]++
				}
			}
		}
	}
	return groups, holding, rows
}

func countMisses(cause Cause) int {
	n := 0
	for _, r := range Rows() {
		if r.Mismatch.Cause == cause {
			n++
		}
	}
	return n
}

func countAllMisses() int {
	n := 0
	for _, cause := range causes {
		n += countMisses(cause)
	}
	return n
}

type count struct{ holding, rows int }

func (c count) add(r Row) count {
	c.rows++
	if r.Holds(r.Predicted) {
		c.holding++
	}
	return c
}

func (c count) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d%% |\n", name, c.holding, c.rows, 100*c.holding/c.rows)
}

func (s Source) write(page *strings.Builder) {
	fmt.Fprintf(page, "\n### %s\n\nYear: %s. Read: %s. Address: `%s`\n", s.Title, s.Year, s.Where, s.Address)
	head, line := " slowdown |", " --- |"
	measured := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Kind == Measured })
	if !measured {
		head, line = "", ""
	}
	page.WriteString(
		"\n| what | kind | published inputs, with conversions | published | vsla | interval | holds |" + head,
	)
	page.WriteString("\n| --- | --- | --- | ---: | ---: | --- | --- |" + line + "\n")
	for _, r := range s.Rows {
		page.WriteString(r.Line())
		switch {
		case r.Kind == Measured && len(r.Predicted) > 0:
			fmt.Fprintf(page, " %.2f |", r.Slowdown(r.Predicted))
		case measured:
			page.WriteString("  |")
		}
		page.WriteString("\n")
	}
}

// Line returns the row as a line of the page's table, without the slowdown.
func (r Row) Line() string {
	verdict := "yes"
	switch _, bound := minMax(r.Predicted); {
	case !r.Holds(r.Predicted):
		verdict = "**no.** " + r.Mismatch.Text
	case r.Rule == AtMost:
		verdict = fmt.Sprintf("yes, %.0f%% of the bound", 100*slices.Max(r.Published)/bound)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", r.What, r.Kind, r.Inputs,
		strings.ReplaceAll(r.published()+" "+r.Unit, " %", "%"), numbers(r.Predicted), r.Rule, verdict)
}

func (r Row) published() string {
	low, high := minMax(r.Published)
	switch {
	case r.Rule != Printed:
		return numbers(r.Published)
	case low == high:
		return plan.Thousands(low, r.Decimals)
	case low == 0:
		return "at most " + number(high)
	case math.IsInf(high, 1):
		return "more than " + number(low)
	}
	return numbers(r.Published)
}

func numbers(values []float64) string {
	if len(values) == 0 {
		return "no result"
	}
	low, high := minMax(values)
	if number(low) == number(high) {
		return number(low)
	}
	return number(low) + " to " + number(high)
}

const significant = 3

// number formats a value with three significant digits, but keeps all digits before the decimal point.
func number(v float64) string {
	decimals := 0
	if v != 0 && v != math.Trunc(v) {
		decimals = max(0, significant-1-int(math.Floor(math.Log10(math.Abs(v)))))
	}
	return plan.Thousands(v, decimals)
}

func (r Row) slowEndSlowdown() float64 {
	if r.Rule != Between {
		return r.Slowdown(r.Predicted)
	}
	low, high := minMax(r.Predicted)
	if direction, _ := r.Direction(); direction == LessIsWorse {
		high = low
	}
	return r.Slowdown([]float64{high})
}
