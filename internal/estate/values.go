package estate

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/quantity"
)

// InventoryValues returns an inventory as attributes of the data source vsla_inventory_file.
func InventoryValues(path string, found inventoryfile.Inventory) map[string]any {
	ids := make([]any, 0, len(found.VMs))
	vms := make(map[string]any, len(found.VMs))
	for i := range found.VMs {
		ids = append(ids, found.VMs[i].Key)
		vms[found.VMs[i].Key] = vmValues(&found.VMs[i])
	}
	skipped := make([]any, 0, len(found.Skipped))
	for _, s := range found.Skipped {
		skipped = append(skipped, map[string]any{
			"sheet":  s.Sheet,
			"row":    float64(s.Row),
			"id":     nilIfEmpty(s.ID),
			"name":   s.Name,
			"reason": s.Reason,
		})
	}
	return map[string]any{
		"path":                  path,
		"format":                found.Format,
		"ids":                   ids,
		"virtual_machines":      vms,
		"skipped":               skipped,
		"templates":             skippedIDs(found, inventoryfile.SkippedTemplate),
		"inaccessible":          skippedIDs(found, inventoryfile.SkippedInaccessible),
		"vm_count":              float64(len(found.VMs)),
		"total_memory_gib":      gib(found.MemoryBytes),
		"total_provisioned_gib": gib(found.ProvisionedBytes),
		"total_used_gib":        gib(found.UsedBytes),
		"total_disk_gib":        gib(found.DiskBytes),
		"total_guest_used_gib":  gib(found.GuestUsedBytes),
		"mean_used_gib":         gib(found.MeanUsedBytes()),
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
		"id":                     vm.Key,
		"name":                   vm.Name,
		"path":                   place,
		"instance_uuid":          vm.InstanceUUID,
		"power_state":            vm.PowerState,
		"cpu_count":              count(vm.CPUCount),
		"memory_gib":             gib(vm.MemoryBytes),
		"provisioned_gib":        gib(vm.ProvisionedBytes),
		"used_gib":               gib(vm.UsedBytes),
		"disk_gib":               gib(vm.DiskBytes),
		"guest_used_gib":         gib(vm.GuestUsedBytes),
		"changed_block_tracking": tracking,
		"datacenter":             nilIfEmpty(vm.Datacenter),
		"cluster":                nilIfEmpty(vm.Cluster),
		"host":                   nilIfEmpty(vm.Host),
		"folder":                 nilIfEmpty(vm.Folder),
		"host_id":                nil,
		"datastore_ids":          nil,
		"tags":                   nil,
		"bios_uuid":              nilIfEmpty(vm.UUID),
		"replication_blockers":   list(vm.Blockers),
	}
}

// skippedIDs returns the sorted IDs of the rows skipped for a reason. A row without an ID is listed by name.
func skippedIDs(found inventoryfile.Inventory, reason string) []any {
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
	return list(slices.Compact(ids))
}

func list(texts []string) []any {
	values := make([]any, 0, len(texts))
	for _, text := range texts {
		values = append(values, text)
	}
	return values
}

func count(n *int64) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

func nilIfEmpty(value string) any {
	if value == "" {
		return nil
	}
	return value
}

func gib(bytes *int64) any {
	if bytes == nil {
		return nil
	}
	return quantity.Size(*bytes).GiB()
}
