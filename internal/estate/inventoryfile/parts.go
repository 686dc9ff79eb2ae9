// Disks and file systems of VMs, from separate sheets.

package inventoryfile

import (
	"strings"
	"unicode/utf8"
	"unique"

	"github.com/xuri/excelize/v2"
)

type vmIdentity struct{ server, serverUUID, id, uuid, name string }

// partSizes contains the total size of each VM's disks or file systems in both interpretations. How a VM is identified
// depends on the columns of the sheet.
type partSizes struct {
	// layout is the layout of this sheet; vmLayout is that of the VM sheet.
	layout   layout
	vmLayout layout
	sums     map[vmIdentity][interpretations]int64
	errs     [interpretations]error
	// counts is the number of VMs per identity, including VMs that are not in the result.
	counts map[vmIdentity]int
}

// partHeaders returns the headers of vDisk (disk capacity) or vPartition (space used in the guest's file systems).
func partHeaders(sheet, size string) map[string][]string {
	return map[string][]string{
		fieldName:       {"VM", sheet + "VMName"},
		fieldID:         {"VM ID", sheet + "VMID", sheet + "ObjectID"},
		fieldUUID:       {"VM UUID", sheet + "UUID"},
		fieldServer:     {"VI SDK Server", sheet + "VISDKServer"},
		fieldServerUUID: {"VI SDK UUID", sheet + "VISDKUUID"},
		fieldUsed:       {size + " MiB", size + " MB", sheet + size + "MiB", sheet + size},
	}
}

func (p *partSizes) identity(o vmIdentity) vmIdentity {
	has := func(field string) bool { return p.vmLayout[field] != nil && p.layout[field] != nil }
	var key vmIdentity
	switch {
	case has(fieldServerUUID) && o.serverUUID != "":
		key.serverUUID = o.serverUUID
	case has(fieldServer):
		key.server = o.server
	}
	switch {
	case has(fieldID) && o.id != "":
		key.id = o.id
	case has(fieldUUID) && o.uuid != "":
		key.uuid = o.uuid
	default:
		key.name = o.name
	}
	return key
}

// forVM returns the sums of a VM. It returns false if the sheet does not contain the VM or if several VMs share its
// identity.
func (p *partSizes) forVM(vm vmIdentity) ([interpretations]int64, bool) {
	if p == nil {
		return [interpretations]int64{}, false
	}
	key := p.identity(vm)
	sum, ok := p.sums[key]
	return sum, ok && p.counts[key] == 1
}

func (p *partSizes) countIdentities(b *builder) {
	if p == nil {
		return
	}
	p.counts = make(map[vmIdentity]int, b.rows.count)
	for _, chunk := range b.rows.all {
		for i := range chunk {
			p.counts[p.identity(chunk[i].identity())]++
		}
	}
	for _, other := range b.excluded {
		p.counts[p.identity(other)]++
	}
}

func (p *partSizes) err(reading int) error {
	if p == nil {
		return nil
	}
	return p.errs[reading]
}

// readParts reads a sheet of disks or file systems. It returns nil if the workbook has no such sheet.
func (b *builder) readParts(a *archive, book *excelize.File, sheet, what, size string) (*partSizes, error) {
	if sheet == "" {
		return nil, nil
	}
	p := &partSizes{vmLayout: b.layout, sums: map[vmIdentity][interpretations]int64{}}
	headers := partHeaders(what, size)
	rows := 0
	err := a.eachRow(book, sheet, func(row []string, _ int) (bool, error) {
		found, missing := matchHeaders(row, headers)
		if missing == nil {
			p.layout = found
		}
		return missing == nil, nil
	}, func(row []string, number int) error {
		if rows++; rows > maxPartRows {
			return fileError("sheet %q has more than %d rows", sheet, maxPartRows)
		}
		if p.layout.isHeaderRow(row) {
			return nil
		}
		return p.add(b, row, sheet, number)
	})
	if err != nil || p.layout == nil {
		return nil, err
	}
	return p, nil
}

func (p *partSizes) add(b *builder, row []string, sheet string, number int) error {
	if err := p.layout.checkCells(row, sheet, number); err != nil {
		return err
	}
	c, column := p.layout.cell(fieldUsed, row, sheet, number)
	if c.text == "" {
		return nil
	}
	b.numbers.observe(c, false)
	values, errs := parseBoth(c, column.unit, parseSize)
	text := func(field string) string { return p.layout.text(field, row) }
	vm := vmIdentity{text(fieldServer), text(fieldServerUUID), text(fieldID), text(fieldUUID), text(fieldName)}
	key := p.identity(vm)
	sum := p.sums[key]
	for i := range interpretations {
		if sum[i] += values[i]; sum[i] > maxBytes && errs[i] == nil {
			errs[i] = c.errorf("the disks or partitions of %s add up to more than 4 PiB", quote(vm.name))
			sum[i] = 0
		}
		if p.errs[i] == nil {
			p.errs[i] = errs[i]
		}
	}
	p.sums[key] = sum
	if errs[point] != nil && errs[comma] != nil {
		return errs[point]
	}
	return nil
}

type row struct {
	vm VM
	// server, serverUUID and uuid identify the VM in other sheets.
	server, serverUUID, uuid string
	// numbers contains the values read with a decimal point. commaNumbers contains those read with a decimal comma, or
	// is nil if both readings are the same.
	numbers      [len(numericFields)]int64
	commaNumbers *[len(numericFields)]int64
	known        [len(numericFields)]bool
}

func (r *row) identity() vmIdentity {
	return vmIdentity{server: r.server, serverUUID: r.serverUUID, id: r.vm.ID, uuid: r.uuid, name: r.vm.Name}
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

// parseBool parses a flag in English or German. An empty cell is false.
func parseBool(c cell) (bool, error) {
	switch strings.ToLower(c.text) {
	case "true", "wahr", "yes", "ja", "1":
		return true, nil
	case "", "false", "falsch", "no", "nein", "0":
		return false, nil
	}
	return false, c.errorf("must be true or false, got %s", quote(c.text))
}

func parsePowerState(c cell) (string, error) {
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
