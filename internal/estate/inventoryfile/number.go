// Number parsing. The decimal separator, a point or a comma, is determined once for the whole file.

package inventoryfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxBytes is the maximum size of a VM, 4 PiB. Up to this size, a float64 represents every whole number of bytes
// exactly.
const maxBytes = 1 << 52

// minBytes is the smallest size of a VM, 10^-6 GiB, rounded up. A smaller size is unknown: vCenter reports 0 for a VM
// that it cannot examine.
const minBytes = 1074

// impossible is the value of a number that cannot be true.
const impossible = -1

type cell struct {
	sheet  string
	row    int
	column string
	text   string
	// vm is the name of the VM. It is empty for a header.
	vm string
}

func (c cell) errorf(format string, args ...any) *CellError {
	return &CellError{
		Sheet:  c.sheet,
		Row:    c.row,
		Column: c.column,
		VM:     c.vm,
		Detail: fmt.Sprintf(format, args...),
	}
}

type decimals struct {
	// point is the first cell that proves that the file uses a decimal point; comma is the first that proves that it
	// uses a decimal comma.
	point, comma *cell
	ambiguous    *cell
}

// stripSeparators removes unambiguous digit separators: spaces and apostrophes.
func stripSeparators(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', '\'', '\u2019':
			return -1
		}
		return r
	}, text)
}

// observe examines a number for evidence of the decimal separator. In a whole number, an ambiguous separator must be a
// thousands separator. In RVTools exports, memory sizes such as 16,384 MiB are often the only evidence.
func (d *decimals) observe(c cell, whole bool) {
	text := strings.TrimLeft(stripSeparators(c.text), "+-")
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	switch {
	case points == 0 && commas == 0:
	case points > 0 && commas > 0:
		d.decide(c, strings.LastIndex(text, ".") > strings.LastIndex(text, ","))
	case points > 1:
		d.decide(c, false)
	case commas > 1:
		d.decide(c, true)
	case mayBeThousands(text) && whole:
		d.decide(c, commas == 1)
	case mayBeThousands(text):
		if d.ambiguous == nil {
			d.ambiguous = &c
		}
	default:
		d.decide(c, points == 1)
	}
}

func (d *decimals) decide(c cell, point bool) {
	switch {
	case point && d.point == nil:
		d.point = &c
	case !point && d.comma == nil:
		d.comma = &c
	}
}

// mayBeThousands reports whether the only separator might be a thousands separator, as in 1.234, but not in 0.234,
// 12.34 or 1234.567.
func mayBeThousands(text string) bool {
	whole, rest, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
	return len(rest) == 3 && isDigits(rest) && len(whole) > 0 && len(whole) <= 3 && whole[0] != '0'
}

func isDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// Interpretations of a number, by decimal separator.
const (
	point = iota
	comma
	interpretations
)

// readingErrors contains the first error of each interpretation.
type readingErrors [interpretations]error

// add adds the errors of a number. It returns an error only if both interpretations of the number fail.
func (e *readingErrors) add(errs [interpretations]error) error {
	for i, err := range errs {
		e[i] = cmp.Or(e[i], err)
	}
	if errs[point] != nil && errs[comma] != nil {
		return errs[point]
	}
	return nil
}

var separators = [interpretations]string{".", ","}

func (d *decimals) interpretation() (int, error) {
	switch {
	case d.point != nil && d.comma != nil:
		return 0, d.comma.errorf("%s has a decimal comma or a point as the thousands separator, but %s in row %d has "+
			"the opposite", quote(d.comma.text), quote(d.point.text), d.point.row)
	case d.point != nil:
		return point, nil
	case d.comma != nil:
		return comma, nil
	case d.ambiguous != nil:
		text := stripSeparators(d.ambiguous.text)
		whole, rest, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
		return 0, d.ambiguous.errorf("%q is ambiguous: %s%s with a thousands separator, or %s.%s with a decimal "+
			"separator. No other number in the file shows which is used. Write it without a thousands separator",
			d.ambiguous.text, whole, rest, whole, rest)
	}
	return point, nil
}

// KeptNumbers returns a function that returns the number in a VM's cell of a kept column, or nil if the cell is empty.
// The numbers have the decimal separator of the file and, optionally, the unit.
func (i *Inventory) KeptNumbers(header, unit string) func(vm *VM) (*float64, error) {
	at, d := slices.Index(i.KeptColumns, header), i.decimals
	cellOf := func(vm *VM) cell {
		text := strings.TrimSpace(strings.TrimSuffix(vm.KeptCells[at], unit))
		return cell{sheet: i.table, row: vm.Row, column: header, text: text, vm: vm.Name}
	}
	for vm := range i.All() {
		d.observe(cellOf(vm), false)
	}
	reading, err := d.interpretation()
	return func(vm *VM) (*float64, error) {
		c := cellOf(vm)
		switch {
		case vm.KeptCells[at] == "":
			return nil, nil //nolint:nilnil // the cell is empty
		case err != nil:
			return nil, err
		case slices.Contains(i.fractions, header):
			return nil, c.errorf("Excel shows some cells of the column as percentages but stores them as fractions, " +
				"such as 0.05 for 5%%. Format the column as a number and multiply it by 100, or save the sheet as CSV")
		}
		value, err := parseNumber(c, separators[reading])
		return &value, err
	}
}

func parseNumber(c cell, separator string) (float64, error) {
	text := stripSeparators(c.text)
	thousands := map[string]string{".": ",", ",": "."}[separator]
	whole, rest, fraction := strings.Cut(text, separator)
	if groups := strings.Split(strings.TrimLeft(whole, "+-"), thousands); len(groups) > 1 {
		for i, group := range groups {
			if !isDigits(group) || i > 0 && len(group) != 3 || i == 0 && (len(group) == 0 || len(group) > 3) {
				return 0, c.notNumberError()
			}
		}
		whole = strings.ReplaceAll(whole, thousands, "")
	}
	if fraction {
		whole += "." + rest
	}
	if strings.Trim(whole, "0123456789.eE+-") != "" {
		return 0, c.notNumberError()
	}
	value, err := strconv.ParseFloat(whole, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, c.notNumberError()
	}
	return value, nil // infinite if it is too large
}

func (c cell) notNumberError() error {
	amount := strings.TrimRight(c.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit := strings.ToLower(c.text[len(amount):])
	amount = strings.TrimSpace(amount)
	bytes := bytesPerUnit[unit]
	switch {
	case bytes == 0 || stripSeparators(amount) == "":
		return c.errorf("must be a number, got %s", quote(c.text))
	case strings.HasSuffix(unit, "ib"):
		return c.errorf("must be a number in the unit of the column, got %s", quote(c.text))
	}
	decimal := map[int64]int{kib: 3, mib: 6, gib: 9, tib: 12}[bytes]
	return c.errorf("%s is ambiguous: %s times 10^%d bytes or times %d bytes. Write a number in the unit of the column",
		quote(c.text), amount, decimal, bytes)
}

// cutUnit cuts the unit off a number such as "1.2 TB". bytes is 0 if there is none. In a column in 10^9 or 10^12 bytes,
// the unit is decimal, too.
func cutUnit(text string, columnUnit int64) (number string, bytes int64) {
	number = strings.TrimRightFunc(text, unicode.IsLetter)
	unit := strings.ToLower(text[len(number):])
	bytes = bytesPerUnit[unit]
	number = strings.TrimSpace(number)
	if stripSeparators(number) == "" {
		return text, 0
	}
	if decimal := decimalUnits[unit]; decimal > 0 && (columnUnit == gb || columnUnit == tb) {
		bytes = decimal
	}
	if bytes == 0 {
		return text, 0
	}
	return number, bytes
}

var decimalUnits = map[string]int64{"kb": 1e3, "mb": 1e6, "gb": gb, "tb": tb, "pb": 1e15}

// numberRange is the range of a field.
type numberRange struct {
	unit  int64 // bytes
	most  float64
	whole bool
	text  string
}

func sizeRange(unit int64) numberRange {
	return numberRange{unit: unit, most: maxBytes, text: "from 0 to 4 PiB"}
}

// reading contains the values of a number in both interpretations. A value can be impossible.
type reading struct {
	values [interpretations]int64
	errs   [interpretations]error
}

func (n reading) isImpossible() bool {
	return n.values[point] == impossible || n.values[comma] == impossible
}

// parse parses the number in a cell of a column.
func (d *decimals) parse(c cell, column column, in numberRange, whole bool) reading {
	if column.isMapped && column.unit > 0 {
		if number, bytes := cutUnit(c.text, column.unit); bytes > 0 {
			c.text, in.unit = number, bytes
		}
	}
	d.observe(c, whole)
	var n reading
	n.values[point], n.errs[point] = in.parse(c, separators[point])
	if n.values[comma], n.errs[comma] = n.values[point], n.errs[point]; strings.ContainsAny(c.text, ".,") {
		n.values[comma], n.errs[comma] = in.parse(c, separators[comma])
	}
	return n
}

func (in numberRange) parse(c cell, separator string) (int64, error) {
	value, err := parseNumber(c, separator)
	if err != nil {
		return 0, err
	}
	total := math.Round(value * float64(in.unit))
	if value < 0 || total > in.most || in.whole && value != math.Trunc(value) {
		return impossible, nil
	}
	return int64(total), nil
}
