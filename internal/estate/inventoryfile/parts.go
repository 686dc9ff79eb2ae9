// The disks and file systems of VMs, from separate sheets.

package inventoryfile

import "github.com/xuri/excelize/v2"

// owner is how sheets refer to a VM.
type owner struct{ server, serverUUID, id, uuid, name string }

// parts are the sums of a VM's disks or file systems, both readings, by the identity that the sheet has.
type parts struct {
	// layout is that of the sheet, and shared the fields that the sheet of VMs has as well.
	layout layout
	shared layout
	sums   map[owner][readings]int64
	errs   [readings]error
	// counts are how many VMs have an identity, those that are no VM of the result too.
	counts map[owner]int
}

// partHeaders are the headers of vDisk (capacity) and vPartition (what the guest's file systems use).
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

// key reduces an owner to the strongest identity that both sheets have.
func (p *parts) key(o owner) owner {
	has := func(field string) bool { return p.shared[field] != nil && p.layout[field] != nil }
	var key owner
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

// of returns the sums of a VM. An identity that several VMs have identifies none of them.
func (p *parts) of(vm owner) ([readings]int64, bool) {
	if p == nil {
		return [readings]int64{}, false
	}
	key := p.key(vm)
	sum, ok := p.sums[key]
	return sum, ok && p.counts[key] == 1
}

func (p *parts) identify(b *builder) {
	if p == nil {
		return
	}
	p.counts = make(map[owner]int, b.rows.count)
	for _, chunk := range b.rows.all {
		for i := range chunk {
			p.counts[p.key(chunk[i].owner())]++
		}
	}
	for _, other := range b.others {
		p.counts[p.key(other)]++
	}
}

func (p *parts) err(reading int) error {
	if p == nil {
		return nil
	}
	return p.errs[reading]
}

// readParts reads a sheet of disks or file systems, where RVTools wrote it: nil otherwise.
func (b *builder) readParts(a *archive, book *excelize.File, sheet, what, size string) (*parts, error) {
	if sheet == "" {
		return nil, nil
	}
	p := &parts{shared: b.layout, sums: map[owner][readings]int64{}}
	headers := partHeaders(what, size)
	rows := 0
	err := a.eachRow(book, sheet, func(row []string, _ int) (bool, error) {
		found, missing := known(row, headers)
		if missing == nil {
			p.layout = found
		}
		return missing == nil, nil
	}, func(row []string, number int) error {
		if rows++; rows > maxPartRows {
			return fileError("sheet %q has more than %d rows", sheet, maxPartRows)
		}
		if p.layout.repeats(row) {
			return nil
		}
		return p.add(b, row, sheet, number)
	})
	if err != nil || p.layout == nil {
		return nil, err
	}
	return p, nil
}

func (p *parts) add(b *builder, row []string, sheet string, number int) error {
	if err := p.layout.sound(row, sheet, number); err != nil {
		return err
	}
	c, column := p.layout.cell(fieldUsed, row, sheet, number)
	if c.text == "" {
		return nil
	}
	b.numbers.observe(c, false)
	values, errs := both(c, column.unit, size)
	text := func(field string) string { return p.layout.text(field, row) }
	vm := owner{text(fieldServer), text(fieldServerUUID), text(fieldID), text(fieldUUID), text(fieldName)}
	key := p.key(vm)
	sum := p.sums[key]
	for i := range readings {
		if sum[i] += values[i]; sum[i] > maxBytes && errs[i] == nil {
			errs[i] = c.errorf("the parts of %s add up to more than 4 PiB", quote(vm.name))
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
