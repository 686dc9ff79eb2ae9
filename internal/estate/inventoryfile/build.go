// Conversion of rows to VMs. A single number can determine the decimal separator of the whole file, so both
// interpretations are kept until the end.

package inventoryfile

import (
	"slices"
	"strings"
	"unique"
)

type builder struct {
	options     Options
	format      string
	sheet       string
	headers     map[string][]string
	layout      layout
	width       int // number of cells in the header row
	keptColumns []column
	// percentColumns contains the columns with percent formats; fractions contains the kept ones.
	percentColumns map[sheetColumn]bool
	fractions      []string
	// widest is the number of cells in the longest row that might be a header row.
	widest int

	// matched records, for each filter, whether any VM has passed it. Until a VM passes a filter, filterValues collects
	// the values that the filter has seen.
	matched      [4]bool
	filterValues [4]map[string]struct{}

	rows     rowChunks
	excluded []vmIdentity
	skipped  []Skipped
	numbers  decimals
	errs     [interpretations]error
	// longTexts contains the long strings of the result; longBytes is their total size.
	longTexts map[unique.Handle[string]]struct{}
	longBytes int
	uuidsByVM map[vmIdentity][]string
}

// numericFields contains the numeric fields in the order of row.numbers.
var numericFields = [...]string{fieldCPU, fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

func (b *builder) add(cells []string, number int) error {
	if !slices.ContainsFunc(cells, isFilled) {
		return nil
	}
	if isHeader, err := b.isHeaderRow(cells); isHeader || err != nil {
		return err
	}
	if err := b.checkWidth(cells, number); err != nil {
		return err
	}
	if b.rows.count+len(b.excluded) == maxRows {
		return fileError("the file has more than %d VM rows", maxRows)
	}
	if err := b.layout.checkCells(cells, b.sheet, number); err != nil {
		return err
	}
	r, reason, err := b.readRow(cells, number)
	if err != nil {
		return err
	}
	if reason != SkippedNoName && !b.match(&r.vm) {
		b.excluded = append(b.excluded, r.identity())
		return nil
	}
	if err := b.convertNumbers(&r, cells, number); err != nil {
		return err
	}
	switch {
	case reason != "":
	case b.layout.text(fieldUsed, cells) == "":
		reason = SkippedNoSize
	case b.isDuplicate(&r):
		reason = SkippedDuplicate
	}
	b.addRow(r, reason, number)
	return nil
}

// addRow adds a VM. A VM without a size and an inaccessible VM are skipped, but remain rows.
func (b *builder) addRow(r row, reason string, number int) {
	if reason != "" {
		b.skipped = append(b.skipped, Skipped{Sheet: b.sheet, Row: number, ID: r.vm.ID, Name: r.vm.Name, Reason: reason})
	}
	if r.vm.SkipReason = reason; reason != "" && reason != SkippedNoSize && reason != SkippedInaccessible {
		b.excluded = append(b.excluded, r.identity())
		return
	}
	b.rows.add(r)
}

func (b *builder) checkWidth(cells []string, number int) error {
	if b.sheet == "" && slices.ContainsFunc(cells[min(b.width, len(cells)):], isFilled) {
		return fileError("row %d has %d cells, but the header row has %d. Enclose cells that contain the delimiter, such as "+
			"the number 204,800, in quotation marks", number, len(cells), b.width)
	}
	return nil
}

func isFilled(text string) bool { return strings.TrimSpace(text) != "" }

// isHeaderRow reports whether a row is another header row, as in concatenated files. Its layout then applies to the
// rows that follow.
func (b *builder) isHeaderRow(cells []string) (bool, error) {
	if b.layout.isHeaderRow(cells) {
		b.width = max(b.width, len(cells))
		return true, nil
	}
	if !hasHeader(cells, b.headers[fieldUsed]) {
		return false, nil
	}
	found, missing := matchHeaders(cells, b.headers)
	if missing != nil {
		return false, nil
	}
	return true, b.setLayout(found, cells)
}

func (b *builder) setLayout(found layout, header []string) error {
	b.layout, b.width = found, len(header)
	b.keptColumns = nil
	for _, name := range b.options.KeepColumns {
		i, err := findColumn(header, name)
		if err != nil {
			return err
		}
		b.keptColumns = append(b.keptColumns, column{index: i, header: name})
		if b.percentColumns[sheetColumn{b.sheet, i}] {
			b.fractions = append(b.fractions, name)
		}
	}
	return nil
}

func (b *builder) readRow(cells []string, number int) (r row, reason string, err error) {
	text := func(field string) string { return b.layout.text(field, cells) }
	shared := func(field string) string { return b.layout.internedText(field, cells) }
	r.vm = VM{
		Row: number, ID: text(fieldID), Name: text(fieldName), InstanceUUID: text(fieldInstanceUUID),
		Datacenter: shared(fieldDatacenter), Cluster: shared(fieldCluster), Host: shared(fieldHost),
		Folder: shared(fieldFolder),
	}
	for _, column := range b.keptColumns {
		value := ""
		if column.index < len(cells) {
			value = strings.TrimSpace(cells[column.index])
		}
		r.vm.KeptCells = append(r.vm.KeptCells, unique.Make(value).Value())
	}
	r.server, r.serverUUID, r.uuid = shared(fieldServer), shared(fieldServerUUID), text(fieldUUID)
	if err := b.limitLongTexts(&r, number); err != nil {
		return r, "", err
	}
	reason, err = b.readStates(&r, cells, number)
	return r, reason, err
}

func (b *builder) limitLongTexts(r *row, number int) error {
	vm := &r.vm
	texts := append([]string{
		vm.ID, vm.Name, vm.InstanceUUID, vm.Datacenter, vm.Cluster, vm.Host, vm.Folder, r.server, r.serverUUID, r.uuid,
	}, vm.KeptCells...)
	for _, text := range texts {
		if len(text) <= longText {
			continue
		}
		handle := unique.Make(text)
		if _, known := b.longTexts[handle]; known {
			continue
		}
		if b.longTexts == nil {
			b.longTexts = map[unique.Handle[string]]struct{}{}
		}
		b.longTexts[handle] = struct{}{}
		if b.longBytes += len(text); b.longBytes > maxLongBytes {
			return fileError("row %d: the file has more than 16 MiB of text in cells of more than %d bytes", number, longText)
		}
	}
	return nil
}

func (b *builder) readStates(r *row, cells []string, number int) (reason string, err error) {
	at := func(field string) cell {
		c, _ := b.layout.cell(field, cells, b.sheet, number)
		return c
	}
	template, err := parseBool(at(fieldTemplate))
	if err != nil {
		return "", err
	}
	placeholder, err := parseBool(at(fieldPlaceholder))
	if err != nil {
		return "", err
	}
	if c := at(fieldTracking); c.text != "" {
		tracking, err := parseBool(c)
		if err != nil {
			return "", err
		}
		r.vm.Tracking = &tracking
	}
	if r.vm.PowerState, err = parsePowerState(at(fieldPowerState)); err != nil {
		return "", err
	}
	connection := strings.ToLower(at(fieldConnection).text)
	switch {
	case r.vm.Name == "":
		return SkippedNoName, nil
	case template && !b.options.Templates:
		return SkippedTemplate, nil
	case placeholder && !b.options.Placeholders:
		return SkippedPlaceholder, nil
	case connection != "" && connection != "connected":
		return SkippedInaccessible, nil
	}
	return "", nil
}

func (b *builder) convertNumbers(r *row, cells []string, number int) error {
	for at, field := range numericFields {
		c, column := b.layout.cell(field, cells, b.sheet, number)
		if c.text == "" {
			continue
		}
		parse := parseSize
		if field == fieldCPU {
			parse = parseCount
		}
		// vCenter reports memory in whole MiB, but other CSV files may contain fractions.
		b.numbers.observe(c, field == fieldCPU || field == fieldMemory && b.format != CSV)
		values, errs := parseBoth(c, column.unit, parse)
		if err := b.recordErrors(errs); err != nil {
			return err
		}
		if values[point] != values[comma] && r.commaNumbers == nil {
			r.commaNumbers = new(r.numbers)
		}
		if r.numbers[at], r.known[at] = values[point], true; r.commaNumbers != nil {
			r.commaNumbers[at] = values[comma]
		}
	}
	return nil
}

// recordErrors stores the first error of each interpretation. It returns an error only if both interpretations of a
// number fail.
func (b *builder) recordErrors(errs [interpretations]error) error {
	for i, err := range errs {
		if b.errs[i] == nil {
			b.errs[i] = err
		}
	}
	if errs[point] != nil && errs[comma] != nil {
		return errs[point]
	}
	return nil
}

// isDuplicate reports whether a VM with the same ID and vCenter has already been read. VMs with different instance
// UUIDs are not duplicates. If neither the vCenter nor the UUID is known, they also have the same name and cluster.
func (b *builder) isDuplicate(r *row) bool {
	key := vmIdentity{serverUUID: r.serverUUID, id: r.vm.ID}
	if key.serverUUID == "" {
		key.server = r.server
	}
	if key == (vmIdentity{id: r.vm.ID}) && r.vm.InstanceUUID == "" {
		key.name = r.vm.Name + "\n" + r.vm.Cluster
	}
	if key.id == "" {
		if key.uuid = r.vm.InstanceUUID; key.uuid == "" {
			return false
		}
	}
	before := b.uuidsByVM[key]
	for _, uuid := range before {
		if uuid == r.vm.InstanceUUID || uuid == "" || r.vm.InstanceUUID == "" {
			return true
		}
	}
	if b.uuidsByVM == nil {
		b.uuidsByVM = map[vmIdentity][]string{}
	}
	b.uuidsByVM[key] = append(before, r.vm.InstanceUUID)
	return false
}

// build chooses the interpretation of the numbers and builds the result. disks and fileSystems come from separate
// sheets and can be nil.
func (b *builder) build(disks, fileSystems *partSizes) (Inventory, error) {
	reading, err := b.numbers.interpretation()
	if err != nil {
		return Inventory{}, err
	}
	for _, err := range []error{b.errs[reading], disks.err(reading), fileSystems.err(reading)} {
		if err != nil {
			return Inventory{}, err
		}
	}
	result := Inventory{
		Format: b.format, VMs: make([]VM, 0, b.rows.count), Skipped: b.skipped, KeptColumns: b.options.KeepColumns,
		Unmatched: b.unmatched(), sheet: b.sheet, decimals: b.numbers, fractions: b.fractions,
	}
	disks.countIdentities(b)
	fileSystems.countIdentities(b)
	for i, chunk := range b.rows.all {
		for n := range chunk {
			if r := &chunk[n]; r.vm.SkipReason == "" {
				result.VMs = append(result.VMs, r.toVM(reading, disks, fileSystems))
			} else if !b.isDuplicate(r) {
				result.Unsized = append(result.Unsized, r.toVM(reading, disks, fileSystems))
			}
		}
		b.rows.all[i] = nil
	}
	assignKeys(result.VMs)
	assignKeys(result.Unsized)
	return result, result.computeTotals()
}

func (r *row) toVM(reading int, disks, fileSystems *partSizes) VM {
	n := r.values(reading)
	r.vm.CPUCount, r.vm.UsedBytes = n[0], n[3]
	for at, known := range map[int]**int64{
		1: &r.vm.MemoryBytes, 2: &r.vm.ProvisionedBytes, 4: &r.vm.DiskBytes, 5: &r.vm.GuestUsedBytes,
	} {
		if r.known[at] {
			*known = new(n[at])
		}
	}
	if sum, ok := disks.forVM(r.identity()); ok {
		r.vm.DiskBytes = new(sum[reading])
	}
	if sum, ok := fileSystems.forVM(r.identity()); ok {
		r.vm.GuestUsedBytes = new(sum[reading])
	}
	return r.vm
}
