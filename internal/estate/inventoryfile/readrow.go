// Conversion of cells to rows.

package inventoryfile

func (b *builder) readRow(cells []string, number int) (r *row, reason string, err error) {
	text := func(field string) string { return b.layout.text(field, cells) }
	shared := func(field string) string { return b.layout.internedText(field, cells) }
	r = &row{server: shared(fieldServer), serverUUID: shared(fieldServerUUID)}
	r.vm = VM{
		Row:          number,
		ID:           text(fieldID),
		Name:         text(fieldName),
		InstanceUUID: text(fieldInstanceUUID),
		UUID:         text(fieldUUID),
		Datacenter:   shared(fieldDatacenter),
		Cluster:      shared(fieldCluster),
		Host:         shared(fieldHost),
		Folder:       shared(fieldFolder),
		KeptCells:    b.kept.cells(cells),
	}
	if err := b.longTexts.addRow(r); err != nil {
		return r, "", err
	}
	reason, err = b.readStates(r, cells, number)
	return r, reason, err
}

var countRange = numberRange{unit: 1, most: 1e6, whole: true, text: "a whole number from 0 to 1,000,000"}

func (b *builder) convertNumbers(r *row, cells []string, number int) error {
	for at := range numericFields {
		if err := b.convertNumber(r, at, cells, number); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) convertNumber(r *row, at int, cells []string, number int) error {
	field := numericFields[at]
	c, column := b.layout.cell(field, cells, b.table, number)
	if c.text == "" {
		return nil
	}
	c.vm = r.vm.Name
	in := sizeRange(column.unit)
	// vCenter reports memory in whole MiB, but other CSV files may contain fractions.
	whole := field == fieldMemory && b.format != CSV
	if field == fieldCPU {
		in = countRange
		whole = true
	}
	n := b.numbers.parse(c, column, in, whole)
	if err := b.errs.add(n.errs); err != nil {
		return err
	}
	if n.isImpossible() {
		r.impossible = append(r.impossible, newImpossibleCell(c, n, in.text))
	}
	r.setNumber(at, n)
	return nil
}
