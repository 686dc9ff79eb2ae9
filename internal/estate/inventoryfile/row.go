// Rows of the VM sheet, and the cells of a row.

package inventoryfile

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unique"
)

type vmIdentity struct{ server, serverUUID, id, uuid, name string }

// numericFields contains the numeric fields in the order of row.numbers.
var numericFields = [...]string{fieldCPU, fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

type row struct {
	vm VM
	// server and serverUUID are those of the VM's vCenter.
	server, serverUUID string
	// numbers contains the values read with a decimal point. commaNumbers contains those read with a decimal comma, or
	// is nil if both readings are the same.
	numbers      [len(numericFields)]int64
	commaNumbers *[len(numericFields)]int64
	known        [len(numericFields)]bool
	// impossible contains the cells with numbers that cannot be true.
	impossible []impossibleCell
}

type impossibleCell struct {
	cell

	readings [interpretations]bool
	expected string
}

func newImpossibleCell(c cell, n reading, expected string) impossibleCell {
	return impossibleCell{
		c,
		[interpretations]bool{n.values[point] == impossible, n.values[comma] == impossible},
		expected,
	}
}

// unknown returns what the result says about the cells with impossible numbers.
func unknown(cells []impossibleCell, reading int) []*CellError {
	var all []*CellError
	for _, c := range cells {
		if c.readings[reading] {
			all = append(all, c.errorf("must be %s, got %s", c.expected, quote(c.text)))
		}
	}
	return all
}

func (r *row) identity() vmIdentity {
	return vmIdentity{server: r.server, serverUUID: r.serverUUID, id: r.vm.ID, uuid: r.vm.UUID, name: r.vm.Name}
}

// setNumber stores a number of the row by its index in numericFields.
func (r *row) setNumber(at int, n reading) {
	if n.values[point] != n.values[comma] && r.commaNumbers == nil {
		r.commaNumbers = new(r.numbers)
	}
	if r.commaNumbers != nil {
		r.commaNumbers[at] = n.values[comma]
	}
	r.numbers[at] = n.values[point]
	r.known[at] = true
}

// number returns the number in a numeric field. It returns false if the cell is empty.
func (r *row) number(field string, reading int) (int64, bool) {
	at := slices.Index(numericFields[:], field)
	return r.values(reading)[at], r.known[at]
}

// size returns the size in a numeric field, or nil if it is unknown.
func (r *row) size(field string, reading int) *int64 {
	size, ok := r.number(field, reading)
	if !ok {
		return nil
	}
	return sizeOrNil(size)
}

func (r *row) values(reading int) [len(numericFields)]int64 {
	if reading == comma && r.commaNumbers != nil {
		return *r.commaNumbers
	}
	return r.numbers
}

// rowChunks stores rows in fixed-size chunks, because growing a slice copies it and temporarily doubles the memory.
type rowChunks struct {
	all   [][]row
	count int
}

const chunkSize = 1024

func (c *rowChunks) add(r row) {
	if c.count%chunkSize == 0 {
		c.all = append(c.all, make([]row, 0, chunkSize))
	}
	last := len(c.all) - 1
	c.all[last] = append(c.all[last], r)
	c.count++
}

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

func (l layout) internedText(field string, row []string) string {
	return unique.Make(l.text(field, row)).Value()
}

func (l layout) checkCells(row []string, sheet string, number int) error {
	for field, columns := range l {
		for _, c := range columns {
			if c.index >= len(row) {
				continue
			}
			at := cell{sheet: sheet, row: number, column: c.header}
			if !sound(row[c.index]) {
				return at.errorf("must be UTF-8 text of at most 32,767 characters")
			}
			if (field == fieldName || field == fieldID) && utf8.RuneCountInString(row[c.index]) > maxNameCharacters {
				return at.errorf("must have at most %d characters; vCenter allows 80", maxNameCharacters)
			}
		}
	}
	return nil
}

func sound(text string) bool {
	return (len(text) <= maxCellCharacters || utf8.RuneCountInString(text) <= maxCellCharacters) &&
		utf8.ValidString(text)
}
