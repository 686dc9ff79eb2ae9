// From rows to VMs. Rows are collected first, because one number can decide how all others are read.

package inventoryfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// builder collects the rows of a file.
type builder struct {
	options Options
	format  string
	sheet   string
	layout  layout
	rows    []row
	skipped []Skipped
	numbers decimals
}

// row is a VM whose numbers are still text.
type row struct {
	vm     VM
	server string
	number int
	sizes  map[string]cell
	reason string
	cpu    cell
}

// text returns a field of a row without surrounding space.
func (l layout) text(field string, row []string) string {
	c, ok := l[field]
	if !ok || c.index >= len(row) {
		return ""
	}
	return strings.Clone(strings.TrimSpace(row[c.index]))
}

func (l layout) cell(field string, row []string, sheet string, number int) cell {
	return cell{sheet: sheet, row: number, column: l[field].header, text: l.text(field, row)}
}

// add takes a row of the file.
func (b *builder) add(cells []string, number int) error {
	if !slices.ContainsFunc(cells, func(text string) bool { return strings.TrimSpace(text) != "" }) {
		return nil
	}
	if len(b.rows) == maxRows {
		return fileError("the file has more than %d rows of VMs", maxRows)
	}
	for field := range b.layout {
		if c := b.layout.cell(field, cells, b.sheet, number); !sound(c.text) {
			c.text = ""
			return c.errorf("must be text of at most 1 MiB in UTF-8")
		}
	}
	text := func(field string) string { return b.layout.text(field, cells) }
	r := row{number: number, server: text(fieldServer), sizes: map[string]cell{}}
	r.vm = VM{
		ID: text(fieldID), Name: text(fieldName), InstanceUUID: text(fieldInstanceUUID),
		Datacenter: text(fieldDatacenter), Cluster: text(fieldCluster), Host: text(fieldHost), Folder: text(fieldFolder),
	}
	if err := b.states(&r, cells); err != nil {
		return err
	}
	for _, field := range sizes {
		if c := b.layout.cell(field, cells, b.sheet, number); c.text != "" {
			r.sizes[field] = c
			b.numbers.observe(c)
		}
	}
	if r.cpu = b.layout.cell(fieldCPU, cells, b.sheet, number); r.cpu.text != "" {
		b.numbers.observe(r.cpu)
	}
	b.rows = append(b.rows, r)
	return nil
}

// states reads what is neither text nor a number.
func (b *builder) states(r *row, cells []string) error {
	flag := func(field string) (bool, error) {
		return boolean(b.layout.cell(field, cells, b.sheet, r.number))
	}
	template, err := flag(fieldTemplate)
	if err != nil {
		return err
	}
	placeholder, err := flag(fieldPlaceholder)
	if err != nil {
		return err
	}
	if b.layout.text(fieldTracking, cells) != "" {
		tracking, err := flag(fieldTracking)
		if err != nil {
			return err
		}
		r.vm.Tracking = &tracking
	}
	if r.vm.PowerState, err = powerState(b.layout.cell(fieldPowerState, cells, b.sheet, r.number)); err != nil {
		return err
	}
	connection := strings.ToLower(b.layout.text(fieldConnection, cells))
	switch {
	case r.vm.Name == "":
		r.reason = SkippedNoName
	case template && !b.options.Templates:
		r.reason = SkippedTemplate
	case placeholder && !b.options.Placeholders:
		r.reason = SkippedPlaceholder
	case connection != "" && connection != "connected":
		r.reason = SkippedInaccessible
	}
	return nil
}

// boolean reads a flag in English or German. An empty cell is false.
func boolean(c cell) (bool, error) {
	switch strings.ToLower(c.text) {
	case "true", "wahr", "yes", "ja", "1":
		return true, nil
	case "", "false", "falsch", "no", "nein", "0":
		return false, nil
	}
	return false, c.errorf("must be true or false, got %q", c.text)
}

// powerState returns the state in vCenter's words.
func powerState(c cell) (string, error) {
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
	return "", c.errorf("must be poweredOn, poweredOff or suspended, got %q", c.text)
}

// finish converts the numbers, applies the filters and adds up. Disks are those of a sheet of their own, or nil.
func (b *builder) finish(disks []diskRow) (Inventory, error) {
	for _, d := range disks {
		b.numbers.observe(d.capacity)
	}
	separator, err := b.numbers.separator()
	if err != nil {
		return Inventory{}, err
	}
	capacities, err := sumDisks(disks, separator)
	if err != nil {
		return Inventory{}, err
	}
	result := Inventory{Format: b.format, VMs: []VM{}}
	seen, names := map[owner]bool{}, map[owner]int{}
	for _, r := range b.rows {
		names[owner{server: r.server, name: r.vm.Name}]++
	}
	for i := range b.rows {
		r := &b.rows[i]
		if r.reason != SkippedNoName && !b.options.match(&r.vm) {
			continue
		}
		if err := b.convert(r, separator); err != nil {
			return Inventory{}, err
		}
		if key := (owner{server: r.server, id: r.vm.ID}); r.reason == "" && key.id != "" {
			if seen[key] {
				r.reason = SkippedDuplicate
			}
			seen[key] = true
		}
		if r.reason != "" {
			b.skipped = append(b.skipped, Skipped{
				Sheet: b.sheet, Row: r.number, ID: r.vm.ID, Name: r.vm.Name, Reason: r.reason,
			})
			continue
		}
		unique := names[owner{server: r.server, name: r.vm.Name}] == 1
		if capacity, ok := capacities.of(r.owner(), unique); ok {
			r.vm.DiskBytes = &capacity
		}
		result.VMs = append(result.VMs, r.vm)
	}
	result.Skipped = b.skipped
	name(result.VMs)
	return result, result.total()
}

func (r *row) owner() owner { return owner{server: r.server, id: r.vm.ID, name: r.vm.Name} }

// convert reads the numbers of a row that is not left out.
func (b *builder) convert(r *row, separator string) error {
	if r.reason != "" {
		return nil
	}
	if r.sizes[fieldUsed].text == "" {
		r.reason = SkippedNoSize
		return nil
	}
	for field, c := range r.sizes {
		bytes, err := size(c, separator, b.layout[field].unit)
		if err != nil {
			return err
		}
		switch field {
		case fieldMemory:
			r.vm.MemoryBytes = bytes
		case fieldProvisioned:
			r.vm.ProvisionedBytes = bytes
		case fieldUsed:
			r.vm.UsedBytes = bytes
		case fieldDisk:
			r.vm.DiskBytes = &bytes
		}
	}
	if r.cpu.text == "" {
		return nil
	}
	count, err := number(r.cpu, separator)
	if err != nil {
		return err
	}
	if count != math.Trunc(count) || count < 0 || count > 1e6 {
		return r.cpu.errorf("must be a whole number from 0 to 1,000,000, got %q", r.cpu.text)
	}
	r.vm.CPUCount = int64(count)
	return nil
}

// match applies the filters.
func (o *Options) match(vm *VM) bool {
	switch {
	case o.Name != nil && !o.Name.MatchString(vm.Name):
	case o.PowerState != "" && o.PowerState != vm.PowerState:
	case o.Cluster != "" && o.Cluster != vm.Cluster:
	case o.Datacenter != "" && o.Datacenter != vm.Datacenter:
	case o.Folder != "" && !below(vm.Folder, o.Folder):
	default:
		return true
	}
	return false
}

// below reports whether a folder is the other one or in it.
func below(folder, other string) bool {
	folder, other = strings.Trim(folder, "/"), strings.Trim(other, "/")
	return folder == other || strings.HasPrefix(folder, other+"/")
}

// name sorts VMs and makes their keys unique: the second "web" is "web#2".
func name(vms []VM) {
	for i := range vms {
		vms[i].Key = vms[i].ID
		if vms[i].Key == "" {
			vms[i].Key = vms[i].Name
		}
	}
	slices.SortStableFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
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

// total adds up in bytes, so that sums do not depend on the order of the rows.
func (i *Inventory) total() error {
	var disks int64
	known := true
	for _, vm := range i.VMs {
		sums := []*int64{&i.MemoryBytes, &i.ProvisionedBytes, &i.UsedBytes, &disks}
		var disk int64
		if vm.DiskBytes == nil {
			known = false
		} else {
			disk = *vm.DiskBytes
		}
		for n, bytes := range []int64{vm.MemoryBytes, vm.ProvisionedBytes, vm.UsedBytes, disk} {
			if *sums[n] > math.MaxInt64-bytes {
				return fileError("the sizes of the file add up to more than 8 EiB")
			}
			*sums[n] += bytes
		}
	}
	if known {
		i.DiskBytes = &disks
	}
	return nil
}
