// Conversion of rows to VMs. A single number can decide the decimal separator of the whole file, so both
// interpretations are kept until the end.

package inventoryfile

import (
	"slices"
	"strings"
	"unique"
)

type builder struct {
	options Options
	format  string
	sheet   string
	headers map[string][]string
	layout  layout
	kept    []column
	// widest is the number of cells in the longest row that may be a header row.
	widest int

	// matched reports for each of Options.filters whether it matched a VM. existing contains the VMs' values until it
	// does.
	matched  [4]bool
	existing [4]map[string]struct{}

	rows chunks
	// others contains the rows that are not in the result.
	others  []owner
	skipped []Skipped
	numbers decimals
	// errs contains the first error of each interpretation.
	errs [readings]error
	// long contains the long strings of the result, longBytes their total size.
	long      map[unique.Handle[string]]struct{}
	longBytes int
	// seen contains the instance UUIDs found for each id.
	seen map[owner][]string
}

// numeric contains the numeric fields in the order of a row's numbers.
var numeric = [...]string{fieldCPU, fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

func (b *builder) add(cells []string, number int) error {
	if !slices.ContainsFunc(cells, func(text string) bool { return strings.TrimSpace(text) != "" }) {
		return nil
	}
	if again, err := b.repeats(cells); again || err != nil {
		return err
	}
	if b.rows.count+len(b.others) == maxRows {
		return fileError("the file has more than %d rows of VMs", maxRows)
	}
	if err := b.layout.sound(cells, b.sheet, number); err != nil {
		return err
	}
	r, reason, err := b.read(cells, number)
	if err != nil {
		return err
	}
	if reason != SkippedNoName && !b.match(&r.vm) {
		b.others = append(b.others, r.owner())
		return nil
	}
	if err := b.convert(&r, cells, number); err != nil {
		return err
	}
	if reason == "" && b.layout.text(fieldUsed, cells) == "" {
		reason = SkippedNoSize
	}
	if reason == "" && b.duplicate(&r) {
		reason = SkippedDuplicate
	}
	if reason != "" {
		b.others = append(b.others, r.owner())
		b.skipped = append(b.skipped, Skipped{
			Sheet: b.sheet, Row: number, ID: r.vm.ID, Name: r.vm.Name, Reason: reason,
		})
		return nil
	}
	b.rows.add(r)
	return nil
}

// repeats reports whether a row is a header row, because files of the same or another version were appended.
func (b *builder) repeats(cells []string) (bool, error) {
	if b.layout.repeats(cells) {
		return true, nil
	}
	if !hasHeader(cells, b.headers[fieldUsed]) {
		return false, nil
	}
	found, missing := known(cells, b.headers)
	if missing != nil {
		return false, nil
	}
	return true, b.begin(found, cells)
}

func (b *builder) begin(found layout, header []string) error {
	b.layout = found
	b.kept = nil
	for _, name := range b.options.Keep {
		i, err := only(header, name)
		if err != nil {
			return err
		}
		b.kept = append(b.kept, column{index: i, header: name})
	}
	return nil
}

func (b *builder) read(cells []string, number int) (r row, reason string, err error) {
	text := func(field string) string { return b.layout.text(field, cells) }
	shared := func(field string) string { return b.layout.shared(field, cells) }
	r.vm = VM{
		ID: text(fieldID), Name: text(fieldName), InstanceUUID: text(fieldInstanceUUID),
		Datacenter: shared(fieldDatacenter), Cluster: shared(fieldCluster), Host: shared(fieldHost),
		Folder: shared(fieldFolder),
	}
	for _, column := range b.kept {
		value := ""
		if column.index < len(cells) {
			value = strings.TrimSpace(cells[column.index])
		}
		r.vm.Kept = append(r.vm.Kept, unique.Make(value).Value())
	}
	r.server, r.serverUUID, r.uuid = shared(fieldServer), shared(fieldServerUUID), text(fieldUUID)
	if err := b.bound(&r, number); err != nil {
		return r, "", err
	}
	reason, err = b.states(&r, cells, number)
	return r, reason, err
}

// bound returns an error if the distinct long strings exceed the memory limit.
func (b *builder) bound(r *row, number int) error {
	vm := &r.vm
	texts := append([]string{
		vm.ID, vm.Name, vm.InstanceUUID, vm.Datacenter, vm.Cluster, vm.Host, vm.Folder, r.server, r.serverUUID, r.uuid,
	}, vm.Kept...)
	for _, text := range texts {
		if len(text) <= longText {
			continue
		}
		handle := unique.Make(text)
		if _, known := b.long[handle]; known {
			continue
		}
		if b.long == nil {
			b.long = map[unique.Handle[string]]struct{}{}
		}
		b.long[handle] = struct{}{}
		if b.longBytes += len(text); b.longBytes > maxLongBytes {
			return fileError("row %d: the file has more than 16 MiB of texts with more than %d characters", number, longText)
		}
	}
	return nil
}

func (b *builder) states(r *row, cells []string, number int) (reason string, err error) {
	at := func(field string) cell {
		c, _ := b.layout.cell(field, cells, b.sheet, number)
		return c
	}
	template, err := boolean(at(fieldTemplate))
	if err != nil {
		return "", err
	}
	placeholder, err := boolean(at(fieldPlaceholder))
	if err != nil {
		return "", err
	}
	if c := at(fieldTracking); c.text != "" {
		tracking, err := boolean(c)
		if err != nil {
			return "", err
		}
		r.vm.Tracking = &tracking
	}
	if r.vm.PowerState, err = powerState(at(fieldPowerState)); err != nil {
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

func (b *builder) convert(r *row, cells []string, number int) error {
	for at, field := range numeric {
		c, column := b.layout.cell(field, cells, b.sheet, number)
		if c.text == "" {
			continue
		}
		parse := size
		if field == fieldCPU {
			parse = count
		}
		// vCenter reports memory in whole MiB; another CSV may contain computed values.
		b.numbers.observe(c, field == fieldCPU || field == fieldMemory && b.format != CSV)
		values, errs := both(c, column.unit, parse)
		if err := b.fail(errs); err != nil {
			return err
		}
		if values[point] != values[comma] && r.comma == nil {
			r.comma = new(r.numbers)
		}
		if r.numbers[at], r.has[at] = values[point], true; r.comma != nil {
			r.comma[at] = values[comma]
		}
	}
	return nil
}

// fail stores the first error of each interpretation. It returns an error only if both failed.
func (b *builder) fail(errs [readings]error) error {
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

// duplicate reports whether the VM was already read: same id and vCenter, unless the instance UUIDs differ.
func (b *builder) duplicate(r *row) bool {
	key := owner{serverUUID: r.serverUUID, id: r.vm.ID}
	if key.serverUUID == "" {
		key.server = r.server
	}
	if key.id == "" {
		if key.uuid = r.vm.InstanceUUID; key.uuid == "" {
			return false
		}
	}
	before := b.seen[key]
	for _, uuid := range before {
		if uuid == r.vm.InstanceUUID || uuid == "" || r.vm.InstanceUUID == "" {
			return true
		}
	}
	if b.seen == nil {
		b.seen = map[owner][]string{}
	}
	b.seen[key] = append(before, r.vm.InstanceUUID)
	return false
}

// finish chooses the interpretation of the numbers and builds the result. Capacities and file systems are read from
// separate sheets.
func (b *builder) finish(disks, fileSystems *parts) (Inventory, error) {
	reading, err := b.numbers.reading()
	if err != nil {
		return Inventory{}, err
	}
	for _, err := range []error{b.errs[reading], disks.err(reading), fileSystems.err(reading)} {
		if err != nil {
			return Inventory{}, err
		}
	}
	result := Inventory{
		Format: b.format, VMs: make([]VM, 0, b.rows.count), Skipped: b.skipped, Kept: b.options.Keep,
		Unmatched: b.unmatched(),
	}
	disks.identify(b)
	fileSystems.identify(b)
	for i, chunk := range b.rows.all {
		for n := range chunk {
			result.VMs = append(result.VMs, chunk[n].finished(reading, disks, fileSystems))
		}
		b.rows.all[i] = nil
	}
	name(result.VMs)
	return result, result.total()
}

func (r *row) finished(reading int, disks, fileSystems *parts) VM {
	n := r.read(reading)
	r.vm.CPUCount, r.vm.UsedBytes = n[0], n[3]
	for at, known := range map[int]**int64{
		1: &r.vm.MemoryBytes, 2: &r.vm.ProvisionedBytes, 4: &r.vm.DiskBytes, 5: &r.vm.GuestUsedBytes,
	} {
		if r.has[at] {
			*known = new(n[at])
		}
	}
	if sum, ok := disks.of(r.owner()); ok {
		r.vm.DiskBytes = new(sum[reading])
	}
	if sum, ok := fileSystems.of(r.owner()); ok {
		r.vm.GuestUsedBytes = new(sum[reading])
	}
	return r.vm
}
