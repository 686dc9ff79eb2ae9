// Tables that contain VMs, but are not read.

package inventoryfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// readOthers compares the VMs of the other tables with those of the VM table.
func (b *builder) readOthers(t tables) error {
	missing := map[missingVM][]string{}
	for _, table := range t.names() {
		if table == b.table {
			continue
		}
		if err := b.readOther(t, table, missing); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	vms := slices.SortedFunc(maps.Keys(missing), func(a, b missingVM) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.id, b.id))
	})
	b.notes = append(b.notes, fmt.Sprintf("%s of other sheets %s not in %s, and therefore in no result: %s.",
		plan.Count(float64(len(vms)), "VM"), map[bool]string{true: "is", false: "are"}[len(vms) == 1], b.table,
		quantity.ListOf(vms, maxNoted, func(vm missingVM) string {
			return vm.name + " (" + strings.Join(slices.Sorted(slices.Values(missing[vm])), ", ") + ")"
		})))
	return nil
}

// missingVM is a VM that only other tables contain.
type missingVM struct{ name, id string }

func (b *builder) readOther(t tables, table string, missing map[missingVM][]string) error {
	headers := map[string][]string{fieldName: b.kind.headers[fieldName]}
	for _, field := range []string{fieldID, fieldUUID, fieldServer, fieldServerUUID} {
		headers[field] = b.kind.headers[field]
	}
	p := &parts{vmLayout: b.layout}
	known := map[vmIdentity]bool{}
	rows := 0
	err := t.read(table, func(cells []string, _ int) error {
		switch rows++; {
		case p.layout != nil:
		case rows > maxHeaderRow:
			return errStop
		case b.isVMHeader(cells):
			b.notes = append(
				b.notes,
				fmt.Sprintf("Sheet %s also has the headers of VMs, and was not read.", quote(table)),
			)
			return errStop
		default:
			p.layout = findHeaders(cells, headers)
			return b.addKnown(known, p)
		}
		text := func(field string) string { return p.layout.text(field, cells) }
		vm := vmIdentity{text(fieldServer), text(fieldServerUUID), text(fieldID), text(fieldUUID), text(fieldName)}
		if id := cmp.Or(vm.id, vm.uuid); id != "" && !known[p.identity(vm)] {
			key := missingVM{cmp.Or(vm.name, id), id}
			if !slices.Contains(missing[key], table) {
				missing[key] = append(missing[key], table)
			}
		}
		return nil
	})
	if _, isDamaged := errors.AsType[*FileError](err); isDamaged || errors.Is(err, errStop) {
		return nil // the table is not needed
	}
	return err
}

// addKnown adds the VMs of the VM table, as another table identifies them once its headers are found. It returns
// errStop if one of the tables has no IDs.
func (b *builder) addKnown(known map[vmIdentity]bool, p *parts) error {
	if p.layout == nil {
		return nil
	}
	hasIDs := func(l layout) bool { return l[fieldID] != nil || l[fieldUUID] != nil }
	if !hasIDs(b.layout) || !hasIDs(p.layout) {
		return errStop
	}
	for vm := range b.identities() {
		known[p.identity(vm)] = true
	}
	return nil
}

// isVMHeader reports whether a row of another table is a header row of VMs.
func (b *builder) isVMHeader(cells []string) bool {
	kinds := []headerKind{b.kind}
	if b.kind.columns == nil {
		kinds = textHeaders(Options{Format: Auto})[1:]
	}
	return slices.ContainsFunc(kinds, func(kind headerKind) bool {
		found, err := kind.match(cells, false)
		return err == nil && found.layout[fieldName] != nil && (found.layout[fieldUsed] != nil || kind.columns != nil)
	})
}

// findHeaders returns the layout of a row that contains the name of a VM, or nil.
func findHeaders(cells []string, headers map[string][]string) layout {
	if !hasHeader(cells, headers[fieldName]) {
		return nil
	}
	found := layout{}
	for field, names := range headers {
		for i, cell := range cells {
			isCell := func(name string) bool { return normalize(name) == normalize(cell) }
			if found[field] == nil && slices.ContainsFunc(names, isCell) {
				found[field] = []column{{index: i}}
			}
		}
	}
	return found
}
