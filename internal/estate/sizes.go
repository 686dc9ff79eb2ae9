package estate

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
)

func (t *Tiers) readSizes() (err error) {
	t.sizes, err = t.document.readSizes(t.document.values, nil, sizes[:1])
	return err
}

// readSizes reads the name of a size, or a list of names.
func (d *document) readSizes(values map[string]any, at plan.Path, otherwise []string) ([]string, error) {
	v, ok := values[keySize]
	if !ok {
		return otherwise, nil
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	var names []string
	for _, element := range list {
		name, _ := element.(string)
		if !slices.Contains(sizes, name) || slices.Contains(names, name) {
			return nil, d.problem(at.Attr(keySize), "must be one of %s, or a list of different ones, got %q",
				strings.Join(sizes, ", "), fmt.Sprint(element))
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, d.problem(at.Attr(keySize), "must be one of %s, or a list of them", strings.Join(sizes, ", "))
	}
	return names, nil
}

// checkSizes returns an error if the file does not contain the sizes of the tiers.
func (t *Tiers) checkSizes(found inventoryfile.Inventory) error {
	known := make([]string, 0, len(found.Sizes))
	for _, size := range found.Sizes {
		known = append(known, size+"_gib")
	}
	for i, one := range t.tiers {
		if slices.ContainsFunc(one.sizes, func(size string) bool { return slices.Contains(known, size) }) {
			continue
		}
		at := plan.Attr(keySize)
		if own := plan.Attr(keyTiers).Index(i).Attr(keySize); t.document.lines[own.String()] > 0 {
			at = own
		}
		return t.document.problem(at, "must be a size that the inventory contains (%s), but is %s",
			strings.Join(known, ", "), strings.Join(one.sizes, ", "))
	}
	return nil
}

// sizeOf returns the first known size of a VM.
func sizeOf(vm *inventoryfile.VM, names []string) (name string, bytes *int64) {
	values := map[string]*int64{
		"used_gib":        vm.UsedBytes,
		"provisioned_gib": vm.ProvisionedBytes,
		"guest_used_gib":  vm.GuestUsedBytes,
		"disk_gib":        vm.DiskBytes,
	}
	for _, name := range names {
		if bytes := values[name]; bytes != nil && !vm.Inaccessible {
			return name, bytes
		}
	}
	return "", nil
}
