// Conversion of rows to VMs, after the decimal separator of the file is known.

package inventoryfile

import (
	"cmp"
	"fmt"
	"slices"
)

// conversion converts the rows of a file to its inventory. disks and fileSystems come from separate tables and can be
// nil.
type conversion struct {
	*builder

	reading            int
	disks, fileSystems *parts
	guests             guestSizes
	result             Inventory
}

// build chooses the interpretation of the numbers and builds the result.
func (b *builder) build(disks, fileSystems *parts) (Inventory, error) {
	reading, err := b.interpretation(disks, fileSystems)
	if err != nil {
		return Inventory{}, err
	}
	c := conversion{
		builder:     b,
		reading:     reading,
		disks:       disks,
		fileSystems: fileSystems,
		result: Inventory{
			Format:      b.format,
			VMs:         make([]VM, 0, b.rows.count),
			KeptColumns: b.options.KeepColumns,
			Surveyed:    b.survey.columns(),
			table:       b.table,
			decimals:    b.numbers,
			fractions:   b.kept.fractions(b.table),
		},
	}
	c.convertRows()
	return c.finish()
}

// interpretation returns the interpretation of the numbers, or an error if a number is not valid in it.
func (b *builder) interpretation(disks, fileSystems *parts) (int, error) {
	reading, err := b.numbers.interpretation()
	if err != nil {
		return 0, err
	}
	return reading, cmp.Or(b.errs[reading], disks.err(reading), fileSystems.err(reading))
}

func (c *conversion) convertRows() {
	c.disks.countIdentities(c.builder)
	c.fileSystems.countIdentities(c.builder)
	for i, chunk := range c.rows.all {
		for n := range chunk {
			c.convert(&chunk[n])
		}
		c.rows.all[i] = nil // frees the memory of the rows while VMs are added
	}
}

func (c *conversion) convert(r *row) {
	if c.totals.contains(r, c.reading) {
		c.skip(r, SkippedTotal)
		c.notes = append(c.notes,
			fmt.Sprintf("Row %d, %s, contains totals and is not a VM.", r.vm.Row, quote(r.vm.Name)))
		return
	}
	if r.vm.Inaccessible && !c.seen.add(r) {
		return
	}
	vm := c.toVM(r)
	c.result.Unknown = append(c.result.Unknown, unknown(r.impossible, c.reading)...)
	if r.vm.Inaccessible {
		c.result.Inaccessible = append(c.result.Inaccessible, vm)
		return
	}
	if vm.UsedBytes == nil && c.layout[fieldUsed] != nil {
		c.skip(r, SkippedNoSize)
	}
	c.result.VMs = append(c.result.VMs, vm)
}

func (c *conversion) toVM(r *row) VM {
	vm := r.vm
	if n, ok := r.number(fieldCPU, c.reading); ok && n != impossible {
		vm.CPUCount = &n
	}
	vm.MemoryBytes = r.size(fieldMemory, c.reading)
	vm.ProvisionedBytes = r.size(fieldProvisioned, c.reading)
	vm.UsedBytes = r.size(fieldUsed, c.reading)
	vm.DiskBytes = r.size(fieldDisk, c.reading)
	vm.GuestUsedBytes = r.size(fieldGuestUsed, c.reading)
	capacity := cmp.Or(vm.DiskBytes, vm.ProvisionedBytes)
	if disks, ok := c.disks.forVM(r.identity()); ok {
		vm.DiskBytes = sizeOrNil(disks.own[c.reading])
		vm.Blockers = append(vm.Blockers, disks.blockers...)
		vm.Sharing = disks.sharing
		capacity = sizeOrNil(disks.all[c.reading])
	}
	if fileSystems, ok := c.fileSystems.forVM(r.identity()); ok {
		vm.GuestUsedBytes = sizeOrNil(fileSystems.all[c.reading])
		if isAbove(vm.GuestUsedBytes, capacity) {
			vm.GuestUsedBytes = sizeOrNil(fileSystems.own[c.reading])
		}
	}
	c.guests.check(&vm, capacity)
	return vm
}

// finish adds to the result what depends on all VMs.
func (c *conversion) finish() (Inventory, error) {
	result := c.result
	if err := c.checkNames(result.VMs); err != nil {
		return Inventory{}, err
	}
	result.Unknown = slices.Concat(result.Unknown, c.disks.unknown(c.reading), c.fileSystems.unknown(c.reading))
	slices.SortStableFunc(c.skipped, func(a, b Skipped) int { return cmp.Compare(a.Row, b.Row) })
	result.Skipped = c.skipped
	assignKeys(result.VMs)
	assignKeys(result.Inaccessible)
	result.Notes = slices.Concat(c.notes, c.ids.notes(), c.guests.notes(), c.disks.notes())
	result.Sizes = c.sizes()
	if len(result.Sizes) == 0 {
		return Inventory{}, fileError("%sthere is no size of the VMs: neither used, provisioned nor virtual disks",
			c.prefix())
	}
	return result, result.computeTotals()
}

// sizes returns the storage sizes that the file contains.
func (c *conversion) sizes() []string {
	var all []string
	for _, size := range storageSizes {
		if c.layout[size] != nil || size == fieldDisk && c.disks != nil ||
			size == fieldGuestUsed && c.fileSystems != nil {
			all = append(all, size)
		}
	}
	return all
}
