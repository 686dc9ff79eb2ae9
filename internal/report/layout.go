package report

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
)

//go:embed style.css
var style string

// layout collects the styles of the tables of a page. Tables of equal columns share a class.
type layout struct {
	classes map[string]string
	css     strings.Builder
}

// Classes of tables that are displayed as lists on narrow screens.
const (
	stackMany = "many"
	stackSome = "some"
)

// Minimum numbers of columns of these classes.
const (
	manyColumns = 8
	someColumns = 4
)

// stacking is the style of a table that is displayed as a list. Each row becomes a heading, followed by a line for each
// other cell. The rules of the columns set --l to the label. A doubled class takes precedence over these rules.
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
	many := fmt.Sprintf(stacking, stackMany, "58rem")
	some := fmt.Sprintf(stacking, stackSome, "44rem")
	return style + many + some + l.css.String()
}

// class returns the classes of a table. It adds the style of the table to the stylesheet unless an earlier table has
// the same.
func (l *layout) class(t *Table) string {
	stack := ""
	switch {
	case len(t.Columns) >= manyColumns:
		stack = " " + stackMany
	case len(t.Columns) >= someColumns:
		stack = " " + stackSome
	}
	rules := t.rules()
	key := rules + stack
	if l.classes[key] == "" {
		l.classes[key] = fmt.Sprintf("t%d", len(l.classes))
		l.css.WriteString(strings.ReplaceAll(rules, ".TABLE", "."+l.classes[key]))
	}
	return l.classes[key] + stack
}

// rules returns the style of the columns of a table, in which .TABLE stands for its class.
func (t *Table) rules() string {
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
	return rules.String()
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
