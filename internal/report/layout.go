package report

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

type layout struct {
	classes map[string]string
	css     strings.Builder
}

// Classes of tables that are displayed as lists on narrow screens, and the minimum number of columns for each class.
const (
	stackMany, stackSome = "many", "some"
	manyColumns          = 8
	someColumns          = 4
)

// stacking is the style of a table that is displayed as a list. Each row becomes a heading, followed by a line for each
// other cell. Column-specific rules add the labels.
const stacking = `@media screen and (max-width:%[2]s){
.%[1]s,.%[1]s caption,.%[1]s tbody,.%[1]s tr,.%[1]s th,.%[1]s td{display:block;max-width:none}
.%[1]s thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%%)}
.%[1]s tr{padding:.4rem 0;border-bottom:1px solid var(--line)}
.%[1]s tbody th,.%[1]s td{padding:.1rem 0;border:0}
.%[1]s.%[1]s tbody th{text-align:left;font-weight:600}
.%[1]s.%[1]s tbody td{display:flex;justify-content:space-between;gap:1rem;text-align:right;white-space:normal}
.%[1]s td::before{flex:none;max-width:50%%;content:var(--l);color:var(--muted);text-align:left}}
`

func (l *layout) stylesheet() string {
	return style + fmt.Sprintf(
		stacking,
		stackMany,
		"58rem",
	) + fmt.Sprintf(
		stacking,
		stackSome,
		"44rem",
	) + l.css.String()
}

func (l *layout) class(t *Table) string {
	var rules strings.Builder
	var numbers []string
	for i, title := range t.Columns {
		if t.Numeric[i] {
			numbers = append(numbers, fmt.Sprintf(":nth-child(%d)", i+1))
		}
		if i > 0 && len(t.Columns) >= someColumns {
			fmt.Fprintf(&rules, ".TABLE td:nth-child(%d){--l:%s}\n", i+1, cssString(title))
		}
	}
	if len(numbers) > 0 {
		fmt.Fprintf(&rules, ".TABLE :is(th,td):is(%s){text-align:right}\n", strings.Join(numbers, ","))
		wrap := "white-space:nowrap"
		if len(t.Columns) >= manyColumns {
			wrap = "overflow-wrap:normal"
		}
		fmt.Fprintf(&rules, ".TABLE td:is(%s){%s}\n", strings.Join(numbers, ","), wrap)
	}
	stack := ""
	switch {
	case len(t.Columns) >= manyColumns:
		stack = " " + stackMany
	case len(t.Columns) >= someColumns:
		stack = " " + stackSome
	}
	key := rules.String() + stack
	if l.classes[key] == "" {
		l.classes[key] = fmt.Sprintf("t%d", len(l.classes))
		l.css.WriteString(strings.ReplaceAll(rules.String(), ".TABLE", "."+l.classes[key]))
	}
	return l.classes[key] + stack
}

func cssString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if r == ' ' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\%x ", r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

const (
	// maxRows and maxGeneric limit the number of rows in a table, and maxBars limits the number of bars in a chart.
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

func hasChart(a *assess.Assessment) bool {
	switch a.Answer.(type) {
	case assess.Estimate, assess.VMotion, assess.Migration, *assess.Promise, *assess.Link:
		return true
	}
	return false
}

func figuresOf(ctx context.Context, a *assess.Assessment) []Figure {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		return promiseFigures(r)
	case *assess.Link:
		return slices.Concat(needFigures(a.Title, r), shareFigures(ctx, a, r), linkFigures(a.Title, r))
	case assess.Migration:
		return migrationFigures(r)
	}
	a.Confirm()
	switch r := a.Recomputed.(type) {
	case assess.Estimate:
		return estimateFigures(r) //nolint:contextcheck // an estimate is a closed form
	case assess.VMotion:
		return vmotionFigures(r)
	}
	return nil
}

func tablesOf(a *assess.Assessment) []Table {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		if len(r.LateVirtualMachines) > 0 {
			return []Table{lateTable(r)}
		}
	case assess.Migration:
		return migrationTables(r)
	case *assess.Compliance:
		return complianceTables(r)
	case *assess.History:
		return historyTables(r)
	}
	return nil
}

func reservedIDs() map[string]bool {
	return map[string]bool{
		idSummary: true,
		idChanged: true,
		idAssumed: true,
		idPeriod:  true,
		idGroups:  true,
	}
}

// Footer returns the end of a page: the source files, the date and the version. In print, it also contains signature
// lines.
func Footer(files []assess.File, date, version string) template.HTML {
	var b strings.Builder
	_ = page.ExecuteTemplate(&b, "footer", struct { // writing to a strings.Builder never fails
		Files         []assess.File
		Date, Version string
		Roles         []string
	}{files, date, version, []string{"Prepared by", "Reviewed by", "Approved by"}})
	return template.HTML(b.String()) //nolint:gosec // the template escapes all text
}
