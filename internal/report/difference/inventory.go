package difference

import (
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// inventory maps the names in an inventory file to IDs, and IDs to names. The ID of an ambiguous name is empty.
type inventory struct {
	ids, names map[string]string
}

func newInventory(d *document.Document) *inventory {
	v := &inventory{ids: make(map[string]string), names: make(map[string]string)}
	for _, a := range d.Results() {
		if a.Type != "vsla_inventory_file" {
			continue
		}
		vms, _ := a.Values["virtual_machines"].(map[string]any)
		for id, vm := range vms {
			v.add(vm, id)
		}
		skipped, _ := a.Values["skipped"].([]any)
		for _, row := range skipped {
			values, _ := row.(map[string]any)
			if values["reason"] == inventoryfile.SkippedNoSize {
				continue // the VM is in virtual_machines
			}
			id, _ := values["id"].(string)
			v.add(row, id)
		}
	}
	return v
}

// add adds a row of the file.
func (v *inventory) add(row any, id string) {
	values, _ := row.(map[string]any)
	name, _ := values["name"].(string)
	if other, known := v.ids[name]; known && other != id {
		v.ids[name] = ""
	} else {
		v.ids[name] = id
	}
	v.ids[qualified(name, id)] = id
	v.names[id] = name
}

// qualified returns the name of a VM that shares its name with others.
func qualified(name, id string) string { return name + " (" + id + ")" }
