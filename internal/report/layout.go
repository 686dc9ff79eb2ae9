package report

import (
	"fmt"
	"strings"
	"unicode"
)

type layout struct {
	classes map[string]string
	css     strings.Builder
}

// The classes of tables that become lists of labels and values on a narrow screen, and from how many columns on.
const (
	stackMany, stackSome = "many", "some"
	manyColumns          = 8
	someColumns          = 4
)

// stacking is how such a table becomes a list: a row is a heading and a line for each other cell. The labels come from
// the rules for each column.
const stacking = `@media screen and (max-width:%[2]s){
.%[1]s,.%[1]s caption,.%[1]s tbody,.%[1]s tr,.%[1]s th,.%[1]s td{display:block;max-width:none}
.%[1]s thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%%)}
.%[1]s tr{padding:.4rem 0;border-bottom:1px solid var(--line)}
.%[1]s tbody th,.%[1]s td{padding:.1rem 0;border:0}
.%[1]s.%[1]s tbody th{text-align:left;font-weight:600}
.%[1]s.%[1]s tbody td{display:flex;justify-content:space-between;gap:1rem;text-align:right;white-space:normal}
.%[1]s td::before{flex:none;max-width:50%%;content:var(--l);color:var(--muted);text-align:left}}
`

func (l *layout) styled() string {
	return style + fmt.Sprintf(stacking, stackMany, "66rem") + fmt.Sprintf(stacking, stackSome, "44rem") + l.css.String()
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
		if len(t.Columns) < manyColumns {
			fmt.Fprintf(&rules, ".TABLE td:is(%s){white-space:nowrap}\n", strings.Join(numbers, ","))
		}
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
