// Suggestions of a column mapping for files with unknown headers.

package inventoryfile

import (
	"slices"
	"strings"
)

// suggestColumns returns a mapping of the VM name and a size with which the file can be read, or nil. A mapping is
// tried before it is suggested.
func suggestColumns(t tables, o Options) map[string]string {
	for _, table := range t.names() {
		rows, err := sampleRows(t, table)
		if err != nil {
			continue
		}
		for i, header := range rows[:min(len(rows), maxHeaderRow)] {
			columns := guessColumns(header, rows[i+1:])
			if columns == nil {
				continue
			}
			o.Columns = columns
			if _, err := readTables(t, o); err == nil {
				return columns
			}
		}
	}
	return nil
}

// sampleRows returns the rows that may be header rows and some rows below them.
func sampleRows(t tables, table string) ([][]string, error) {
	const most = maxHeaderRow + 20
	var rows [][]string
	err := t.read(table, func(cells []string, _ int) error {
		row := make([]string, 0, len(cells))
		for _, cell := range cells {
			row = append(row, strings.Clone(cell))
		}
		rows = append(rows, row)
		if len(rows) == most {
			return errStop
		}
		return nil
	})
	return rows, ignoreStop(err)
}

// Words in the headers of a VM's name and sizes, the best first.
var (
	nameWords = []string{
		"vm name", "virtual machine", "vm", "name", "server", "hostname", "host name", "machine", "maschine",
		"computer", "host",
	}
	usedWords        = []string{"in use", "inuse", "used", "belegt", "utilis", "utiliz", "consumed", "usage"}
	provisionedWords = []string{"provisioned", "allocated", "capacity", "size", "disk", "storage", "space"}
	// otherWords occur in headers of sizes that are not replicated.
	otherWords = []string{"mem", "ram", "cpu", "host", "%", "percent", "free", "unused", "date", "count"}
)

func guessColumns(header []string, rows [][]string) map[string]string {
	name := bestColumn(header, nameWords, nil, func(int) bool { return true })
	if columns := guessSize(header, rows, name, fieldUsed, usedWords); columns != nil {
		return columns
	}
	return guessSize(header, rows, name, fieldProvisioned, provisionedWords)
}

func guessSize(header []string, rows [][]string, name int, field string, words []string) map[string]string {
	size := bestColumn(header, words, otherWords, func(i int) bool {
		return i != name && fieldUnit(header[i], i, rows) != ""
	})
	if name < 0 || size < 0 {
		return nil
	}
	return map[string]string{
		fieldName: strings.TrimSpace(header[name]),
		field + "_" + fieldUnit(header[size], size, rows): strings.TrimSpace(header[size]),
	}
}

// bestColumn returns the column whose header equals or else contains the first possible word, or -1. Only the first
// column with a word is tried.
func bestColumn(header, words, others []string, fits func(i int) bool) int {
	for _, equal := range []bool{true, false} {
		for _, word := range words {
			i := slices.IndexFunc(header, func(h string) bool {
				h = normalize(h)
				return h == word || !equal && strings.Contains(h, word) &&
					!slices.ContainsFunc(others, func(other string) bool { return strings.Contains(h, other) })
			})
			if i >= 0 && fits(i) {
				return i
			}
		}
	}
	return -1
}

// fieldUnit returns the unit of a field for a column: that in its header or, if its cells contain units, gib. It
// returns "" if neither states one.
func fieldUnit(header string, at int, rows [][]string) string {
	switch unit := unitOf(header); unit {
	case "":
		return unitOfCells(at, rows)
	case "byte", "bytes":
		return "bytes"
	case "pb", "pib":
		return ""
	default:
		return unit[:1] + "ib" // tools of VMware call 2^30 bytes GB
	}
}

// unitOfCells returns gib if all cells of a column are empty or contain a unit, and otherwise "".
func unitOfCells(at int, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	for _, row := range rows {
		if at >= len(row) || strings.TrimSpace(row[at]) == "" {
			continue
		}
		if _, bytes := cutUnit(row[at], gib); bytes == 0 {
			return ""
		}
	}
	return "gib"
}
