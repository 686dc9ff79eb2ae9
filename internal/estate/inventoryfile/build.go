// Conversion of rows to VMs. A single number can determine the decimal separator of the whole file, so both
// interpretations are kept until the end.

package inventoryfile

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unique"
)

type builder struct {
	options     Options
	format      string
	table       string
	kind        headerKind
	layout      layout
	width       int // number of cells in the header row
	keptColumns []column
	// sizesElsewhere is set if the file has tables of disks or file systems.
	sizesElsewhere bool
	// percentColumns contains the columns with percent formats; allKept contains the kept columns of all header rows.
	percentColumns map[sheetColumn]bool
	allKept        []column
	// widest is the number of cells in the longest row that might be a header row.
	widest int

	rows     rowChunks
	numRows  int // including the rows that are not in rows
	excluded []vmIdentity
	skipped  []Skipped
	notes    []string
	totals   totals
	ids      unknownIDs
	survey   survey
	numbers  decimals
	errs     [interpretations]error
	// longTexts contains the long strings of the result; longBytes is their total size.
	longTexts map[unique.Handle[string]]struct{}
	longBytes int
	known     map[vmIdentity][]places
}

// places tells VMs with the same ID apart.
type places struct{ instanceUUID, uuid, datacenter string }

// progressRows is the number of rows between two calls of Options.Progress.
const progressRows = 500

// numericFields contains the numeric fields in the order of row.numbers.
var numericFields = [...]string{fieldCPU, fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

func (b *builder) add(cells []string, number int) error {
	if isHeader, err := b.isHeaderRow(cells); isHeader || err != nil {
		return err
	}
	if err := b.checkWidth(cells, number); err != nil {
		return err
	}
	if b.numRows++; b.numRows > maxRows {
		return fileError("the file has more than %d VM rows", maxRows)
	}
	if err := b.layout.checkCells(cells, b.table, number); err != nil {
		return err
	}
	r, reason, err := b.readRow(cells, number)
	if err != nil {
		return err
	}
	b.observe(cells)
	if reason != SkippedNoName && !b.options.match(&r.vm) {
		b.excluded = append(b.excluded, r.identity())
		return nil
	}
	if err := b.convertNumbers(r, cells, number); err != nil {
		return err
	}
	b.totals.observe(r)
	if reason == "" && b.isDuplicate(r) {
		reason = SkippedDuplicate
	}
	if reason != "" {
		b.skip(r, reason)
	}
	if reason != "" && reason != SkippedInaccessible {
		b.excluded = append(b.excluded, r.identity())
		return nil
	}
	r.vm.Inaccessible = reason == SkippedInaccessible
	b.rows.add(*r)
	return nil
}

// observe collects what the result says about the columns that are not read, and reports the progress.
func (b *builder) observe(cells []string) {
	b.ids.observe(cells)
	b.survey.observe(cells)
	if b.options.Progress != nil && b.numRows%progressRows == 0 {
		b.options.Progress(b.numRows)
	}
}

func (b *builder) skip(r *row, reason string) {
	b.skipped = append(b.skipped, Skipped{
		Sheet:  b.table,
		Row:    r.vm.Row,
		ID:     r.vm.ID,
		Name:   r.vm.Name,
		Reason: reason,
	})
}

func (b *builder) checkWidth(cells []string, number int) error {
	if !b.isSheet() && slices.ContainsFunc(cells[min(b.width, len(cells)):], isFilled) {
		return fileError("row %d has %d cells, but the header row has %d. Enclose cells that contain the delimiter, "+
			"such as the number 204,800, in quotation marks", number, len(cells), b.width)
	}
	return nil
}

// isSheet reports whether the table is a sheet of a workbook, whose cells have no delimiter.
func (b *builder) isSheet() bool {
	return b.table != "" && !strings.HasSuffix(strings.ToLower(b.table), csvExtension)
}

// identities iterates over the VMs of all rows.
func (b *builder) identities() iter.Seq[vmIdentity] {
	return func(yield func(vmIdentity) bool) {
		for _, chunk := range b.rows.all {
			for i := range chunk {
				if !yield(chunk[i].identity()) {
					return
				}
			}
		}
		for _, other := range b.excluded {
			if !yield(other) {
				return
			}
		}
	}
}

func isFilled(text string) bool { return strings.TrimSpace(text) != "" }

// isHeaderRow reports whether a row is another header row, as in concatenated files. Its layout then applies to the
// rows that follow.
func (b *builder) isHeaderRow(cells []string) (bool, error) {
	if b.layout.isHeaderRow(cells) {
		b.width = max(b.width, len(cells))
		return true, nil
	}
	if !hasHeader(cells, b.kind.headers[fieldName]) {
		return false, nil
	}
	found, missing, err := matchHeaders(cells, b.kind.headers, b.sizesElsewhere)
	if missing != nil || err != nil {
		return false, err
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
	}
	b.allKept = append(b.allKept, b.keptColumns...)
	b.ids.setHeader(header, found)
	if b.options.Survey {
		b.survey.setHeader(header, found)
	}
	return nil
}

// fractions returns the kept columns with cells that Excel shows as percentages.
func (b *builder) fractions() []string {
	var all []string
	for _, c := range b.allKept {
		if b.percentColumns[sheetColumn{b.table, c.index}] {
			all = append(all, c.header)
		}
	}
	return all
}

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
	}
	for _, column := range b.keptColumns {
		value := ""
		if column.index < len(cells) {
			value = strings.TrimSpace(cells[column.index])
		}
		r.vm.KeptCells = append(r.vm.KeptCells, unique.Make(value).Value())
	}
	if err := b.limitLongTexts(r, number); err != nil {
		return r, "", err
	}
	reason, err = b.readStates(r, cells, number)
	return r, reason, err
}

func (b *builder) limitLongTexts(r *row, number int) error {
	vm := &r.vm
	texts := append([]string{
		vm.ID, vm.Name, vm.InstanceUUID, vm.Datacenter, vm.Cluster, vm.Host, vm.Folder, r.server, r.serverUUID, vm.UUID,
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
			return fileError(
				"row %d: the file has more than 16 MiB of text in cells of more than %d bytes",
				number,
				longText,
			)
		}
	}
	return nil
}

var countRange = numberRange{unit: 1, most: 1e6, whole: true, text: "a whole number from 0 to 1,000,000"}

func (b *builder) convertNumbers(r *row, cells []string, number int) error {
	for at, field := range numericFields {
		c, column := b.layout.cell(field, cells, b.table, number)
		if c.text == "" {
			continue
		}
		c.vm = r.vm.Name
		in := sizeRange(column.unit)
		if field == fieldCPU {
			in = countRange
		}
		// vCenter reports memory in whole MiB, but other CSV files may contain fractions.
		n := b.numbers.parse(c, column, in, field == fieldCPU || field == fieldMemory && b.format != CSV)
		if err := b.recordErrors(n.errs); err != nil {
			return err
		}
		if n.isImpossible() {
			r.impossible = append(r.impossible, newImpossibleCell(c, n, in.text))
		}
		if n.values[point] != n.values[comma] && r.commaNumbers == nil {
			r.commaNumbers = new(r.numbers)
		}
		if r.numbers[at], r.known[at] = n.values[point], true; r.commaNumbers != nil {
			r.commaNumbers[at] = n.values[comma]
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

// isDuplicate reports whether a VM with the same ID and vCenter has already been read. VMs with different UUIDs or
// datacenters are not duplicates. If neither the vCenter nor a UUID is known, they also have the same name and cluster.
func (b *builder) isDuplicate(r *row) bool {
	key := vmIdentity{serverUUID: r.serverUUID, id: r.vm.ID}
	if key.serverUUID == "" {
		key.server = r.server
	}
	if key == (vmIdentity{id: r.vm.ID}) && r.vm.InstanceUUID == "" && r.vm.UUID == "" {
		key.name = r.vm.Name + "\n" + r.vm.Cluster
	}
	if key.id == "" {
		if key.uuid = cmp.Or(r.vm.InstanceUUID, r.vm.UUID); key.uuid == "" {
			return false
		}
	}
	before, at := b.known[key], places{r.vm.InstanceUUID, r.vm.UUID, r.vm.Datacenter}
	for _, other := range before {
		if !differ(other.instanceUUID, at.instanceUUID) && !differ(other.uuid, at.uuid) &&
			!differ(other.datacenter, at.datacenter) {
			return true
		}
	}
	if b.known == nil {
		b.known = map[vmIdentity][]places{}
	}
	b.known[key] = append(before, at)
	return false
}

// differ reports whether both values are known and different.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// build chooses the interpretation of the numbers and builds the result. disks and fileSystems come from separate
// tables and can be nil.
func (b *builder) build(disks, fileSystems *parts) (Inventory, error) {
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
		Format:      b.format,
		VMs:         make([]VM, 0, b.rows.count),
		KeptColumns: b.options.KeepColumns,
		Surveyed:    b.survey.columns(),
		table:       b.table,
		decimals:    b.numbers,
		fractions:   b.fractions(),
	}
	disks.countIdentities(b)
	fileSystems.countIdentities(b)
	guests := guestSizes{}
	for i, chunk := range b.rows.all {
		for n := range chunk {
			r := &chunk[n]
			switch {
			case b.totals.contains(r, reading):
				b.skip(r, SkippedTotal)
				b.notes = append(b.notes,
					fmt.Sprintf("Row %d, %s, contains totals and is not a VM.", r.vm.Row, quote(r.vm.Name)))
				continue
			case r.vm.Inaccessible && b.isDuplicate(r):
				continue
			}
			vm := b.toVM(r, reading, disks, fileSystems, &guests)
			result.Unknown = append(result.Unknown, unknown(r.impossible, reading)...)
			if r.vm.Inaccessible {
				result.Inaccessible = append(result.Inaccessible, vm)
				continue
			}
			if vm.UsedBytes == nil && b.layout[fieldUsed] != nil {
				b.skip(r, SkippedNoSize)
			}
			result.VMs = append(result.VMs, vm)
		}
		b.rows.all[i] = nil
	}
	if err := b.checkNames(result.VMs); err != nil {
		return Inventory{}, err
	}
	result.Unknown = slices.Concat(result.Unknown, disks.unknown(reading), fileSystems.unknown(reading))
	slices.SortStableFunc(b.skipped, func(a, b Skipped) int { return cmp.Compare(a.Row, b.Row) })
	result.Skipped = b.skipped
	assignKeys(result.VMs)
	assignKeys(result.Inaccessible)
	result.Notes = slices.Concat(b.notes, b.ids.notes(), guests.notes(), disks.notes())
	result.Sizes = b.sizes(disks, fileSystems)
	if len(result.Sizes) == 0 {
		return Inventory{}, fileError("%sthere is no size of the VMs: neither used, provisioned nor virtual disks",
			b.prefix())
	}
	return result, result.computeTotals()
}

// sizes returns the storage sizes that the file contains.
func (b *builder) sizes(disks, fileSystems *parts) []string {
	var all []string
	for _, size := range storageSizes {
		if b.layout[size] != nil || size == fieldDisk && disks != nil || size == fieldGuestUsed && fileSystems != nil {
			all = append(all, size)
		}
	}
	return all
}

func (b *builder) toVM(r *row, reading int, disks, fileSystems *parts, guests *guestSizes) VM {
	n := r.values(reading)
	vm := r.vm
	if r.known[0] && n[0] != impossible {
		vm.CPUCount = new(n[0])
	}
	for at, size := range map[int]**int64{
		1: &vm.MemoryBytes,
		2: &vm.ProvisionedBytes,
		3: &vm.UsedBytes,
		4: &vm.DiskBytes,
		5: &vm.GuestUsedBytes,
	} {
		if r.known[at] && n[at] >= minBytes {
			*size = new(n[at])
		}
	}
	capacity := cmp.Or(vm.DiskBytes, vm.ProvisionedBytes)
	if all, ok := disks.forVM(r.identity()); ok {
		vm.DiskBytes, capacity = sizeOrNil(all.own[reading]), sizeOrNil(all.all[reading])
		vm.Blockers, vm.Sharing = append(vm.Blockers, all.blockers...), all.sharing
	}
	if all, ok := fileSystems.forVM(r.identity()); ok {
		vm.GuestUsedBytes = sizeOrNil(all.all[reading])
		if isAbove(vm.GuestUsedBytes, capacity) {
			vm.GuestUsedBytes = sizeOrNil(all.own[reading])
		}
	}
	guests.check(&vm, capacity)
	return vm
}
