// Rows and their cells.

package inventoryfile

import (
	"strings"
	"unicode/utf8"
	"unique"
)

// row is a VM whose numbers are read both ways.
type row struct {
	vm VM
	// server, serverUUID and uuid identify the VM for other sheets.
	server, serverUUID, uuid string
	// numbers are those with a decimal point, and comma those with a decimal comma where they differ.
	numbers [len(numeric)]int64
	comma   *[len(numeric)]int64
	// has is whether the row has a number.
	has [len(numeric)]bool
}

func (r *row) owner() owner {
	return owner{server: r.server, serverUUID: r.serverUUID, id: r.vm.ID, uuid: r.uuid, name: r.vm.Name}
}

func (r *row) read(reading int) [len(numeric)]int64 {
	if reading == comma && r.comma != nil {
		return *r.comma
	}
	return r.numbers
}

// chunks are rows in pieces: a slice that grows is copied, and needs twice the memory.
type chunks struct {
	all   [][]row
	count int
}

const chunkSize = 1024

func (c *chunks) add(r row) {
	if c.count%chunkSize == 0 {
		c.all = append(c.all, make([]row, 0, chunkSize))
	}
	last := len(c.all) - 1
	c.all[last] = append(c.all[last], r)
	c.count++
}

// cell returns the first cell of a field that is not blank, without surrounding space.
func (l layout) cell(field string, row []string, sheet string, number int) (cell, column) {
	for _, column := range l[field] {
		if column.index >= len(row) {
			continue
		}
		if text := strings.TrimSpace(row[column.index]); text != "" {
			if len(text) > longText {
				text = unique.Make(text).Value()
			} else {
				text = strings.Clone(text)
			}
			return cell{sheet: sheet, row: number, column: column.header, text: text}, column
		}
	}
	if columns := l[field]; columns != nil {
		return cell{sheet: sheet, row: number, column: columns[0].header}, columns[0]
	}
	return cell{sheet: sheet, row: number, column: field}, column{}
}

func (l layout) text(field string, row []string) string {
	c, _ := l.cell(field, row, "", 0)
	return c.text
}

func (l layout) shared(field string, row []string) string {
	return unique.Make(l.text(field, row)).Value()
}

// sound fails for a cell that is no text of an acceptable size.
func (l layout) sound(row []string, sheet string, number int) error {
	for field, columns := range l {
		for _, c := range columns {
			if c.index >= len(row) {
				continue
			}
			at := cell{sheet: sheet, row: number, column: c.header}
			if !sound(row[c.index]) {
				return at.errorf("must be text of at most 32,767 characters in UTF-8")
			}
			if (field == fieldName || field == fieldID) && utf8.RuneCountInString(row[c.index]) > maxNameCharacters {
				return at.errorf("must have at most %d characters: a name in vCenter has at most 80", maxNameCharacters)
			}
		}
	}
	return nil
}

// boolean reads a flag in English or German. An empty cell is false.
func boolean(c cell) (bool, error) {
	switch strings.ToLower(c.text) {
	case "true", "wahr", "yes", "ja", "1":
		return true, nil
	case "", "false", "falsch", "no", "nein", "0":
		return false, nil
	}
	return false, c.errorf("must be true or false, got %s", quote(c.text))
}

func powerState(c cell) (string, error) {
	switch strings.ToLower(strings.Join(strings.Fields(c.text), "")) {
	case "":
		return "", nil
	case "poweredon", "on":
		return "poweredOn", nil
	case "poweredoff", "off":
		return "poweredOff", nil
	case "suspended":
		return "suspended", nil
	}
	return "", c.errorf("must be poweredOn, poweredOff or suspended, got %s", quote(c.text))
}
