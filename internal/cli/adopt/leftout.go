// Reasons for leaving things out.

package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// leftOut has the names of the objects that are not adopted, by reason.
type leftOut map[string][]string

func (l leftOut) add(reason string, names ...string) { l[reason] = append(l[reason], names...) }

// lines returns one line for each reason, with all names or only the first of them.
func (l leftOut) lines(names func([]string) string) []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(l)) {
		sorted := slices.Sorted(slices.Values(l[reason]))
		list = append(list, fmt.Sprintf("%s (%d): %s", reason, len(sorted), names(sorted)))
	}
	return list
}

// few joins the first names.
func few(names []string) string {
	if len(names) <= listedNames {
		return every(names)
	}
	return fmt.Sprintf("%s and %d more", every(names[:listedNames]), len(names)-listedNames)
}

// every joins names for a line of text: a control character in one of them would change the line or the terminal.
func every(names []string) string { return strings.Join(plain(names), ", ") }

func plain(names []string) []string {
	printable := make([]string, 0, len(names))
	for _, name := range names {
		printable = append(printable, printed(name))
	}
	return printable
}

// printed replaces the characters of a name that are not printed.
func printed(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\ufffd'
		}
		return r
	}, name)
}
