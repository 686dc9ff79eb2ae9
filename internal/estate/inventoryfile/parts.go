// Disks and file systems of VMs, from separate sheets.

package inventoryfile

import "github.com/xuri/excelize/v2"

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
