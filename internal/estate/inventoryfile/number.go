// Number parsing. The decimal separator, a point or a comma, is determined once for the whole file.

package inventoryfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxBytes is the maximum size of a VM, 4 PiB. Up to this size, a float64 represents every whole number of bytes
// exactly.
const maxBytes = 1 << 52

type cell struct {
	sheet  string
	row    int
	column string
	text   string
}

func (c cell) errorf(format string, args ...any) error {
	return &CellError{Sheet: c.sheet, Row: c.row, Column: c.column, Detail: fmt.Sprintf(format, args...)}
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

var separators = [interpretations]string{".", ","}

func (d *decimals) interpretation() (int, error) {
	switch {
	case d.point != nil && d.comma != nil:
		return 0, d.comma.errorf("%s has a decimal comma or a point as the thousands separator, but %s in row %d has the "+
			"opposite", quote(d.comma.text), quote(d.point.text), d.point.row)
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
		return cell{sheet: i.sheet, row: vm.Row, column: header, text: text}
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
			return nil, c.errorf("Excel shows some cells of the column as percentages but stores them as fractions, such as " +
				"0.05 for 5%%. Format the column as a number and multiply it by 100, or save the sheet as CSV")
		}
		value, err := parseNumber(c, separators[reading])
		return &value, err
	}
}

func quote(text string) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "..."
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
	if err != nil {
		return 0, c.notNumberError()
	}
	return value, nil
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

func parseSize(c cell, separator string, unit int64) (int64, error) {
	value, err := parseNumber(c, separator)
	if err != nil {
		return 0, err
	}
	total := math.Round(value * float64(unit))
	if value < 0 || total > maxBytes {
		return 0, c.errorf("must be from 0 to 4 PiB, got %s", quote(c.text))
	}
	return int64(total), nil
}

func parseCount(c cell, separator string, _ int64) (int64, error) {
	value, err := parseNumber(c, separator)
	if err != nil {
		return 0, err
	}
	if value != math.Trunc(value) || value < 0 || value > 1e6 {
		return 0, c.errorf("must be a whole number from 0 to 1,000,000, got %s", quote(c.text))
	}
	return int64(value), nil
}

func parseBoth(c cell, unit int64, parse func(cell, string, int64) (int64, error)) (
	values [interpretations]int64, errs [interpretations]error,
) {
	values[point], errs[point] = parse(c, separators[point], unit)
	if !strings.ContainsAny(c.text, ".,") {
		values[comma], errs[comma] = values[point], errs[point]
		return values, errs
	}
	values[comma], errs[comma] = parse(c, separators[comma], unit)
	return values, errs
}

type filter struct {
	name, wanted, value string
	matches             bool
}

func (o *Options) filters(vm *VM) [4]filter {
	return [...]filter{
		{"power state", o.PowerState, vm.PowerState, o.PowerState == vm.PowerState},
		{"cluster", o.Cluster, vm.Cluster, o.Cluster == vm.Cluster},
		{"datacenter", o.Datacenter, vm.Datacenter, o.Datacenter == vm.Datacenter},
		{"folder", o.Folder, vm.Folder, IsBelow(vm.Folder, o.Folder)},
	}
}

// match reports whether a VM passes all filters. For each filter that no VM has passed yet, it records the VM's value.
func (b *builder) match(vm *VM) bool {
	all := b.options.Name == nil || b.options.Name.MatchString(vm.Name)
	for i, f := range b.options.filters(vm) {
		switch {
		case f.wanted == "":
		case f.matches:
			b.matched[i] = true
		default:
			all = false
			if f.value != "" && !b.matched[i] {
				if b.filterValues[i] == nil {
					b.filterValues[i] = map[string]struct{}{}
				}
				b.filterValues[i][f.value] = struct{}{}
			}
		}
	}
	return all
}

func (b *builder) unmatched() error {
	for i, f := range b.options.filters(&VM{}) {
		if f.wanted != "" && !b.matched[i] {
			names := slices.AppendSeq([]string{}, maps.Keys(b.filterValues[i]))
			return &FilterError{What: f.name, Name: f.wanted, Names: names}
		}
	}
	return nil
}

// IsBelow reports whether folder equals other or is below it.
func IsBelow(folder, other string) bool {
	folder, other = strings.Trim(folder, "/"), strings.Trim(other, "/")
	return folder == other || strings.HasPrefix(folder, other+"/")
}

// assignKeys sorts the VMs and makes their keys unique: the second "web" becomes "web#2".
func assignKeys(vms []VM) {
	for i := range vms {
		vms[i].Key = vms[i].ID
		if vms[i].Key == "" {
			vms[i].Key = vms[i].Name
		}
	}
	slices.SortStableFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
	repeats := false
	for i := 1; i < len(vms); i++ {
		repeats = repeats || vms[i].Key == vms[i-1].Key
	}
	if !repeats {
		return
	}
	taken := make(map[string]bool, len(vms))
	for i := range vms {
		taken[vms[i].Key] = true
	}
	count := map[string]int{}
	for i := range vms {
		key := vms[i].Key
		if count[key]++; count[key] == 1 {
			continue
		}
		for taken[fmt.Sprintf("%s#%d", key, count[key])] {
			count[key]++
		}
		vms[i].Key = fmt.Sprintf("%s#%d", key, count[key])
		taken[vms[i].Key] = true
	}
	slices.SortFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
}

// computeTotals computes the sums in whole bytes, so that they do not depend on the order of the rows.
func (i *Inventory) computeTotals() error {
	used, err := sumOf(i.VMs, func(vm *VM) *int64 { return &vm.UsedBytes })
	if err != nil {
		return err
	}
	i.UsedBytes = *used
	for sum, of := range map[**int64]func(vm *VM) *int64{
		&i.MemoryBytes:      func(vm *VM) *int64 { return vm.MemoryBytes },
		&i.ProvisionedBytes: func(vm *VM) *int64 { return vm.ProvisionedBytes },
		&i.DiskBytes:        func(vm *VM) *int64 { return vm.DiskBytes },
		&i.GuestUsedBytes:   func(vm *VM) *int64 { return vm.GuestUsedBytes },
	} {
		if *sum, err = sumOf(i.VMs, of); err != nil {
			return err
		}
	}
	return nil
}

// sumOf returns the sum of a value over all VMs, or nil if the value is unknown for any VM.
func sumOf(vms []VM, of func(vm *VM) *int64) (*int64, error) {
	var sum int64
	for i := range vms {
		bytes := of(&vms[i])
		if bytes == nil {
			return nil, nil //nolint:nilnil // unknown sum
		}
		if sum > math.MaxInt64-*bytes {
			return nil, fileError("the sizes in the file add up to more than 8 EiB")
		}
		sum += *bytes
	}
	return &sum, nil
}
