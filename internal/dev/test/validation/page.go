// The page: docs/validation.md.

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

// target is the share of rows that should hold, in percent.
const target = 90

// Page returns the page.
func Page() (string, error) {
	learned, err := Groups()
	if err != nil {
		return "", err
	}
	cells := slowdowns(learned)
	var tables, sections strings.Builder
	counts := map[Kind]count{}
	for _, a := range areas() {
		fmt.Fprintf(&tables, "\n## %s\n", a.title)
		section := map[Kind]count{}
		for _, s := range a.sources {
			if err := s.write(&tables, section, cells); err != nil {
				return "", err
			}
		}
		for kind, c := range section {
			counts[kind] = counts[kind].plus(c)
		}
		if section[Measured].rows > 0 {
			sections.WriteString(section[Measured].row(a.title))
		}
	}
	var page strings.Builder
	page.WriteString(strings.TrimSpace(intro))
	page.WriteString("\n\n## Result\n\n| rows | hold | of | share |\n| --- | ---: | ---: | ---: |\n")
	all := count{}
	for _, kind := range kinds {
		page.WriteString(counts[kind].row(string(kind)))
		all = all.plus(counts[kind])
	}
	page.WriteString(all.row("all"))
	page.WriteString(all.verdict())
	page.WriteString("\n| measured rows, by section | hold | of | share |\n| --- | ---: | ---: | ---: |\n")
	page.WriteString(sections.String())
	page.WriteString("\n| cause of a miss | rows |\n| --- | ---: |\n")
	for _, cause := range causes {
		fmt.Fprintf(&page, "| %s | %d |\n", cause, missesOf(cause))
	}
	page.WriteString(howWrong(learned))
	page.WriteString("\n## Intervals\n\n| interval | when, and what it means |\n| --- | --- |\n")
	for _, r := range ruleTexts {
		fmt.Fprintf(&page, "| %s | %s |\n", r.rule, r.text)
	}
	page.WriteString(tables.String())
	page.WriteString("\n" + strings.TrimSpace(unused) + "\n")
	return page.String(), nil
}

// missesOf counts the misses of a cause.
func missesOf(cause Cause) int {
	n := 0
	for _, r := range Rows() {
		if r.Miss.Cause == cause {
			n++
		}
	}
	return n
}

// count is how many rows there are, and how many hold.
type count struct{ hold, rows int }

func (c count) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d %% |\n", name, c.hold, c.rows, 100*c.hold/c.rows)
}

func (c count) plus(d count) count { return count{hold: c.hold + d.hold, rows: c.rows + d.rows} }

// verdict says whether the target is met, and what most misses come from.
func (c count) verdict() string {
	met := "met"
	if c.hold*100 < c.rows*target {
		met = "not met"
	}
	return fmt.Sprintf(`
The target is that %d %% of all rows hold. It is %s: %d of %d misses need an input that the source does not publish,
and no row is left out for that. The learned intervals of the next section came after this result, and do not change
it.
`, target, met, missesOf(CauseInput), c.rows-c.hold)
}

// write writes the source's section, with the rows' slowdowns if any is measured, and counts the rows that hold.
func (s Source) write(page *strings.Builder, counts map[Kind]count, slowdowns map[string]string) error {
	fmt.Fprintf(page, "\n### %s\n\nYear: %s. Read: %s. Address: `%s`\n", s.Title, s.Year, s.Where, s.Address)
	measured := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Kind == Measured })
	page.WriteString("\n| what | kind | published inputs, with conversions | published | vsla | interval | holds |")
	if measured {
		page.WriteString(" slowdown |")
	}
	page.WriteString("\n| --- | --- | --- | ---: | ---: | --- | --- |")
	if measured {
		page.WriteString(" --- |")
	}
	page.WriteString("\n")
	for _, r := range s.Rows {
		predicted, err := r.Predicted()
		if err != nil {
			return err
		}
		line, err := r.Line()
		if err != nil {
			return err
		}
		c := counts[r.Kind]
		c.rows++
		if r.Holds(predicted) {
			c.hold++
		}
		counts[r.Kind] = c
		page.WriteString(line)
		if measured {
			page.WriteString(" " + slowdowns[r.ID] + " |")
		}
		page.WriteString("\n")
	}
	return nil
}

// Predicted returns what vsla calculates.
func (r Row) Predicted() ([]float64, error) {
	predicted, err := predict(r.Question)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	return predicted, nil
}

// Line returns the row as a line of the page's table, without its slowdown.
func (r Row) Line() (string, error) {
	predicted, err := r.Predicted()
	if err != nil {
		return "", err
	}
	verdict := "yes"
	if !r.Holds(predicted) {
		verdict = "**no.** " + r.Miss.Text
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", r.What, r.Kind, r.Inputs,
		r.published()+" "+r.Unit, numbers(predicted), r.Rule, verdict), nil
}

// published writes what the source prints.
func (r Row) published() string {
	low, high := ends(r.Published)
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

// numbers writes one number, or the ends of a range.
func numbers(values []float64) string {
	low, high := ends(values)
	if number(low) == number(high) {
		return number(low)
	}
	return number(low) + " to " + number(high)
}

// significant is the number of digits of a value below 1,000.
const significant = 3

// number writes three significant digits, and all digits before the point.
func number(v float64) string {
	decimals := 0
	if v != 0 && v != math.Trunc(v) {
		decimals = max(0, significant-1-int(math.Floor(math.Log10(math.Abs(v)))))
	}
	return plan.Thousands(v, decimals)
}
