// The inventory in the shape of vsla_inventory_file.

package estate

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Values returns an inventory with the attributes of vsla_inventory_file.
func Values(path string, found inventoryfile.Inventory) map[string]any {
	ids := make([]any, 0, len(found.VMs))
	vms := make(map[string]any, len(found.VMs))
	for i := range found.VMs {
		ids = append(ids, found.VMs[i].Key)
		vms[found.VMs[i].Key] = vmValues(&found.VMs[i])
	}
	mean := 0.0
	if len(found.VMs) > 0 {
		mean = (quantity.Size(found.UsedBytes) / quantity.Size(len(found.VMs))).GiB()
	}
	skipped := make([]any, 0, len(found.Skipped))
	for _, s := range found.Skipped {
		skipped = append(skipped, map[string]any{
			"sheet": s.Sheet, "row": float64(s.Row), "id": text(s.ID), "name": s.Name, "reason": s.Reason,
		})
	}
	return map[string]any{
		"path": path, "format": found.Format, "ids": ids, "virtual_machines": vms, "skipped": skipped,
		"templates":             reason(found, inventoryfile.SkippedTemplate),
		"inaccessible":          reason(found, inventoryfile.SkippedInaccessible),
		"vm_count":              float64(len(found.VMs)),
		"total_memory_gib":      gib(found.MemoryBytes),
		"total_provisioned_gib": gib(found.ProvisionedBytes),
		"total_used_gib":        gib(&found.UsedBytes),
		"total_disk_gib":        gib(found.DiskBytes),
		"total_guest_used_gib":  gib(found.GuestUsedBytes),
		"mean_used_gib":         mean,
	}
}

func vmValues(vm *inventoryfile.VM) map[string]any {
	place := ""
	if vm.Folder != "" {
		place = strings.TrimSuffix(vm.Folder, "/") + "/" + vm.Name
	}
	var tracking any
	if vm.Tracking != nil {
		tracking = *vm.Tracking
	}
	return map[string]any{
		"id": vm.Key, "name": vm.Name, "path": place, "instance_uuid": vm.InstanceUUID, "power_state": vm.PowerState,
		"cpu_count": float64(vm.CPUCount), "memory_gib": gib(vm.MemoryBytes), "provisioned_gib": gib(vm.ProvisionedBytes),
		"used_gib": gib(&vm.UsedBytes), "disk_gib": gib(vm.DiskBytes), "guest_used_gib": gib(vm.GuestUsedBytes),
		"changed_block_tracking": tracking, "datacenter": text(vm.Datacenter), "cluster": text(vm.Cluster),
		"host": text(vm.Host), "folder": text(vm.Folder), "host_id": nil, "datastore_ids": nil, "tags": nil,
	}
}

// reason returns the ids, or names, that were skipped for a reason, sorted.
func reason(found inventoryfile.Inventory, reason string) []any {
	var ids []string
	for _, s := range found.Skipped {
		if s.Reason != reason {
			continue
		}
		if s.ID == "" {
			ids = append(ids, s.Name)
		} else {
			ids = append(ids, s.ID)
		}
	}
	slices.Sort(ids)
	list := make([]any, 0, len(ids))
	for _, id := range slices.Compact(ids) {
		list = append(list, id)
	}
	return list
}

// text returns nil for what the file does not have.
func text(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// gib returns GiB, or nil for what the file does not have.
func gib(bytes *int64) any {
	if bytes == nil {
		return nil
	}
	return quantity.Size(*bytes).GiB()
}
