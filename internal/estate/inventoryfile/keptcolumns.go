// Columns that the user keeps.

package inventoryfile

import (
	"strings"
	"unique"
)

type keptColumns struct {
	// columns contains those of the latest header row. all contains those of all header rows.
	columns, all []column
	// percent contains the columns with percent formats.
	percent map[sheetColumn]bool
}

func (k *keptColumns) setHeader(header, names []string) error {
	k.columns = nil
	for _, name := range names {
		i, err := findColumn(header, name)
		if err != nil {
			return err
		}
		k.columns = append(k.columns, column{index: i, header: name})
	}
	k.all = append(k.all, k.columns...)
	return nil
}

func (k *keptColumns) cells(row []string) []string {
	var kept []string
	for _, c := range k.columns {
		text := ""
		if c.index < len(row) {
			text = strings.TrimSpace(row[c.index])
		}
		kept = append(kept, unique.Make(text).Value())
	}
	return kept
}

// fractions returns the columns with cells that Excel shows as percentages.
func (k *keptColumns) fractions(sheet string) []string {
	var all []string
	for _, c := range k.all {
		if k.percent[sheetColumn{sheet, c.index}] {
			all = append(all, c.header)
		}
	}
	return all
}
