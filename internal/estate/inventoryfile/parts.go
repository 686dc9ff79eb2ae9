// Disks and file systems of VMs, from separate tables.

package inventoryfile

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
)

// parts contains what a table says about each VM. How a VM is identified depends on the columns of the table.
type parts struct {
	// layout is the layout of this table; vmLayout is that of the VM table.
	layout   layout
	vmLayout layout
	table    string
	byVM     map[vmIdentity]*partTotals
	errs     readingErrors
	// counts is the number of VMs per identity, including VMs that are not in the result.
	counts     map[vmIdentity]int
	impossible []impossibleCell
	seed       maphash.Seed
	// firstVM contains the first VM with a disk, by the hash of the path. sharedBy contains the names of the VMs with a
	// shared disk by its path.
	firstVM  map[uint64]*partTotals
	sharedBy map[string][]string
}

// partTotals contains the sums of a VM's disks or file systems. A sum is impossible if one of its numbers is.
type partTotals struct {
	name string
	// all is the sum of all parts. own leaves out disks that are counted with another VM, and file systems with the
	// same capacity and use as another one of the VM.
	all, own [interpretations]int64
	seen     []uint64
	blockers []string
	sharing  bool
}

// sizeOrNil returns a size, or nil if it is unknown.
func sizeOrNil(bytes int64) *int64 {
	if bytes < minBytes {
		return nil
	}
	return &bytes
}

// addTo adds a number to a sum. It reports whether the sum becomes too large.
func addTo(sum *[interpretations]int64, n reading) (tooLarge bool) {
	for i, value := range n.values {
		switch {
		case value == impossible || sum[i] == impossible:
			sum[i] = impossible
		case sum[i]+value > maxBytes:
			sum[i], tooLarge = impossible, true
		default:
			sum[i] += value
		}
	}
	return tooLarge
}

func partHeaders(table, size string) map[string][]string {
	return map[string][]string{
		fieldName:       {"VM", table + "VMName"},
		fieldID:         {"VM ID", table + "VMID", table + "ObjectID"},
		fieldUUID:       {"VM UUID", table + "UUID"},
		fieldServer:     {"VI SDK Server", table + "VISDKServer"},
		fieldServerUUID: {"VI SDK UUID", table + "VISDKUUID", "vCenter UUID"},
		fieldDatacenter: {"Datacenter", table + "DataCenter"},
		fieldUsed:       {size + " MiB", size + " MB", table + size + "MiB", table + size},
	}
}

func (p *parts) identity(o vmIdentity) vmIdentity {
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

// forVM returns what the table says about a VM. It returns false if the table does not contain the VM or if several VMs
// share its identity.
func (p *parts) forVM(vm vmIdentity) (*partTotals, bool) {
	if p == nil {
		return nil, false
	}
	key := p.identity(vm)
	found, ok := p.byVM[key]
	return found, ok && p.counts[key] == 1
}

func (p *parts) countIdentities(b *builder) {
	if p == nil {
		return
	}
	p.counts = make(map[vmIdentity]int, b.rows.count)
	for vm := range b.identities() {
		p.counts[p.identity(vm)]++
	}
}

func (p *parts) err(reading int) error {
	if p == nil {
		return nil
	}
	return p.errs[reading]
}

func (p *parts) unknown(reading int) []*CellError {
	if p == nil {
		return nil
	}
	return unknown(p.impossible, reading)
}

// notes returns what must be known about shared disks.
func (p *parts) notes() []string {
	if p == nil || len(p.sharedBy) == 0 {
		return nil
	}
	paths := slices.Sorted(maps.Keys(p.sharedBy))
	return []string{fmt.Sprintf("Several VMs share a disk, which is counted once: %s.",
		quantity.ListOf(paths, maxNoted, func(path string) string {
			return fmt.Sprintf("%s (%s)", path, strings.Join(p.sharedBy[path], ", "))
		}))}
}

// maxNoted is the number of names in a note.
const maxNoted = 10

// readDisks reads the table of disks. It returns nil if the file has none.
func (b *builder) readDisks(t tables, table string) (*parts, error) {
	headers := partHeaders("vDisk", "Capacity")
	maps.Copy(headers, map[string][]string{
		fieldRaw:     {"Raw", "vDiskRaw"},
		fieldRawMode: {"Raw Comp. Mode", "vDiskRawCompMode"},
		fieldSharing: {"Sharing mode", "vDiskSharingMode"},
		fieldBus:     {"Shared Bus", "vDiskSharedBus"},
		fieldPath:    {"Path", "Disk Path", "vDiskPath"},
	})
	return b.readParts(t, table, headers, func(p *parts, of *partTotals, vm vmIdentity, text func(string) string) bool {
		mode := strings.ToLower(text(fieldRawMode))
		isRaw, err := parseBool(cell{text: text(fieldRaw)})
		if err == nil && isRaw && strings.HasPrefix(mode, "physical") && !slices.Contains(of.blockers, BlockerRDM) {
			of.blockers = append(of.blockers, BlockerRDM)
		}
		sharing, bus := strings.ToLower(text(fieldSharing)), strings.ToLower(text(fieldBus))
		of.sharing = of.sharing || strings.Contains(sharing, "multiwriter") ||
			bus != "" && bus != "nosharing" && bus != "none"
		path := text(fieldPath)
		if path == "" {
			return true
		}
		place := []string{vm.server, vm.serverUUID, text(fieldDatacenter), path}
		key := maphash.String(p.seed, strings.Join(place, "\n"))
		first := p.firstVM[key]
		switch {
		case first == nil:
			p.firstVM[key] = of
		case first != of:
			if p.sharedBy[path] == nil {
				p.sharedBy[path] = []string{first.name}
			}
			p.sharedBy[path] = append(p.sharedBy[path], of.name)
			first.sharing, of.sharing = true, true
		}
		return first == nil || first == of
	})
}

// readFileSystems reads the table of the guests' file systems. It returns nil if the file has none.
func (b *builder) readFileSystems(t tables, table string) (*parts, error) {
	headers := partHeaders("vPartition", "Consumed")
	headers[fieldDisk] = []string{"Capacity MiB", "Capacity MB", "vPartitionCapacityMiB", "vPartitionCapacity"}
	return b.readParts(t, table, headers, func(p *parts, of *partTotals, _ vmIdentity, text func(string) string) bool {
		if p.layout[fieldDisk] == nil {
			return true
		}
		key := maphash.String(p.seed, text(fieldDisk)+"\n"+text(fieldUsed))
		if slices.Contains(of.seen, key) {
			return false
		}
		of.seen = append(of.seen, key)
		return true
	})
}

// ownPart reports whether a part is counted with the VM and for the first time. text returns a field of the row.
type ownPart func(p *parts, of *partTotals, vm vmIdentity, text func(string) string) bool

// readParts reads a table of disks or file systems.
func (b *builder) readParts(
	t tables, table string, headers map[string][]string,
	isOwn ownPart,
) (*parts, error) {
	if table == "" {
		return nil, nil //nolint:nilnil // the file has no such table
	}
	p := &parts{
		vmLayout: b.layout,
		table:    table,
		byVM:     map[vmIdentity]*partTotals{},
		seed:     maphash.MakeSeed(),
		firstVM:  map[uint64]*partTotals{},
		sharedBy: map[string][]string{},
	}
	rows := 0
	err := t.read(table, func(row []string, number int) error {
		if rows++; rows > maxPartRows {
			return fileError("sheet %q has more than %d rows", table, maxPartRows)
		}
		if p.layout != nil {
			return p.add(b, row, number, isOwn)
		}
		found, missing, err := matchHeaders(row, headers, false)
		switch {
		case err != nil:
			return fileError("sheet %q: %v", table, err)
		case missing == nil:
			p.layout = found
		case rows > maxHeaderRow:
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) || p.layout == nil {
		return nil, ignoreStop(err)
	}
	return p, nil
}

func ignoreStop(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (p *parts) add(
	b *builder, row []string, number int,
	isOwn ownPart,
) error {
	if p.layout.isHeaderRow(row) {
		return nil
	}
	if err := p.layout.checkCells(row, p.table, number); err != nil {
		return err
	}
	text := func(field string) string { return p.layout.text(field, row) }
	vm := vmIdentity{text(fieldServer), text(fieldServerUUID), text(fieldID), text(fieldUUID), text(fieldName)}
	c, column := p.layout.cell(fieldUsed, row, p.table, number)
	if c.text == "" {
		return nil
	}
	c.vm = vm.name
	in := sizeRange(column.unit)
	n := b.numbers.parse(c, column, in, false)
	if err := p.errs.add(n.errs); err != nil {
		return err
	}
	key := p.identity(vm)
	of := p.byVM[key]
	if of == nil {
		of = &partTotals{name: vm.name}
		p.byVM[key] = of
	}
	if n.isImpossible() {
		p.impossible = append(p.impossible, newImpossibleCell(c, n, in.text))
	}
	tooLarge := addTo(&of.all, n)
	if isOwn(p, of, vm, text) {
		addTo(&of.own, n)
	}
	if tooLarge {
		p.impossible = append(p.impossible, impossibleCell{
			c,
			[interpretations]bool{true, true},
			"at most 4 PiB for all disks or partitions of a VM",
		})
	}
	return nil
}
